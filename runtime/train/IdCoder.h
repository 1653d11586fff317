//===- IdCoder.h - Lines to ids for training --------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ids of the pieces of a line, without special tokens. The vocabulary is that
// of a SentencePiece file, with <pad> behind the last piece if the file has
// none, or a list of words, one a line.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TRAIN_IDCODER_H
#define DRAGOMAN_RUNTIME_TRAIN_IDCODER_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// Ids with a meaning of their own.
struct SpecialTokenIds {
  int32_t start = 0; ///< the decoder's first input: <s>, or </s> without one
  int32_t end = 0;
  int32_t unknown = 0;
  int32_t pad = 0;
};

/// Immutable and thread-safe after it is made.
class IdCoder {
public:
  virtual ~IdCoder() = default;

  /// Ids of one line (valid UTF-8, no line end); none for a blank line. Special
  /// tokens never come out, however the text is spelt.
  virtual Result<std::vector<int32_t>> encode(std::string_view line) const = 0;

  const SpecialTokenIds &special() const { return specialIds; }
  /// All tokens by id.
  const std::vector<std::string> &tokens() const { return allTokens; }
  /// The checksum of the file it came from.
  const std::string &hash() const { return fileHash; }
  /// The tokens as vocab.json.
  std::string vocabularyJson() const;

protected:
  SpecialTokenIds specialIds;
  std::vector<std::string> allTokens;
  std::string fileHash;
};

/// Reads a vocabulary; `type` is "sentencepiece" or "words". A list of words
/// must hold </s> and <unk>; <pad> is appended if it is missing. Refused, with
/// the file and line: a repeated or empty word, a word with a space.
Result<std::unique_ptr<IdCoder>> loadIdCoder(const std::string &type,
                                             const std::string &path);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TRAIN_IDCODER_H
