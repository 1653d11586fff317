//===- DimMath.h - Integer division with a rounding direction ---*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_ARTIFACT_DIMMATH_H
#define DRAGOMAN_RUNTIME_ARTIFACT_DIMMATH_H

#include <cstdint>

namespace dragoman {

/// The largest integer <= a/b. Undefined for b == 0 and INT64_MIN / -1.
inline int64_t floorDivide(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

/// The smallest integer >= a/b. Undefined for b == 0 and INT64_MIN / -1.
inline int64_t ceilDivide(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient + (a % b != 0 && (a < 0) == (b < 0));
}

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_ARTIFACT_DIMMATH_H
