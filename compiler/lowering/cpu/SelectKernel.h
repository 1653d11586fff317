//===- SelectKernel.h - Best candidates of a row on the CPU -----*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// xf.select and xf.top_k; a tile is one row. select reads a row twice: for the
// maximum and the maxima of 128 groups, whose k-th largest is a lower bound of
// the k-th largest element, then for the sum of exponentials and the elements
// above that bound. A row with edits is copied first.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_SELECTKERNEL_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_SELECTKERNEL_H

#include "compiler/lowering/cpu/PullEvaluator.h"

namespace dragoman {

/// Build the body of the kernel that `k` has opened.
llvm::LogicalResult lowerSelect(plan::KernelOp kernel, KernelBuilder &k);
llvm::LogicalResult lowerTopK(plan::KernelOp kernel, KernelBuilder &k);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_SELECTKERNEL_H
