//===- TopKSchedule.cpp - How top_k divides into tiles -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/Schedule.h"

#include "mlir/IR/Operation.h"

using namespace dragoman;

// One tile per row.
llvm::FailureOr<KernelSchedule> dragoman::scheduleTopK(plan::KernelOp kernel,
                                                       mlir::Operation *root,
                                                       const TargetInfo &) {
  return KernelSchedule{makeSchedule(kernel, {}), rowCount(root->getOperand(0)),
                        /*scratchBytes=*/64};
}
