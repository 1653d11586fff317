//===- WeightLayout.cpp - Stored shapes of weights ------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/Manifest.h"

namespace dragoman {

Result<std::vector<int64_t>> storedShape(const WeightDesc &weight) {
  if (weight.layout == "rows")
    return weight.shape;
  if (weight.layout != "panel16")
    return Status(StatusCode::InvalidData,
                  "expected layout rows or panel16, "
                  "found '" +
                      weight.layout + "'",
                  "weight '" + weight.name + "'");
  if (weight.shape.size() != 2)
    return Status(StatusCode::InvalidData,
                  "expected rank 2 with layout panel16, found rank " +
                      std::to_string(weight.shape.size()),
                  "weight '" + weight.name + "'");
  constexpr int64_t panel = 16;
  const int64_t columns = weight.shape[0];
  const int64_t panels = columns / panel + (columns % panel != 0);
  return std::vector<int64_t>{panels, weight.shape[1], panel};
}

Result<uint64_t> storedBytes(const WeightDesc &weight) {
  Result<std::vector<int64_t>> shape = storedShape(weight);
  if (!shape)
    return shape.status();
  int64_t bytes = elementSize(weight.type);
  for (int64_t extent : *shape) {
    if (extent < 0)
      return Status(StatusCode::InvalidData,
                    "expected extents >= 0, found " + std::to_string(extent),
                    "weight '" + weight.name + "'");
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      return Status(StatusCode::InvalidData,
                    "expected a size below 2^63 bytes, found a shape beyond it",
                    "weight '" + weight.name + "'");
  }
  return static_cast<uint64_t>(bytes);
}

} // namespace dragoman
