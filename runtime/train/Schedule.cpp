//===- Schedule.cpp - Learning rates --------------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace dragoman;

double Schedule::at(int64_t update, int64_t halvings) const {
  double k = static_cast<double>(update), w = static_cast<double>(warmup);
  if (kind == ScheduleKind::Noam) {
    double decay = 1 / std::sqrt(k);
    double ramp = warmup > 0 ? k * std::pow(w, -1.5) : decay;
    return rate / std::sqrt(static_cast<double>(width)) * std::min(decay, ramp);
  }
  double peak = kind == ScheduleKind::Plateau
                    ? rate * std::pow(factor, static_cast<double>(halvings))
                    : rate;
  if (update < warmup)
    return initial + (peak - initial) * k / w;
  // The part of the way from the end of the ramp to the end of the run.
  double part =
      total > warmup
          ? std::min((k - w) / static_cast<double>(total - warmup), 1.0)
          : 1.0;
  switch (kind) {
  case ScheduleKind::InverseSqrt:
    return rate * std::sqrt(std::max(w, 1.0) / k);
  case ScheduleKind::Linear:
    return rate + (final - rate) * part;
  case ScheduleKind::Cosine:
    return final +
           (rate - final) * 0.5 * (1 + std::cos(std::numbers::pi * part));
  case ScheduleKind::Plateau:
    return peak;
  case ScheduleKind::Constant:
  case ScheduleKind::Noam:
    return rate;
  }
  return rate;
}

double dragoman::averageWeight(double tau, int64_t update) {
  return std::max(tau, 9.0 / (static_cast<double>(update) + 10.0));
}
