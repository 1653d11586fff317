//===- AttentionSchedule.cpp - How attention divides into tiles -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/Schedule.h"

#include "dialects/xf/Xf.h"

using namespace dragoman;

// One tile per batch row and query head.
llvm::FailureOr<KernelSchedule>
dragoman::scheduleAttention(plan::KernelOp kernel, mlir::Operation *root,
                            const TargetInfo &) {
  auto attention = llvm::cast<xf::AttentionOp>(root);
  return KernelSchedule{makeSchedule(kernel, {}),
                        axisSize(attention.getLse(), 0) *
                            DimExpr(attention.queryHeads())};
}
