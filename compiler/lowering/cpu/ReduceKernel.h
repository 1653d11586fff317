//===- ReduceKernel.h - Reductions over axes on the CPU ---------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// linalg.generic and linalg.reduce with reduction loops and one result whose
// body ends in an associative combination with the accumulator. Elements of the
// last reduction loop fall into 16 lanes by their index mod 16, outer reduction
// loops follow each other, and the lanes end in the fixed tree. A tile is the
// schedule's `outputs` elements of the result.
//
// Sums over rows (reducesRows) run in lanes across the columns: each sum is one
// chain over the rows in order, in chunks of 64. A tile is the schedule's
// `columns` neighbouring sums.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_REDUCEKERNEL_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_REDUCEKERNEL_H

#include "compiler/lowering/cpu/PullEvaluator.h"

namespace dragoman {

/// Builds the body of the kernel that `k` has opened.
llvm::LogicalResult lowerReduce(plan::KernelOp kernel, KernelBuilder &k);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_REDUCEKERNEL_H
