//===- ReduceSchedule.cpp - How a reduction divides into tiles -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/Schedule.h"

#include "mlir/IR/Operation.h"

using namespace dragoman;

// A tile is `outputs` output elements: a sum is one fixed order, never divided.
llvm::FailureOr<KernelSchedule> dragoman::scheduleReduce(plan::KernelOp kernel,
                                                         mlir::Operation *root,
                                                         const TargetInfo &) {
  constexpr int64_t outputs = 16;
  DimExpr elements = rowCount(root->getResult(0), /*inner=*/0);
  return KernelSchedule{makeSchedule(kernel, {{"outputs", outputs}}),
                        DimExpr::ceilDiv(elements, outputs)};
}
