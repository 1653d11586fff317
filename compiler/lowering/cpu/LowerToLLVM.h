//===- LowerToLLVM.h - From kernel dialects to the LLVM dialect -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last MLIR step on the CPU. Input are kernels as KernelBuilder writes
// them; output is the LLVM dialect, with nothing left to link against.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_LOWERTOLLVM_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_LOWERTOLLVM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace dragoman {

/// Fails with a diagnostic at the first operation that kernels may not hold:
/// an op outside the kernel dialects, an allocation, a math function without an
/// exact instruction, or a fast-math flag. Flags are refused because each
/// output is one chain: the backend must not choose.
llvm::LogicalResult verifyKernels(mlir::ModuleOp module);

/// Verifies the module's kernels and lowers them in place.
llvm::LogicalResult lowerKernelsToLLVM(mlir::ModuleOp module);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_LOWERTOLLVM_H
