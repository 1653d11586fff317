//===- Shuffle.h - Orders that follow from a key ----------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TRAIN_SHUFFLE_H
#define DRAGOMAN_RUNTIME_TRAIN_SHUFFLE_H

#include <cstdint>
#include <utility>
#include <vector>

namespace dragoman {

/// A stream of 64-bit numbers that follows from a few key words alone: the same
/// on every machine, and no state to save.
class KeyedNumbers {
public:
  KeyedNumbers(uint64_t seed, uint64_t first, uint64_t second)
      : state(mix(mix(mix(seed) ^ first) ^ second)) {}

  uint64_t next() {
    state += step;
    return mix(state);
  }
  /// A number in [0, bound).
  uint64_t below(uint64_t bound) {
    return static_cast<uint64_t>(static_cast<Wide>(next()) * bound >> 64);
  }

private:
  __extension__ using Wide = unsigned __int128;
  static constexpr uint64_t step = 0x9E3779B97F4A7C15;
  /// The finaliser of SplitMix64.
  static uint64_t mix(uint64_t x) {
    x += step;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
  }
  uint64_t state;
};

/// Puts `values` into an order that follows from the numbers.
template <typename T>
void shuffle(std::vector<T> &values, KeyedNumbers numbers) {
  for (size_t i = values.size(); i > 1; --i)
    std::swap(values[i - 1], values[numbers.below(i)]);
}

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TRAIN_SHUFFLE_H
