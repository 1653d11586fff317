//===- ElementwiseKernel.h - Kernels without a root on the CPU --*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise, movement and embedding clusters: results are walked as
// compiler/tiling/ElementGroups.h says, and their elements are pulled
// (PullEvaluator.h). The schedule's `elements` is the size of a tile.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_ELEMENTWISEKERNEL_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_ELEMENTWISEKERNEL_H

#include "compiler/lowering/cpu/PullEvaluator.h"

namespace dragoman {

/// Builds the body of the kernel that `k` has opened.
llvm::LogicalResult lowerElementwise(plan::KernelOp kernel, KernelBuilder &k);

/// Calls `body(column, mask)` for 16 columns at a time from `from` to `to`; the
/// last call has a mask if columns are left over. `from` is a multiple of 16.
void forColumns(KernelBuilder &k, mlir::Value from, mlir::Value to,
                llvm::function_ref<void(mlir::Value, mlir::Value)> body);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_ELEMENTWISEKERNEL_H
