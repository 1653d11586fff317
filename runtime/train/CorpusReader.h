//===- CorpusReader.h - Reads aligned text ----------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to runtime/train. Pairs of lines, tokenised and filtered.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TRAIN_CORPUSREADER_H
#define DRAGOMAN_RUNTIME_TRAIN_CORPUSREADER_H

#include "runtime/text/LineReader.h"
#include "runtime/train/Corpus.h"

#include <functional>
#include <memory>
#include <unordered_set>

namespace dragoman {

/// The lines of a corpus, pair by pair.
class PairReader {
public:
  struct Pair {
    std::string source, target;
    int64_t line = 0;
    int64_t repaired = 0; ///< sides with invalid UTF-8
  };

  static Result<PairReader> open(const CorpusFiles &files);
  /// False at the end of both files.
  Result<bool> next(Pair &pair);

private:
  Result<bool> nextOfTable(Pair &pair);
  Status unequal(bool sourceEnded);

  CorpusFiles files;
  std::unique_ptr<LineReader> source, target;
  int64_t lines = 0;
  int64_t firstBlankDifference = 0; ///< only one side of this line is blank
};

/// A pair that was kept.
struct CodedPair {
  std::vector<int32_t> source, target;
  int64_t line = 0;
};

/// Reads all pairs, tokenises them on the pool, and hands the kept ones to
/// `take` in order.
Result<PairCounts>
readPairs(const CorpusFiles &files, const IdCoder &source,
          const IdCoder &target, const PairFilter &filter, Pool &pool,
          const std::function<Status(const CodedPair &)> &take);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TRAIN_CORPUSREADER_H
