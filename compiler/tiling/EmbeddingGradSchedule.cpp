//===- EmbeddingGradSchedule.cpp - How a table's gradient divides into tiles
//---===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/Schedule.h"

#include <algorithm>

using namespace dragoman;

// A tile is `columns` columns of the whole table: about eight tiles, of a width
// between two and eight vectors.
llvm::FailureOr<KernelSchedule>
dragoman::scheduleEmbeddingGrad(plan::KernelOp kernel, mlir::Operation *root,
                                const TargetInfo &) {
  DimExpr width = axisSize(root->getResult(0), 1);
  int64_t eighth = (width.constant().value_or(0) + 7) / 8;
  int64_t columns = std::clamp<int64_t>((eighth + 15) / 16 * 16, 32, 128);
  return KernelSchedule{makeSchedule(kernel, {{"columns", columns}}),
                        DimExpr::ceilDiv(width, columns)};
}
