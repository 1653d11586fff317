//===- EpochPlan.cpp - Which pairs stand in which batch -------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/EpochPlan.h"

#include "runtime/base/Hash.h"
#include "runtime/train/Shuffle.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

using namespace dragoman;

namespace {

// Second key words of the orders, above any pool number.
constexpr uint64_t itemOrder = uint64_t(1) << 62;
constexpr uint64_t passOrder = uint64_t(1) << 63;

/// Lengths of an item with their end or start token.
struct Lengths {
  int64_t source, target;
};

Lengths lengthsOf(const Mixture &mixture, int64_t item) {
  return {static_cast<int64_t>(mixture.source(item).size()) + 1,
          static_cast<int64_t>(mixture.target(item).size()) + 1};
}

/// Sorts [begin, end) by length, and cuts it into batches that `take` gets.
template <typename Take>
void cutBatches(const Mixture &mixture, const BatchSettings &settings,
                std::vector<uint32_t> &items, size_t begin, size_t end,
                Take take) {
  std::stable_sort(
      items.begin() + begin, items.begin() + end, [&](uint32_t a, uint32_t b) {
        Lengths x = lengthsOf(mixture, a);
        Lengths y = lengthsOf(mixture, b);
        return std::tie(x.target, x.source) < std::tie(y.target, y.source);
      });
  size_t first = begin;
  int64_t longest = 0, labels = 0;
  for (size_t i = begin; i < end; ++i) {
    Lengths lengths = lengthsOf(mixture, items[i]);
    int64_t widest = std::max({longest, lengths.source, lengths.target});
    int64_t size = settings.count == TokenCount::Padded
                       ? static_cast<int64_t>(i - first + 1) * widest
                       : labels + lengths.target;
    if (i > first && size > settings.tokens) {
      take(first, i);
      first = i;
      widest = std::max(lengths.source, lengths.target);
      labels = 0;
    }
    longest = widest;
    labels += lengths.target;
  }
  if (first < end)
    take(first, end);
}

} // namespace

void Mixture::add(Corpus corpus, double weight) {
  firstItems.push_back(total);
  weights.push_back(weight);
  total += corpus.size() * static_cast<int64_t>(std::ceil(weight));
  parts.push_back(std::move(corpus));
}

Mixture::Place Mixture::placeOf(int64_t item) const {
  size_t part = std::upper_bound(firstItems.begin(), firstItems.end(), item) -
                firstItems.begin() - 1;
  return {&parts[part], (item - firstItems[part]) % parts[part].size()};
}

std::span<const int32_t> Mixture::source(int64_t item) const {
  Place place = placeOf(item);
  return place.corpus->source(place.pair);
}

std::span<const int32_t> Mixture::target(int64_t item) const {
  Place place = placeOf(item);
  return place.corpus->target(place.pair);
}

std::string Mixture::where(int64_t item) const {
  Place place = placeOf(item);
  return place.corpus->files().name() + ":" +
         std::to_string(place.corpus->line(place.pair));
}

std::vector<uint32_t> Mixture::itemsOf(uint64_t seed, int64_t epoch) const {
  std::vector<uint32_t> items;
  for (size_t part = 0; part < parts.size(); ++part) {
    int64_t size = parts[part].size();
    int64_t whole = static_cast<int64_t>(std::floor(weights[part])) * size;
    for (int64_t i = 0; i < whole; ++i)
      items.push_back(static_cast<uint32_t>(firstItems[part] + i));
    double fraction = weights[part] - std::floor(weights[part]);
    int64_t some = std::llround(fraction * static_cast<double>(size));
    if (some == 0)
      continue;
    std::vector<uint32_t> pairs(size);
    std::iota(pairs.begin(), pairs.end(), 0);
    shuffle(pairs, KeyedNumbers(seed, epoch, passOrder + part));
    pairs.resize(some);
    std::sort(pairs.begin(), pairs.end());
    for (uint32_t pair : pairs)
      items.push_back(static_cast<uint32_t>(firstItems[part] + whole + pair));
  }
  return items;
}

PairCounts Mixture::counts() const {
  PairCounts sum;
  for (const Corpus &part : parts)
    sum += part.counts();
  return sum;
}

std::string Mixture::hash() const {
  std::string text;
  for (size_t part = 0; part < parts.size(); ++part)
    text += parts[part].hash() + " " + std::to_string(weights[part]) + "\n";
  return checksumOf(text);
}

EpochPlan::EpochPlan(const Mixture &mixture, const BatchSettings &settings,
                     int64_t epoch)
    : number(epoch), items(mixture.itemsOf(settings.seed, epoch)) {
  shuffle(items, KeyedNumbers(settings.seed, epoch, itemOrder));
  int64_t pool = 0, poolTokens = 0;
  size_t begin = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    Lengths lengths = lengthsOf(mixture, items[i]);
    poolTokens += settings.count == TokenCount::Padded
                      ? std::max(lengths.source, lengths.target)
                      : lengths.target;
    bool isFull = settings.poolBatches > 0 &&
                  poolTokens >= settings.poolBatches * settings.tokens;
    if (!isFull && i + 1 < items.size())
      continue;
    addPool(mixture, settings, begin, i + 1, pool++);
    begin = i + 1;
    poolTokens = 0;
  }
}

void EpochPlan::addPool(const Mixture &mixture, const BatchSettings &settings,
                        size_t begin, size_t end, int64_t pool) {
  std::vector<Range> batches;
  cutBatches(mixture, settings, items, begin, end,
             [&](size_t first, size_t last) {
               batches.push_back({first, last, pool, 0});
             });
  shuffle(batches, KeyedNumbers(settings.seed, number, pool));
  for (size_t i = 0; i < batches.size(); ++i)
    batches[i].place = static_cast<int64_t>(i);
  order.insert(order.end(), batches.begin(), batches.end());
}

std::span<const uint32_t> EpochPlan::batch(int64_t index) const {
  return {items.data() + order[index].begin, items.data() + order[index].end};
}

TrainBatch dragoman::makeBatch(const Mixture &mixture,
                               std::span<const uint32_t> items, int64_t epoch,
                               const BatchLayout &layout) {
  TrainBatch batch;
  batch.pairs = static_cast<int64_t>(items.size());
  for (uint32_t item : items) {
    Lengths lengths = lengthsOf(mixture, item);
    batch.sourceLength = std::max(batch.sourceLength, lengths.source);
    batch.targetLength = std::max(batch.targetLength, lengths.target);
  }
  batch.sourceLength += layout.extraPadding;
  batch.targetLength += layout.extraPadding;
  int64_t s = batch.sourceLength, t = batch.targetLength;
  batch.sourceIds.assign(batch.pairs * s, layout.source.pad);
  batch.targetIds.assign(batch.pairs * t, layout.target.pad);
  batch.labels.assign(batch.pairs * t, ignoredLabel);
  for (int64_t row = 0; row < batch.pairs; ++row) {
    std::span<const int32_t> source = mixture.source(items[row]);
    std::span<const int32_t> target = mixture.target(items[row]);
    std::copy(source.begin(), source.end(), &batch.sourceIds[row * s]);
    batch.sourceIds[row * s + source.size()] = layout.source.end;
    batch.targetIds[row * t] = layout.target.start;
    std::copy(target.begin(), target.end(), &batch.targetIds[row * t] + 1);
    std::copy(target.begin(), target.end(), &batch.labels[row * t]);
    batch.labels[row * t + target.size()] = layout.target.end;
    batch.sourceLengths.push_back(static_cast<int64_t>(source.size()) + 1);
    batch.sourceTokens += static_cast<int64_t>(source.size()) + 1;
    batch.labelCount += static_cast<int64_t>(target.size()) + 1;
    batch.rowKeys.push_back(epoch * mixture.items() + items[row]);
  }
  return batch;
}

std::vector<std::vector<uint32_t>>
dragoman::sortedBatches(const Mixture &mixture, const BatchSettings &settings) {
  std::vector<uint32_t> items(mixture.items());
  std::iota(items.begin(), items.end(), 0);
  std::vector<std::vector<uint32_t>> batches;
  cutBatches(mixture, settings, items, 0, items.size(),
             [&](size_t first, size_t last) {
               batches.emplace_back(items.begin() + first,
                                    items.begin() + last);
             });
  return batches;
}
