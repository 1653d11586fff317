//===- EpochPlan.h - Which pairs stand in which batch -----------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The batches of an epoch follow from (seed, epoch) and the settings alone, so
// that a run that stopped goes on exactly where it was:
//   1. all items of the epoch, in an order of (seed, epoch);
//   2. cut into pools of `poolBatches` batches' worth of tokens;
//   3. a pool sorted by (target length, source length, place), cut into
//   batches;
//   4. the batches of a pool in an order of (seed, epoch, pool).
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TRAIN_EPOCHPLAN_H
#define DRAGOMAN_RUNTIME_TRAIN_EPOCHPLAN_H

#include "runtime/train/Corpus.h"
#include "runtime/train/TrainModel.h"

#include <memory>

namespace dragoman {

/// What the size of a batch is measured in.
enum class TokenCount {
  Padded, ///< pairs times the longest side, padding included
  Labels, ///< target tokens
};

struct BatchSettings {
  int64_t tokens = 4096;
  TokenCount count = TokenCount::Padded;
  int64_t poolBatches = 100; ///< 0 = the whole epoch is one pool
  uint64_t seed = 1;
};

/// Several corpora, each with a weight: how often its pairs come in an epoch. A
/// weight's fraction takes that part of the pairs, others in every epoch.
class Mixture {
public:
  void add(Corpus corpus, double weight);

  /// Items are numbered: those of the first corpus, once for each pass, then
  /// those of the next.
  int64_t items() const { return total; }
  std::span<const int32_t> source(int64_t item) const;
  std::span<const int32_t> target(int64_t item) const;
  /// "train.de:41210".
  std::string where(int64_t item) const;
  /// The items of an epoch, ascending.
  std::vector<uint32_t> itemsOf(uint64_t seed, int64_t epoch) const;

  const std::vector<Corpus> &corpora() const { return parts; }
  PairCounts counts() const;
  /// Of all corpora and weights.
  std::string hash() const;

private:
  struct Place {
    const Corpus *corpus;
    int64_t pair;
  };
  Place placeOf(int64_t item) const;

  std::vector<Corpus> parts;
  std::vector<double> weights;
  std::vector<int64_t> firstItems;
  int64_t total = 0;
};

class EpochPlan {
public:
  EpochPlan(const Mixture &mixture, const BatchSettings &settings,
            int64_t epoch);

  int64_t epoch() const { return number; }
  int64_t batches() const { return static_cast<int64_t>(order.size()); }
  /// The items of a batch.
  std::span<const uint32_t> batch(int64_t index) const;
  /// Pool of a batch, and its place in the pool; both from 0.
  int64_t poolOf(int64_t index) const { return order[index].pool; }
  int64_t placeInPool(int64_t index) const { return order[index].place; }

private:
  struct Range {
    size_t begin, end;
    int64_t pool, place;
  };
  void addPool(const Mixture &mixture, const BatchSettings &settings,
               size_t begin, size_t end, int64_t pool);

  int64_t number;
  std::vector<uint32_t> items;
  std::vector<Range> order;
};

/// How a batch is laid out.
struct BatchLayout {
  SpecialTokenIds source, target;
  int64_t extraPadding = 0; ///< padding columns beyond the longest pair
};

/// Fills a batch from items of a mixture. The key of an item is
/// epoch * items + item.
TrainBatch makeBatch(const Mixture &mixture, std::span<const uint32_t> items,
                     int64_t epoch, const BatchLayout &layout);

/// Batches of all items in order of length, for validation.
std::vector<std::vector<uint32_t>> sortedBatches(const Mixture &mixture,
                                                 const BatchSettings &settings);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TRAIN_EPOCHPLAN_H
