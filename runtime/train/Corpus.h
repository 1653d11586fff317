//===- Corpus.h - Sentence pairs as ids -------------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Aligned text files become ids once; the ids are kept in a cache file that is
// mapped, and found again by a hash of the texts, the vocabularies and the
// filter.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TRAIN_CORPUS_H
#define DRAGOMAN_RUNTIME_TRAIN_CORPUS_H

#include "runtime/base/MappedFile.h"
#include "runtime/base/Status.h"
#include "runtime/device/Pool.h"
#include "runtime/train/IdCoder.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// Two aligned files, or one file of SOURCE TAB TARGET lines; also .gz.
struct CorpusFiles {
  std::string source;
  std::string target; ///< empty: `source` holds both
  std::string name() const { return target.empty() ? source : target; }
};

/// Which pairs are left out.
struct PairFilter {
  int64_t maxLength = 256;     ///< tokens of either side, end token included
  double maxRatio = 0;         ///< longer by shorter side; 0 = any
  bool dropCopies = false;     ///< source and target are the same text
  bool dropDuplicates = false; ///< the pair occurred before
};

/// What became of the pairs of a corpus. `kept` are left; the rest was dropped
/// for the first reason that applies, in this order.
struct PairCounts {
  int64_t pairs = 0;
  int64_t kept = 0;
  int64_t empty = 0;
  int64_t tooLong = 0;
  int64_t ratio = 0;
  int64_t copies = 0;
  int64_t duplicates = 0;
  int64_t repairedLines = 0; ///< lines with invalid UTF-8
  int64_t firstRepaired = 0; ///< number of the first of them; 0 = none
  int64_t sourceTokens = 0;  ///< of kept pairs, end tokens included
  int64_t targetTokens = 0;

  PairCounts &operator+=(const PairCounts &other);
};

/// "29,000 pairs: kept 28,940 (empty 0, long 12, ratio 48); 361,204 src +
/// 378,115 tgt tokens". Copies and duplicates appear if there were any.
std::string describe(const PairCounts &counts);

/// The pairs of one corpus as ids, without special tokens. Immutable.
class Corpus {
public:
  /// Loads from the cache folder, or reads the texts and leaves a cache file
  /// there; an empty folder name keeps the ids in memory. Refused: files with
  /// unequal numbers of lines, a line without tab, a corpus without any pair
  /// left.
  static Result<Corpus> load(const CorpusFiles &files, const IdCoder &source,
                             const IdCoder &target, const PairFilter &filter,
                             const std::string &cacheFolder, Pool &pool);

  int64_t size() const { return counters.kept; }
  std::span<const int32_t> source(int64_t pair) const;
  std::span<const int32_t> target(int64_t pair) const;
  /// The line of the text files that the pair came from, from 1.
  int64_t line(int64_t pair) const { return lines[pair]; }
  const PairCounts &counts() const { return counters; }
  const CorpusFiles &files() const { return textFiles; }
  /// The key of the cache: hash of texts, vocabularies and filter.
  const std::string &hash() const { return key; }
  /// True if the ids came from the cache.
  bool wasCached() const { return cached; }

private:
  Corpus() = default;
  Status parse(std::string_view bytes);

  CorpusFiles textFiles;
  PairCounts counters;
  std::string key;
  bool cached = false;
  MappedFile mapping;
  std::unique_ptr<std::string> memory; ///< the same without a cache folder
  const int32_t *ids = nullptr;
  const uint64_t *bounds = nullptr; ///< [2 * pairs + 1], into ids
  const int64_t *lines = nullptr;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TRAIN_CORPUS_H
