//===- EmbeddingGradKernel.h - Gradient of a table on the CPU -------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// embedding_grad: a tile is a slice of columns of the whole table. It clears
// them and adds the rows of dy in the order of the ids, so that no two threads
// meet in an element and the bits depend on no division of work. dy is pulled.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_EMBEDDINGGRADKERNEL_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_EMBEDDINGGRADKERNEL_H

#include "compiler/lowering/cpu/KernelBuilder.h"
#include "dialects/plan/Plan.h"

namespace dragoman {

/// Builds the body of the kernel that `k` has opened.
llvm::LogicalResult lowerEmbeddingGrad(plan::KernelOp kernel, KernelBuilder &k);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_EMBEDDINGGRADKERNEL_H
