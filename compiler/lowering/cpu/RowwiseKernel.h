//===- RowwiseKernel.h - Norms and softmax on the CPU -----------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// layer_norm, rms_norm, softmax and log_softmax. The row is pulled once
// (PullEvaluator.h), so residual sums and the like in front cost no pass of
// their own, and parked in the result's memory between the passes. Sums run in
// 16 lanes (element index mod 16) and end in the fixed tree, so a row's bits
// depend on the row alone. A tile is the
// schedule's `rows` rows.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_ROWWISEKERNEL_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_ROWWISEKERNEL_H

#include "compiler/lowering/cpu/PullEvaluator.h"

namespace dragoman {

/// Builds the body of the kernel that `k` has opened.
llvm::LogicalResult lowerRowwise(plan::KernelOp kernel, KernelBuilder &k);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_ROWWISEKERNEL_H
