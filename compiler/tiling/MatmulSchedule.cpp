//===- MatmulSchedule.cpp - How matmul divides into tiles -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/Schedule.h"

#include "dialects/xf/Xf.h"

using namespace dragoman;

// One tile per batch: operands are activations, packed inside the tile.
llvm::FailureOr<KernelSchedule> dragoman::scheduleMatmul(plan::KernelOp kernel,
                                                         mlir::Operation *root,
                                                         const TargetInfo &) {
  auto matmul = llvm::cast<xf::MatmulOp>(root);
  return KernelSchedule{makeSchedule(kernel, {}),
                        rowCount(matmul.getC(), /*inner=*/2)};
}
