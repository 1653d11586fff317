//===- CacheAppendSchedule.cpp - How a cache update divides into tiles ----===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/Schedule.h"

#include "dialects/xf/Xf.h"

using namespace dragoman;

// One tile per fresh row and head.
llvm::FailureOr<KernelSchedule>
dragoman::scheduleCacheAppend(plan::KernelOp kernel, mlir::Operation *root,
                              const TargetInfo &) {
  auto append = llvm::cast<xf::CacheAppendOp>(root);
  return KernelSchedule{makeSchedule(kernel, {}),
                        axisSize(append.getFresh(), 0) *
                            axisSize(append.getCache(), 1)};
}
