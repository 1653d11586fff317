//===- NormalWeights.h - The values of #plan.normal -------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one definition of a `#plan.normal<seed, stddev>` weight, shared by the
// interpreter and the writer of weights. Element i is a function of (seed, i):
// Box-Muller over two uniform draws of the element's pair, so the values depend
// on neither order nor threads.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_PLAN_NORMALWEIGHTS_H
#define DRAGOMAN_DIALECTS_PLAN_NORMALWEIGHTS_H

#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

namespace dragoman::plan {

/// The SplitMix64 output for counter `i` of stream `seed`.
inline uint64_t splitMix(uint64_t seed, uint64_t i) {
  uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// A uniform draw in [0, 1) with 53 random bits.
inline double uniformDraw(uint64_t seed, uint64_t i) {
  return static_cast<double>(splitMix(seed, i) >> 11) * 0x1p-53;
}

/// Elements `first` (even) and `first` + 1 of #plan.normal<seed, stddev>: the
/// cosine and the sine of their pair.
inline std::pair<double, double> normalPair(uint64_t seed, double stddev,
                                            uint64_t first) {
  double radius = std::sqrt(-2.0 * std::log(1.0 - uniformDraw(seed, first)));
  double angle = 2.0 * std::numbers::pi * uniformDraw(seed, first + 1);
  return {stddev * radius * std::cos(angle), stddev * radius * std::sin(angle)};
}

/// Element `i` of #plan.normal<seed, stddev>, before rounding to the weight's
/// type.
inline double normalDraw(uint64_t seed, double stddev, uint64_t i) {
  auto [even, odd] = normalPair(seed, stddev, i & ~uint64_t(1));
  return (i & 1) ? odd : even;
}

} // namespace dragoman::plan

#endif // DRAGOMAN_DIALECTS_PLAN_NORMALWEIGHTS_H
