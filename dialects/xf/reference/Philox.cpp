//===- Philox.cpp - The random draws of dropout ---------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/Philox.h"

#include <cmath>

using namespace dragoman;

std::array<uint32_t, 4> xf::philox4x32(std::array<uint32_t, 4> counter,
                                       std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t first = uint64_t{0xD2511F53} * counter[0];
    uint64_t second = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(second >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(second),
               static_cast<uint32_t>(first >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

xf::DropoutDraws::DropoutDraws(int64_t seed, int64_t site, double p)
    : key{static_cast<uint32_t>(seed) ^
              static_cast<uint32_t>(static_cast<uint64_t>(seed) >> 32),
          static_cast<uint32_t>(site)},
      threshold(std::fmin(std::ceil(std::ldexp(p, 32)), 4294967295.0)),
      factor(1 / (1 - p)) {}

bool xf::DropoutDraws::keep(int64_t rowKey, int64_t second,
                            int64_t last) const {
  auto words =
      philox4x32({static_cast<uint32_t>(last / 4),
                  static_cast<uint32_t>(second), static_cast<uint32_t>(rowKey),
                  static_cast<uint32_t>(static_cast<uint64_t>(rowKey) >> 32)},
                 key);
  return words[last % 4] >= threshold;
}
