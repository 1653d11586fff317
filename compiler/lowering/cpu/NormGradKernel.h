//===- NormGradKernel.h - Gradients of norms on the CPU -------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// layer_norm_grad and rms_norm_grad: dx and the statistics of a row, in two or
// three passes over a row that lies in the first-level cache. An operand that
// is computed is pulled once, into the thread's scratch.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_NORMGRADKERNEL_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_NORMGRADKERNEL_H

#include "compiler/lowering/cpu/KernelBuilder.h"
#include "dialects/plan/Plan.h"

namespace dragoman {

/// Builds the body of the kernel that `k` has opened.
llvm::LogicalResult lowerNormGrad(plan::KernelOp kernel, KernelBuilder &k);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_NORMGRADKERNEL_H
