//===- EpochPlanTest.cpp - Which pairs stand in which batch ---------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/EpochPlan.h"
#include "test/train/TrainData.h"

#include <set>

using namespace dragoman;
using namespace dragoman::test;

namespace {

struct EpochPlanTest : testing::Test {
  SmallCorpus small;
  Mixture mixture;

  void SetUp() override {
    Result<Corpus> corpus = small.load();
    ASSERT_TRUE(corpus.isOk()) << corpus.status().toString();
    mixture.add(std::move(*corpus), 1);
  }
  static std::vector<uint32_t> flat(const EpochPlan &plan) {
    std::vector<uint32_t> items;
    for (int64_t b = 0; b < plan.batches(); ++b)
      items.insert(items.end(), plan.batch(b).begin(), plan.batch(b).end());
    return items;
  }
  int64_t width(uint32_t item) {
    return std::max<int64_t>(mixture.source(item).size(),
                             mixture.target(item).size()) +
           1;
  }
};

TEST_F(EpochPlanTest, EveryPairOncePerEpoch) {
  BatchSettings settings{.tokens = 64, .poolBatches = 4};
  EpochPlan plan(mixture, settings, 0);
  std::vector<uint32_t> items = flat(plan);
  EXPECT_EQ(items.size(), 200u);
  EXPECT_EQ(std::set<uint32_t>(items.begin(), items.end()).size(), 200u);
  EXPECT_GT(plan.poolOf(plan.batches() - 1), 2);
}

TEST_F(EpochPlanTest, FollowsFromSeedAndEpochAlone) {
  BatchSettings settings{.tokens = 64, .poolBatches = 4};
  std::vector<uint32_t> items = flat(EpochPlan(mixture, settings, 3));
  EXPECT_EQ(items, flat(EpochPlan(mixture, settings, 3)));
  EXPECT_NE(items, flat(EpochPlan(mixture, settings, 4)));
  settings.seed = 2;
  EXPECT_NE(items, flat(EpochPlan(mixture, settings, 3)));
}

TEST_F(EpochPlanTest, BatchesFillTheirBudget) {
  BatchSettings settings{.tokens = 64, .poolBatches = 4};
  EpochPlan plan(mixture, settings, 0);
  int64_t padded = 0;
  for (int64_t b = 0; b < plan.batches(); ++b) {
    int64_t widest = 0;
    for (uint32_t item : plan.batch(b))
      widest = std::max(widest, width(item));
    padded += widest * static_cast<int64_t>(plan.batch(b).size());
    EXPECT_LE(widest * static_cast<int64_t>(plan.batch(b).size()), 64);
  }
  // Sorted pools waste little.
  EXPECT_LT(padded, 1.2 * (mixture.counts().targetTokens));
  settings.count = TokenCount::Labels;
  EpochPlan labels(mixture, settings, 0);
  for (int64_t b = 0; b < labels.batches(); ++b) {
    int64_t sum = 0;
    for (uint32_t item : labels.batch(b))
      sum += static_cast<int64_t>(mixture.target(item).size()) + 1;
    EXPECT_LE(sum, 64);
  }
}

TEST_F(EpochPlanTest, AnOversizedPairStandsAlone) {
  BatchSettings settings{.tokens = 4, .poolBatches = 0};
  EpochPlan plan(mixture, settings, 0);
  EXPECT_EQ(flat(plan).size(), 200u);
  for (int64_t b = 0; b < plan.batches(); ++b)
    if (width(plan.batch(b)[0]) > 4)
      EXPECT_EQ(plan.batch(b).size(), 1u);
}

TEST_F(EpochPlanTest, WeightsRepeatAndSample) {
  Mixture weighted;
  weighted.add(std::move(*small.load()), 1.5);
  weighted.add(std::move(*small.load()), 0.25);
  EXPECT_EQ(weighted.items(), 600);
  std::vector<uint32_t> first = weighted.itemsOf(1, 0);
  EXPECT_EQ(first.size(), 200u + 100 + 50);
  EXPECT_NE(first, weighted.itemsOf(1, 1));
  EXPECT_EQ(first, weighted.itemsOf(1, 0));
  EXPECT_EQ(weighted.where(400), small.folder / "t.txt" + ":1");
}

TEST_F(EpochPlanTest, BatchLayout) {
  BatchLayout layout = small.layout();
  std::vector<uint32_t> items = {1, 0}; // 8 words and 1 word
  TrainBatch batch = makeBatch(mixture, items, 2, layout);
  EXPECT_EQ(batch.pairs, 2);
  EXPECT_EQ(batch.sourceLength, 9);
  EXPECT_EQ(batch.targetLength, 9);
  EXPECT_EQ(batch.labelCount, 9 + 2);
  EXPECT_EQ(batch.sourceTokens, 9 + 2);
  EXPECT_EQ(batch.rowKeys, (std::vector<int64_t>{2 * 200 + 1, 2 * 200}));
  int64_t pad = small.coder->special().pad;
  std::vector<int64_t> second(&batch.targetIds[9], &batch.targetIds[9] + 4);
  EXPECT_EQ(second, (std::vector<int64_t>{1, 4, pad, pad}));
  second.assign(&batch.labels[9], &batch.labels[9] + 4);
  EXPECT_EQ(second, (std::vector<int64_t>{4, 2, -100, -100}));
  second.assign(&batch.sourceIds[9], &batch.sourceIds[9] + 4);
  EXPECT_EQ(second, (std::vector<int64_t>{3, 2, pad, pad}));
}

TEST_F(EpochPlanTest, ValidationIsSorted) {
  auto batches = sortedBatches(mixture, {.tokens = 50});
  size_t count = 0, shortest = 0;
  for (const auto &batch : batches)
    for (uint32_t item : batch) {
      EXPECT_LE(shortest, mixture.target(item).size());
      shortest = mixture.target(item).size();
      ++count;
    }
  EXPECT_EQ(count, 200u);
}

} // namespace
