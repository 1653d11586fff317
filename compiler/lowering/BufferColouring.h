//===- BufferColouring.h - Values of disjoint lifetime share bytes --------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes are expressions, so "largest first" is decided at one typical point of
// the dimensions; the buffers are right for every point, since a buffer's size
// is the maximum over its values. A value may also lie behind another one of a
// larger buffer where it provably fits: so the queries, keys and values of an
// attention and the residual beside them lie in the bytes of the feed-forward
// layer's middle.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_BUFFERCOLOURING_H
#define DRAGOMAN_COMPILER_LOWERING_BUFFERCOLOURING_H

#include "runtime/artifact/DimExpr.h"

#include <cstddef>
#include <vector>

namespace dragoman {

/// A value that needs memory from command `first` to command `last`, both
/// included.
struct LiveValue {
  DimExpr bytes;
  size_t first = 0, last = 0;
};

struct BufferPlan {
  std::vector<DimExpr> offsets; ///< one per value, multiples of 64
  DimExpr bytes;                ///< of the whole arena
};

/// Gives every value an offset such that values whose lifetimes meet do not
/// overlap. The same input gives the same plan.
BufferPlan colourBuffers(const std::vector<LiveValue> &values);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_BUFFERCOLOURING_H
