//===- SelectSchedule.cpp - How select divides into tiles -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/Schedule.h"
#include "compiler/tiling/SelectScratch.h"

#include "dialects/xf/Xf.h"

using namespace dragoman;

// One tile per row of logits.
llvm::FailureOr<KernelSchedule> dragoman::scheduleSelect(plan::KernelOp kernel,
                                                         mlir::Operation *root,
                                                         const TargetInfo &) {
  auto select = llvm::cast<xf::SelectOp>(root);
  int64_t vocabulary =
      llvm::cast<mlir::RankedTensorType>(select.getLogits().getType())
          .getDimSize(1);
  return KernelSchedule{makeSchedule(kernel, {}),
                        axisSize(select.getLogits(), 0),
                        SelectScratch(vocabulary).bytes};
}
