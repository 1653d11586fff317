//===- Lowering.h - Kernels from tensors to loops on the CPU ----*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per root, named lower<Root>: it reads the tensor-level body of a
// scheduled plan.kernel and writes loops over argument memory. It obeys the
// schedule and decides nothing but register tiles.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_LOWERING_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_LOWERING_H

#include "compiler/lowering/cpu/KernelBuilder.h"
#include "dialects/plan/Plan.h"

#include "mlir/IR/OwningOpRef.h"

namespace dragoman {

/// Builds the body of the kernel that `k` has opened; failures are diagnostics.
using KernelLowering = llvm::LogicalResult(plan::KernelOp kernel,
                                           KernelBuilder &k);

KernelLowering lowerLinear, lowerMatmul;

/// Lowers one scheduled kernel into a function of its name in `code`.
llvm::LogicalResult lowerKernel(plan::KernelOp kernel, mlir::ModuleOp code,
                                const CpuTarget &target);

/// Lowers all kernels of `module`, which is left as it is, into a new module;
/// null after a diagnostic.
mlir::OwningOpRef<mlir::ModuleOp> lowerAllKernels(mlir::ModuleOp module,
                                                  const CpuTarget &target);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_LOWERING_H
