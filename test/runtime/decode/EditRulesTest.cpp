//===- EditRulesTest.cpp - Logit processors as edits ----------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/decode/EditRules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

using namespace dragoman;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

const ModelLimits limits{20, 0, 64, 64};

GenerationSettings baseSettings() {
  GenerationSettings settings;
  settings.start.value = 9;
  settings.eos.value = {0};
  return settings;
}

std::vector<Edit> editsOf(const GenerationSettings &settings,
                          const std::vector<int32_t> &history,
                          const ModelLimits &of = limits) {
  std::vector<Edit> edits;
  EditRules(settings, of).append(history, edits);
  return edits;
}

Edit forbidden(int32_t id) {
  return {id, EditKind::Set, -std::numeric_limits<float>::infinity()};
}

TEST(EditRules, NothingByDefault) {
  EXPECT_THAT(editsOf(baseSettings(), {9, 1, 2}), IsEmpty());
}

TEST(EditRules, RepetitionPenaltyTakesEachIdOnceAndTheStartTokenToo) {
  GenerationSettings settings = baseSettings();
  settings.repetitionPenalty.value = 1.5;
  EXPECT_THAT(editsOf(settings, {9, 2, 1, 2}),
              ElementsAre(Edit{1, EditKind::Penalty, 1.5f},
                          Edit{2, EditKind::Penalty, 1.5f},
                          Edit{9, EditKind::Penalty, 1.5f}));
}

TEST(EditRules, RepeatedNgramForbidsWhatFollowedBefore) {
  GenerationSettings settings = baseSettings();
  settings.noRepeatNgram.value = 2;
  EXPECT_THAT(editsOf(settings, {9, 1, 2, 1, 3, 1}),
              ElementsAre(forbidden(2), forbidden(3)));
  EXPECT_THAT(editsOf(settings, {9}), IsEmpty());
  settings.noRepeatNgram.value = 1;
  EXPECT_THAT(editsOf(settings, {9, 4}),
              ElementsAre(forbidden(9), forbidden(4)));
  settings.noRepeatNgram.value = 3;
  EXPECT_THAT(editsOf(settings, {9, 1, 9, 1}), ElementsAre(forbidden(9)));
}

TEST(EditRules, BadWordsOfOneAndOfSeveralIds) {
  GenerationSettings settings = baseSettings();
  settings.badWords.value = {{7}, {0}, {1, 2, 3}};
  EXPECT_THAT(editsOf(settings, {9, 1}), ElementsAre(forbidden(7)));
  EXPECT_THAT(editsOf(settings, {9, 1, 2}),
              ElementsAre(forbidden(7), forbidden(3)));
}

TEST(EditRules, MinimumLengthForbidsTheEndToken) {
  GenerationSettings settings = baseSettings();
  settings.minLength.value = 3; // the start token counts
  EXPECT_THAT(editsOf(settings, {9, 1}), ElementsAre(forbidden(0)));
  EXPECT_THAT(editsOf(settings, {9, 1, 2}), IsEmpty());
  settings = baseSettings();
  settings.minNewTokens.value = 2;
  EXPECT_THAT(editsOf(settings, {9, 1}), ElementsAre(forbidden(0)));
  EXPECT_THAT(editsOf(settings, {9, 1, 2}), IsEmpty());
}

TEST(EditRules, SuppressedAlwaysAndAtTheBeginning) {
  GenerationSettings settings = baseSettings();
  settings.suppress.value = {4};
  settings.beginSuppress.value = {5};
  EXPECT_THAT(editsOf(settings, {9}), ElementsAre(forbidden(4), forbidden(5)));
  EXPECT_THAT(editsOf(settings, {9, 1}), ElementsAre(forbidden(4)));
  settings.forcedBos.value = 8;
  EXPECT_THAT(editsOf(settings, {9, 8}),
              ElementsAre(forbidden(4), forbidden(5)));
}

TEST(EditRules, ColumnsWithoutATokenAreForbidden) {
  ModelLimits padded = limits;
  padded.tokens = 18;
  EXPECT_THAT(editsOf(baseSettings(), {9}, padded),
              ElementsAre(forbidden(18), forbidden(19)));
}

TEST(EditRules, ForcedTokens) {
  GenerationSettings settings = baseSettings();
  EXPECT_FALSE(EditRules(settings, limits).forced(0, 4));
  settings.forcedBos.value = 8;
  settings.forcedEos.value = 0;
  EditRules rules(settings, limits);
  EXPECT_EQ(rules.forced(0, 4)->id, 8);
  EXPECT_FALSE(rules.forced(0, 4)->byLimit);
  EXPECT_FALSE(rules.forced(1, 4));
  EXPECT_EQ(rules.forced(3, 4)->id, 0);
  EXPECT_TRUE(rules.forced(3, 4)->byLimit);
}

} // namespace
