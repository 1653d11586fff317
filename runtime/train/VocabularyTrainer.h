//===- VocabularyTrainer.h - Makes a vocabulary from text -------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TRAIN_VOCABULARYTRAINER_H
#define DRAGOMAN_RUNTIME_TRAIN_VOCABULARYTRAINER_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

struct VocabularyOptions {
  std::string type = "unigram"; ///< unigram, bpe, or words
  int64_t size = 8000;          ///< tokens, special ones included
  double coverage = 1;          ///< share of characters; pieces only
  int64_t leastCount = 1;       ///< words that are rarer are left out
};

/// The bytes of a SentencePiece file with <unk> <s> </s> <pad> as 0 to 3, or of
/// a list of words with the same four first, from the lines of all files (also
/// .gz). The same lines give the same bytes. Lines with a tab are two texts.
Result<std::string> trainVocabulary(const std::vector<std::string> &files,
                                    const VocabularyOptions &options);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TRAIN_VOCABULARYTRAINER_H
