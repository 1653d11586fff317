//===- CheckSchedule.cpp - How a check divides into tiles -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/Schedule.h"

using namespace dragoman;

// One tile: conditions are small.
llvm::FailureOr<KernelSchedule> dragoman::scheduleCheck(plan::KernelOp kernel,
                                                        mlir::Operation *,
                                                        const TargetInfo &) {
  return KernelSchedule{makeSchedule(kernel, {}), DimExpr(1)};
}
