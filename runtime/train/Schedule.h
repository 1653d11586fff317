//===- Schedule.h - Learning rates ------------------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TRAIN_SCHEDULE_H
#define DRAGOMAN_RUNTIME_TRAIN_SCHEDULE_H

#include <cstdint>

namespace dragoman {

enum class ScheduleKind {
  Constant,
  Noam,
  InverseSqrt,
  Linear,
  Cosine,
  Plateau
};

/// The rate of update k = 1, 2, ... All but noam ramp up linearly over `warmup`
/// updates from `initial`:
///   noam          rate * width^-1/2 * min(k^-1/2, k * warmup^-3/2)
///   inverse_sqrt  rate * (warmup / k)^1/2 behind the ramp
///   linear        from rate at the end of the ramp to `final` at `total`
///   cosine        the same along half a cosine
///   plateau       rate * factor^halvings
struct Schedule {
  ScheduleKind kind = ScheduleKind::Constant;
  double rate = 1e-3;
  double initial = 0;
  double final = 0;
  int64_t warmup = 0;
  int64_t total = 0;   ///< updates of the run, for linear and cosine
  int64_t width = 512; ///< the model's channels, for noam
  double factor = 0.5; ///< plateau

  /// `halvings` counts how often a plateau was found.
  double at(int64_t update, int64_t halvings = 0) const;
};

/// The weight of the parameters in their moving average after update k: larger
/// than `tau` in the beginning, so that the first values fade quickly.
double averageWeight(double tau, int64_t update);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TRAIN_SCHEDULE_H
