//===- ScheduleTest.cpp - Learning rates ----------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Schedule.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace dragoman;

static void expectNear(double found, double expected) {
  EXPECT_NEAR(found, expected, 1e-6 * expected);
}

TEST(Schedule, NoamOfTheBaseModel) {
  Schedule noam{.kind = ScheduleKind::Noam, .rate = 1, .warmup = 4000};
  expectNear(noam.at(1), 1.746928e-7);
  expectNear(noam.at(4000), 6.987712e-4);
  expectNear(noam.at(16000), 3.493856e-4);
}

TEST(Schedule, InverseSquareRoot) {
  Schedule schedule{
      .kind = ScheduleKind::InverseSqrt, .rate = .005, .warmup = 2000};
  expectNear(schedule.at(1), 2.5e-6);
  expectNear(schedule.at(1000), .0025);
  expectNear(schedule.at(2000), .005);
  expectNear(schedule.at(8000), .0025);
}

TEST(Schedule, NoamIsInverseSquareRootOfAnotherRate) {
  Schedule noam{.kind = ScheduleKind::Noam, .rate = 2, .warmup = 100};
  Schedule other{.kind = ScheduleKind::InverseSqrt,
                 .rate = 2 / std::sqrt(512.0 * 100),
                 .warmup = 100};
  for (int64_t k : {1, 50, 99, 100, 101, 1000})
    expectNear(noam.at(k), other.at(k));
}

TEST(Schedule, RampFromAnInitialRate) {
  Schedule schedule{
      .kind = ScheduleKind::Constant, .rate = 1, .initial = 0.5, .warmup = 10};
  expectNear(schedule.at(5), 0.75);
  expectNear(schedule.at(10), 1);
  expectNear(schedule.at(1000), 1);
}

TEST(Schedule, LinearAndCosineReachTheFinalRate) {
  for (ScheduleKind kind : {ScheduleKind::Linear, ScheduleKind::Cosine}) {
    Schedule schedule{
        .kind = kind, .rate = 1, .final = 0.1, .warmup = 10, .total = 110};
    expectNear(schedule.at(10), 1);
    expectNear(schedule.at(60), 0.55);
    expectNear(schedule.at(110), 0.1);
    expectNear(schedule.at(500), 0.1);
  }
}

TEST(Schedule, PlateauHalves) {
  Schedule schedule{.kind = ScheduleKind::Plateau, .rate = 1, .warmup = 4};
  expectNear(schedule.at(2), 0.5);
  expectNear(schedule.at(100), 1);
  expectNear(schedule.at(100, 3), 0.125);
}

TEST(Schedule, WeightOfTheAverage) {
  expectNear(averageWeight(1e-4, 1), 9.0 / 11);
  expectNear(averageWeight(1e-4, 90), 0.09);
  expectNear(averageWeight(1e-4, 10000000), 1e-4);
}
