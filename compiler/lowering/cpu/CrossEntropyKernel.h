//===- CrossEntropyKernel.h - Losses on the CPU --------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_CROSSENTROPYKERNEL_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_CROSSENTROPYKERNEL_H

#include "compiler/lowering/cpu/KernelBuilder.h"
#include "dialects/plan/Plan.h"

namespace dragoman {

/// The losses of rows of logits and their gradient (xf.cross_entropy_grad);
/// work for results that are not yielded is left out.
llvm::LogicalResult lowerCrossEntropy(plan::KernelOp kernel, KernelBuilder &k);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_CROSSENTROPYKERNEL_H
