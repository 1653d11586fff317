//===- OptimizerSchedule.cpp - Tiles of an optimiser's update ------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/Schedule.h"

using namespace dragoman;

// A tile is `elements` elements: what it reads and writes fits the second-level
// cache, and the launch is long enough to hide its start.
llvm::FailureOr<KernelSchedule>
dragoman::scheduleOptimizer(plan::KernelOp kernel, mlir::Operation *root,
                            const TargetInfo &target) {
  int64_t elements = target.elementBlock;
  DimExpr all = rowCount(root->getOperand(0), /*inner=*/0);
  return KernelSchedule{makeSchedule(kernel, {{"elements", elements}}),
                        DimExpr::ceilDiv(all, DimExpr(elements))};
}
