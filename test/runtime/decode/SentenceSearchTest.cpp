//===- SentenceSearchTest.cpp - The search against pinned results ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/decode/ToyModel.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

using namespace dragoman;
using namespace dragoman::test;
using testing::ElementsAre;

namespace {

const ModelLimits pinnedLimits{6, 0, 64, 64};

/// Settings of the pinned toy: the pad token is forbidden before the softmax,
/// the end token is forced at the tenth token.
GenerationSettings pinnedSettings(int64_t beam, EarlyStopping stop, double p) {
  GenerationSettings settings;
  settings.beam.value = beam;
  settings.nBest.value = std::min<int64_t>(beam, 2);
  settings.earlyStopping.value = stop;
  settings.lengthPenalty.value = p;
  settings.start.value = 5;
  settings.pad.value = 5;
  settings.eos.value = {0};
  settings.forcedEos.value = 0;
  settings.badWords.value = {{5}};
  settings.renormalize.value = true;
  settings.maxLength.value = 11;
  return settings;
}

struct PinnedRow {
  const char *name;
  int64_t beam;
  EarlyStopping stop;
  double lengthPenalty;
  int steps;
  std::vector<int32_t> best;
  double bestScore;
  std::vector<int32_t> second;
  double secondScore;
};

/// Without this a failing row prints as bytes.
void PrintTo(const PinnedRow &row, std::ostream *os) { *os << row.name; }

class PinnedTable : public testing::TestWithParam<PinnedRow> {};

TEST_P(PinnedTable, IdsScoresAndSteps) {
  const PinnedRow &row = GetParam();
  EditRules rules(pinnedSettings(row.beam, row.stop, row.lengthPenalty),
                  pinnedLimits);
  int steps = 0;
  SearchResult result =
      searchAlone(rules, pinnedLimits, {1, 0}, pinnedLogit, &steps);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(steps, row.steps);
  ASSERT_EQ(result.hypotheses.size(), row.second.empty() ? 1u : 2u);
  // The table has six decimals: half a unit of the last one is its own error.
  EXPECT_EQ(result.hypotheses[0].ids, row.best);
  EXPECT_NEAR(result.hypotheses[0].score, row.bestScore, 1e-6 + 5e-7);
  EXPECT_EQ(result.hypotheses[0].finish,
            row.best.size() < 10 ? FinishReason::Eos : FinishReason::Length);
  if (row.second.empty())
    return;
  EXPECT_EQ(result.hypotheses[1].ids, row.second);
  EXPECT_NEAR(result.hypotheses[1].score, row.secondScore, 1e-6 + 5e-7);
}

const std::vector<int32_t> eightIds = {4, 4, 1, 3, 1, 4, 2, 0};

INSTANTIATE_TEST_SUITE_P(
    Hf, PinnedTable,
    testing::Values(PinnedRow{"greedy",
                              1,
                              EarlyStopping::False,
                              1,
                              8,
                              eightIds,
                              -0.533895,
                              {},
                              0},
                    PinnedRow{"false_p1",
                              3,
                              EarlyStopping::False,
                              1,
                              8,
                              eightIds,
                              -0.533895,
                              {4, 4, 1, 3, 4, 3, 1, 0},
                              -0.586736},
                    PinnedRow{"true_p1",
                              3,
                              EarlyStopping::True,
                              1,
                              7,
                              {4, 4, 1, 3, 1, 2, 0},
                              -0.598989,
                              {4, 4, 1, 3, 1, 4, 0},
                              -0.604225},
                    PinnedRow{"never_p1",
                              3,
                              EarlyStopping::Never,
                              1,
                              10,
                              eightIds,
                              -0.533895,
                              {4, 4, 1, 3, 1, 4, 2, 3, 4, 0},
                              -0.576253},
                    PinnedRow{"false_p0",
                              3,
                              EarlyStopping::False,
                              0,
                              8,
                              {4, 4, 3, 0},
                              -3.441468,
                              {4, 4, 1, 3, 1, 2, 0},
                              -4.192924},
                    PinnedRow{"never_p0",
                              3,
                              EarlyStopping::Never,
                              0,
                              8,
                              {4, 4, 3, 0},
                              -3.441468,
                              {4, 4, 1, 3, 1, 2, 0},
                              -4.192924},
                    PinnedRow{"never_p2",
                              3,
                              EarlyStopping::Never,
                              2,
                              10,
                              {4, 4, 1, 3, 1, 4, 2, 3, 4, 0},
                              -0.057625,
                              {4, 4, 1, 3, 4, 3, 3, 2, 4, 0},
                              -0.061908}),
    [](const testing::TestParamInfo<PinnedRow> &info) {
      return info.param.name;
    });

/// Logits that do not depend on anything but the step.
LogitFunction byStep(std::vector<std::vector<double>> rows) {
  return [rows](const std::vector<int32_t> &,
                const std::vector<int32_t> &history, int32_t id) {
    return rows[std::min(history.size(), rows.size()) - 1][size_t(id)];
  };
}

GenerationSettings plainSettings(int64_t beam) {
  GenerationSettings settings;
  settings.beam.value = beam;
  settings.nBest.value = beam;
  settings.start.value = 3;
  settings.pad.value = 3;
  settings.eos.value = {0};
  settings.badWords.value = {{3}};
  settings.renormalize.value = true;
  settings.maxLength.value = 6;
  return settings;
}

const ModelLimits fourIds{4, 0, 64, 64};

// Pad has the largest logit of 5: masked before the softmax, the
// log-probability of the best word is -.55144 for greedy and for a beam that
// renormalises.
TEST(SentenceSearch, PadIsMaskedBeforeTheSoftmax) {
  for (int64_t beam : {1, 2}) {
    GenerationSettings settings = plainSettings(beam);
    settings.maxLength.value = 2;
    EditRules rules(settings, fourIds);
    SearchResult result =
        searchAlone(rules, fourIds, {1, 0}, byStep({{0, 1, 0, 5}}));
    ASSERT_FALSE(result.hypotheses.empty());
    EXPECT_EQ(result.hypotheses[0].ids.front(), 1);
    EXPECT_NEAR(result.hypotheses[0].sum, -0.55144, 1e-5);
  }
  // Without the flag a beam masks after the softmax, as the folder asks.
  GenerationSettings settings = plainSettings(2);
  settings.maxLength.value = 2;
  settings.renormalize.value = false;
  EditRules rules(settings, fourIds);
  SearchResult result =
      searchAlone(rules, fourIds, {1, 0}, byStep({{0, 1, 0, 5}}));
  EXPECT_NEAR(result.hypotheses[0].sum, -4.03130, 1e-5);
}

TEST(SentenceSearch, FirstInputIsTheStartToken) {
  GenerationSettings settings = plainSettings(2);
  EditRules rules(settings, fourIds);
  SentenceSearch search(rules, 5);
  EXPECT_EQ(search.rowCount(), 1u);
  EXPECT_EQ(search.inputId(0), 3);
  EXPECT_EQ(search.position(), 0);
}

// A: 3 words and the end token, sum -4.0. B: 4 words and the end token, -4.4.
TEST(SentenceSearch, LengthCountsTheEndTokenAndNotTheStart) {
  for (double p : {0.0, 1.0}) {
    GenerationSettings settings = plainSettings(2);
    settings.lengthPenalty.value = p;
    settings.maxLength.value = 0;
    settings.maxNewTokens.value = 10;
    EditRules rules(settings, fourIds);
    SentenceSearch search(rules, 10);
    // Word 1 costs -1 three times; then the end token -1 (A), or word 2 at
    // -.4 and the end token at -1 (B).
    auto feed = [&](std::vector<std::vector<std::pair<float, int32_t>>> rows) {
      std::vector<std::vector<float>> values;
      std::vector<std::vector<int32_t>> ids;
      std::vector<RowCandidates> candidates;
      for (const auto &row : rows) {
        values.emplace_back();
        ids.emplace_back();
        for (auto [value, id] : row) {
          values.back().push_back(value);
          ids.back().push_back(id);
        }
      }
      for (size_t i = 0; i < rows.size(); ++i)
        candidates.push_back({values[i], ids[i], 0.0f});
      search.advance(candidates);
    };
    feed({{{-1.0f, 1}}});
    feed({{{-1.0f, 1}}});
    feed({{{-1.0f, 1}}});
    feed({{{-0.4f, 2}, {-1.0f, 0}}});
    feed({{{-1.0f, 0}}});
    ASSERT_TRUE(search.finished());
    SearchResult result = search.takeResult();
    ASSERT_EQ(result.hypotheses.size(), 2u);
    if (p == 0) {
      EXPECT_THAT(result.hypotheses[0].ids, ElementsAre(1, 1, 1, 0));
      EXPECT_FLOAT_EQ(result.hypotheses[0].score, -4.0f);
      EXPECT_FLOAT_EQ(result.hypotheses[1].score, -4.4f);
    } else {
      EXPECT_THAT(result.hypotheses[0].ids, ElementsAre(1, 1, 1, 2, 0));
      EXPECT_FLOAT_EQ(result.hypotheses[0].score, -0.88f);
      EXPECT_FLOAT_EQ(result.hypotheses[1].score, -1.0f);
    }
  }
}

TEST(SentenceSearch, NeverEndingStopsAtTheLimitAndSaysSo) {
  for (int64_t beam : {1, 3}) {
    GenerationSettings settings = plainSettings(beam);
    EditRules rules(settings, fourIds);
    SearchResult result =
        searchAlone(rules, fourIds, {1, 0}, byStep({{-50, 1, 0, 0}}));
    ASSERT_FALSE(result.hypotheses.empty());
    EXPECT_THAT(result.hypotheses[0].ids, ElementsAre(1, 1, 1, 1, 1));
    EXPECT_EQ(result.hypotheses[0].finish, FinishReason::Length);

    settings.forcedEos.value = 0;
    EditRules forced(settings, fourIds);
    result = searchAlone(forced, fourIds, {1, 0}, byStep({{-50, 1, 0, 0}}));
    EXPECT_THAT(result.hypotheses[0].ids, ElementsAre(1, 1, 1, 1, 0));
    EXPECT_EQ(result.hypotheses[0].tokenScores.back(), 0.0f);
    EXPECT_EQ(result.hypotheses[0].finish, FinishReason::Length);
  }
}

TEST(SentenceSearch, EndAtOnceIsAnEmptyHypothesisWithAFiniteScore) {
  for (int64_t beam : {1, 3}) {
    EditRules rules(plainSettings(beam), fourIds);
    SearchResult result =
        searchAlone(rules, fourIds, {1, 0}, byStep({{30, 0, 0, 0}}));
    ASSERT_FALSE(result.hypotheses.empty());
    EXPECT_THAT(result.hypotheses[0].ids, ElementsAre(0));
    EXPECT_TRUE(std::isfinite(result.hypotheses[0].score));
    EXPECT_EQ(result.hypotheses[0].finish, FinishReason::Eos);
  }
}

TEST(SentenceSearch, NotANumberEndsWithAnErrorThatNamesTheStep) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  for (int64_t beam : {1, 3}) {
    EditRules rules(plainSettings(beam), fourIds);
    SearchResult result = searchAlone(rules, fourIds, {1, 0},
                                      byStep({{-9, 1, 0, 0}, {0, nan, 0, 0}}));
    EXPECT_TRUE(result.hypotheses.empty());
    EXPECT_EQ(result.error, "the model's scores are not numbers at step 1");
  }
}

TEST(SentenceSearch, NoFiniteScoreIsAnError) {
  double minus = -std::numeric_limits<double>::infinity();
  EditRules rules(plainSettings(2), fourIds);
  SearchResult result = searchAlone(rules, fourIds, {1, 0},
                                    byStep({{minus, minus, minus, minus}}));
  EXPECT_EQ(result.error, "no token is allowed at step 0");
}

TEST(SentenceSearch, EqualScoresTakeTheLowestId) {
  EditRules rules(plainSettings(1), fourIds);
  SearchResult result = searchAlone(rules, fourIds, {1, 0},
                                    byStep({{-9, 2, 2, 2}, {9, 0, 0, 0}}));
  EXPECT_THAT(result.hypotheses[0].ids, ElementsAre(1, 0));
}

TEST(SentenceSearch, ForcedFirstTokenCostsNothingAndCounts) {
  GenerationSettings settings = plainSettings(2);
  settings.forcedBos.value = 2;
  EditRules rules(settings, fourIds);
  SearchResult result =
      searchAlone(rules, fourIds, {1, 0}, byStep({{0, 1, 0, 5}, {3, 0, 0, 0}}));
  ASSERT_FALSE(result.hypotheses.empty());
  EXPECT_THAT(result.hypotheses[0].ids, ElementsAre(2, 0));
  EXPECT_EQ(result.hypotheses[0].tokenScores[0], 0.0f);
  EXPECT_FLOAT_EQ(result.hypotheses[0].score, result.hypotheses[0].sum / 2);
}

// A vocabulary smaller than the candidates of a step shrinks the beam.
TEST(SentenceSearch, BeamShrinksToTheCandidatesThereAre) {
  GenerationSettings settings = plainSettings(3);
  settings.suppress.value = {2};
  settings.maxLength.value = 3;
  EditRules rules(settings, fourIds);
  SearchResult result =
      searchAlone(rules, fourIds, {1, 0}, byStep({{0, 1, 0, 0}}));
  ASSERT_EQ(result.hypotheses.size(), 3u);
  for (const Hypothesis &hypothesis : result.hypotheses)
    for (int32_t id : hypothesis.ids)
      EXPECT_TRUE(id == 0 || id == 1);
}

} // namespace
