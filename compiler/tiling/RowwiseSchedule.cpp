//===- RowwiseSchedule.cpp - How norms and softmax divide into tiles -*- C++
//-*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/Schedule.h"

#include "mlir/IR/Operation.h"

using namespace dragoman;

// A tile is a block of rows.
llvm::FailureOr<KernelSchedule> dragoman::scheduleRowwise(plan::KernelOp kernel,
                                                          mlir::Operation *root,
                                                          const TargetInfo &) {
  static constexpr int64_t rows = 16;
  return KernelSchedule{
      makeSchedule(kernel, {{"rows", rows}}),
      DimExpr::ceilDiv(rowCount(root->getResult(0)), DimExpr(rows))};
}
