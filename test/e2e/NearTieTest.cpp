//===- NearTieTest.cpp - Where a search lost a result ---------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/e2e/NearTie.h"
#include "test/runtime/decode/ToyModel.h"

#include <gtest/gtest.h>

using namespace dragoman;
using namespace dragoman::test;

namespace {

const ModelLimits limits{4, 0, 16, 16};

/// First step: word 1 at 1, word 2 at 1 + 1e-5, word 3 at 0.5; then the end.
double nearlyEqual(const std::vector<int32_t> &,
                   const std::vector<int32_t> &history, int32_t id) {
  constexpr double first[] = {-50, 1, 1.00001, 0.5};
  return history.size() == 1 ? first[id] : id == 0 ? 9.0 : 0.0;
}

Difference explain(int64_t beam, const std::vector<int32_t> &reference) {
  GenerationSettings settings;
  settings.beam.value = beam;
  settings.start.value = 3;
  settings.eos.value = {0};
  settings.maxLength.value = 5;
  EditRules rules(settings, limits);
  ToyModel model(limits, nearlyEqual);
  Result<Difference> difference =
      explainDifference(model, rules, {1, 0}, reference);
  EXPECT_TRUE(difference.isOk()) << difference.status().toString();
  return difference ? *difference : Difference();
}

TEST(NearTie, ATieOfTwoCandidates) {
  Difference difference = explain(1, {1, 0});
  EXPECT_EQ(difference.step, 0);
  EXPECT_NEAR(difference.gap, 1e-5, 1e-6);
  EXPECT_EQ(difference.reason, "its continuation by 1 was not kept");
}

TEST(NearTie, ACandidateThatWasFarBehind) {
  Difference difference = explain(1, {3, 0});
  EXPECT_EQ(difference.step, 0);
  EXPECT_NEAR(difference.gap, 0.50001, 1e-5);
  difference = explain(2, {3, 0});
  EXPECT_EQ(difference.step, 0);
  EXPECT_NEAR(difference.gap, 0.5, 1e-5);
}

TEST(NearTie, ATieOfFinishedScores) {
  Difference difference = explain(2, {1, 0});
  EXPECT_EQ(difference.step, 2);
  EXPECT_NEAR(difference.gap, 0.5e-5, 1e-6);
  EXPECT_EQ(difference.reason, "another hypothesis scored higher");
}

} // namespace
