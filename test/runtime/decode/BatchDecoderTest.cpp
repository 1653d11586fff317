//===- BatchDecoderTest.cpp - Sentences in a batch as alone ---------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/decode/BatchDecoder.h"
#include "test/runtime/decode/ToyModel.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

using namespace dragoman;
using namespace dragoman::test;
using testing::HasSubstr;

namespace {

const ModelLimits limits{11, 10, 64, 64};

GenerationSettings settingsOf(int64_t beam) {
  GenerationSettings settings;
  settings.beam.value = beam;
  settings.nBest.value = beam;
  settings.start.value = 9;
  settings.pad.value = 9;
  settings.eos.value = {0};
  settings.badWords.value = {{9}};
  settings.renormalize.value = true;
  settings.forcedEos.value = 0;
  settings.maxLength.value = 14;
  return settings;
}

std::vector<SourceIds> randomSources(unsigned seed, size_t count,
                                     size_t longest) {
  std::mt19937 random(seed);
  std::vector<SourceIds> sources;
  for (size_t i = 0; i < count; ++i) {
    SourceIds ids(random() % longest);
    for (int32_t &id : ids)
      id = int32_t(1 + random() % 7);
    ids.push_back(0);
    sources.push_back(std::move(ids));
  }
  return sources;
}

std::vector<SearchResult> runAll(ToyModel &model, const EditRules &rules,
                                 const BatchOptions &options,
                                 const std::vector<SourceIds> &sources,
                                 BatchStatistics *statistics = nullptr) {
  BatchDecoder decoder(model, rules, options);
  std::vector<SearchResult> results(sources.size());
  std::vector<int> calls(sources.size());
  Status status = decoder.run(sources, [&](size_t i, SearchResult result) {
    results[i] = std::move(result);
    ++calls[i];
  });
  EXPECT_TRUE(status.isOk()) << status.toString();
  EXPECT_TRUE(std::all_of(calls.begin(), calls.end(), [](int n) {
    return n == 1;
  })) << "one result per sentence";
  if (statistics)
    *statistics = decoder.statistics();
  return results;
}

void expectSame(const SearchResult &a, const SearchResult &b) {
  EXPECT_EQ(a.error, b.error);
  ASSERT_EQ(a.hypotheses.size(), b.hypotheses.size());
  for (size_t i = 0; i < a.hypotheses.size(); ++i) {
    EXPECT_EQ(a.hypotheses[i].ids, b.hypotheses[i].ids);
    EXPECT_EQ(a.hypotheses[i].score, b.hypotheses[i].score);
    EXPECT_EQ(a.hypotheses[i].sum, b.hypotheses[i].sum);
    EXPECT_EQ(a.hypotheses[i].tokenScores, b.hypotheses[i].tokenScores);
    EXPECT_EQ(a.hypotheses[i].finish, b.hypotheses[i].finish);
  }
}

// Every batch option, every beam, all stop rules: the results of a search that
// knows no batch and no cache.
TEST(BatchDecoder, ABatchIsEachSentenceAlone) {
  const BatchOptions shapes[] = {
      {.batchTokens = 1},
      {.batchTokens = 40, .maxRows = 8},
      {.batchTokens = 4096, .maxRows = 256, .encodeTokens = 7},
      {.batchTokens = 300, .maxRows = 32, .extraPadding = 13},
  };
  for (uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    GenerationSettings settings = settingsOf(1 + int64_t(seed % 4));
    settings.earlyStopping.value = EarlyStopping(seed % 3);
    settings.repetitionPenalty.value = seed % 2 ? 1.2 : 1.0;
    settings.noRepeatNgram.value = seed % 5 == 0 ? 2 : 0;
    EditRules rules(settings, limits);
    std::vector<SourceIds> sources = randomSources(unsigned(seed), 23, 12);
    std::vector<SearchResult> alone;
    for (const SourceIds &source : sources)
      alone.push_back(searchAlone(rules, limits, source, randomLogits(seed)));
    for (const BatchOptions &options : shapes) {
      ToyModel model(limits, randomLogits(seed));
      std::vector<SearchResult> batched =
          runAll(model, rules, options, sources);
      for (size_t i = 0; i < sources.size(); ++i)
        expectSame(batched[i], alone[i]);
    }
  }
}

TEST(BatchDecoder, RowsTimesLongestSourceStaysWithinTheBudget) {
  EditRules rules(settingsOf(2), limits);
  std::vector<SourceIds> sources(30, SourceIds{1, 2, 3, 4, 0});
  ToyModel model(limits, randomLogits(1));
  BatchStatistics statistics;
  runAll(model, rules, {.batchTokens = 40}, sources, &statistics);
  EXPECT_EQ(model.widestDecode, 8); // 8 rows x 5 tokens
  EXPECT_EQ(model.shape.rows, 8);
  EXPECT_EQ(statistics.sourceTokens, 150);
  EXPECT_EQ(statistics.restarted, 0);
  EXPECT_GT(statistics.decodeRows, statistics.decodeSteps);
}

// A finished sentence's place goes to a waiting one before the others end.
TEST(BatchDecoder, WaitingSentencesTakeFreePlaces) {
  EditRules rules(settingsOf(1), limits);
  // The length of a result is the first id of its source.
  LogitFunction byFirstId = [](const std::vector<int32_t> &source,
                               const std::vector<int32_t> &history,
                               int32_t id) {
    bool ends = int32_t(history.size()) > source[0];
    return id == (ends ? 0 : 1) ? 5.0 : 0.0;
  };
  std::vector<SourceIds> sources = {{7, 0}, {1, 0}, {1, 0},
                                    {1, 0}, {1, 0}, {1, 0}};
  ToyModel model(limits, byFirstId);
  BatchStatistics statistics;
  runAll(model, rules, {.batchTokens = 4}, sources, &statistics);
  EXPECT_EQ(model.widestDecode, 2);
  // Without refill: 8 steps for the first pair, 2 for each of the others.
  EXPECT_EQ(statistics.decodeSteps, 10);
}

TEST(BatchDecoder, ASentenceThatOutgrowsItsCacheRunsAgainAlone) {
  GenerationSettings settings = settingsOf(2);
  settings.maxLength.value = 60;
  EditRules rules(settings, limits);
  LogitFunction endless = [](const std::vector<int32_t> &source,
                             const std::vector<int32_t> &history, int32_t id) {
    bool ends = source[0] == 1 && history.size() > 3;
    return id == (ends ? 0 : 2) ? 9.0 : double(id) / 10;
  };
  std::vector<SourceIds> sources = {{1, 0}, {2, 0}, {1, 3, 0}};
  ToyModel model(limits, endless);
  BatchStatistics statistics;
  std::vector<SearchResult> results =
      runAll(model, rules, {}, sources, &statistics);
  EXPECT_EQ(statistics.restarted, 1);
  for (size_t i = 0; i < sources.size(); ++i)
    expectSame(results[i], searchAlone(rules, limits, sources[i], endless));
}

TEST(BatchDecoder, ABadSentenceDoesNotHarmItsNeighbours) {
  EditRules rules(settingsOf(3), limits);
  std::vector<SourceIds> sources = randomSources(5, 9, 6);
  sources[4] = {1, 8, 0};
  ToyModel model(limits, randomLogits(5));
  model.poison = 8;
  std::vector<SearchResult> results = runAll(model, rules, {}, sources);
  for (size_t i = 0; i < sources.size(); ++i) {
    if (i == 4) {
      EXPECT_EQ(results[i].error, "poisoned source");
      continue;
    }
    expectSame(results[i],
               searchAlone(rules, limits, sources[i], randomLogits(5)));
  }
}

TEST(BatchDecoder, NotANumberInOneSentenceLeavesTheOthers) {
  EditRules rules(settingsOf(2), limits);
  LogitFunction base = randomLogits(8);
  LogitFunction sometimes = [base](const std::vector<int32_t> &source,
                                   const std::vector<int32_t> &history,
                                   int32_t id) {
    if (source[0] == 8 && history.size() == 2)
      return std::numeric_limits<double>::quiet_NaN();
    return base(source, history, id);
  };
  std::vector<SourceIds> sources = {{1, 2, 0}, {8, 2, 0}, {3, 0}};
  ToyModel model(limits, sometimes);
  std::vector<SearchResult> results = runAll(model, rules, {}, sources);
  EXPECT_THAT(results[1].error, HasSubstr("step 1"));
  expectSame(results[0], searchAlone(rules, limits, sources[0], base));
  expectSame(results[2], searchAlone(rules, limits, sources[2], base));
}

TEST(BatchDecoder, TheMemoryLimitNarrowsTheBatchAndRefusesByLine) {
  EditRules rules(settingsOf(2), limits);
  // The toy's formula: rows x 16 cells x 8 bytes, and its encoder tokens.
  std::vector<SourceIds> sources(12, SourceIds{1, 2, 0});
  ToyModel model(limits, randomLogits(2));
  BatchStatistics statistics;
  runAll(model, rules, {.memoryLimit = 6 * 128 + 9}, sources, &statistics);
  EXPECT_EQ(model.widestDecode, 6);
  EXPECT_EQ(statistics.plannedPeak, 6 * 128 + 9);

  // One byte less: two sentences at once.
  ToyModel narrower(limits, randomLogits(2));
  runAll(narrower, rules, {.memoryLimit = 6 * 128 + 8}, sources, &statistics);
  EXPECT_EQ(narrower.widestDecode, 4);

  std::vector<SourceIds> mixed = {{1, 0}, SourceIds(40, 1), {2, 0}};
  ToyModel tight(limits, randomLogits(2));
  std::vector<SearchResult> results =
      runAll(tight, rules, {.memoryLimit = 2 * 128 + 3}, mixed);
  EXPECT_EQ(results[1].error,
            "needs 296 bytes alone (40 tokens), the limit is 259");
  EXPECT_EQ(results[0].error, "");
  EXPECT_EQ(results[2].error, "");
}

TEST(BatchDecoder, CancelStopsTheJob) {
  EditRules rules(settingsOf(1), limits);
  ToyModel model(limits, randomLogits(1));
  BatchDecoder decoder(model, rules, {});
  std::atomic<bool> cancel = true;
  std::vector<SourceIds> sources = {{1, 0}};
  Status status =
      decoder.run(sources, [](size_t, SearchResult) { FAIL(); }, &cancel);
  EXPECT_EQ(status.code(), StatusCode::Cancelled);
}

} // namespace
