//===- OptimizerKernel.h - Optimisers on the CPU -------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_OPTIMIZERKERNEL_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_OPTIMIZERKERNEL_H

#include "compiler/lowering/cpu/KernelBuilder.h"
#include "dialects/plan/Plan.h"

namespace dragoman {

/// The update of an optimiser: adam, sgd, adagrad or adadelta. Results that are
/// yielded may share the memory of the operands they update.
llvm::LogicalResult lowerOptimizer(plan::KernelOp kernel, KernelBuilder &k);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_OPTIMIZERKERNEL_H
