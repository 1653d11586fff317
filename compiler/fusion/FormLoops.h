//===- FormLoops.h - Loops over tensors become plan.loop ----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_FUSION_FORMLOOPS_H
#define DRAGOMAN_COMPILER_FUSION_FORMLOOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace dragoman::fusion {

/// Turns every scf.for of the function's body, and those inside them, into a
/// plan.loop over a dimension that is not in `dims`. Emits an error and fails
/// if a bound does not follow from `dims`, a step is no constant above 0, or a
/// value is no tensor or changes its size.
llvm::LogicalResult formLoops(mlir::func::FuncOp function,
                              const llvm::StringSet<> &dims);

/// The bodies of the function and of its loops, outer ones first.
llvm::SmallVector<mlir::Block *> bodiesOf(mlir::func::FuncOp function);

} // namespace dragoman::fusion

#endif // DRAGOMAN_COMPILER_FUSION_FORMLOOPS_H
