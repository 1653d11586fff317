//===- OptimizerSupport.h - Checks that the optimisers share -------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_OPS_OPTIMIZERSUPPORT_H
#define DRAGOMAN_DIALECTS_XF_OPS_OPTIMIZERSUPPORT_H

#include "dialects/xf/ops/OpSupport.h"

namespace dragoman::xf {

/// Gradient, moments and results have the type of p; null values are skipped.
llvm::LogicalResult verifyUpdated(mlir::Operation *op, mlir::Value p,
                                  llvm::ArrayRef<mlir::Value> others);

/// lr, step, scale and skip are scalars, floats of the type of p; the last two
/// may be null.
llvm::LogicalResult verifyScalars(mlir::Operation *op, mlir::Value p,
                                  llvm::ArrayRef<mlir::Value> scalars);

/// `value` lies in [0, 1).
llvm::LogicalResult verifyFraction(mlir::Operation *op, llvm::StringRef name,
                                   const llvm::APFloat &value);

/// `value` is finite and at least 0.
llvm::LogicalResult verifyNotNegative(mlir::Operation *op, llvm::StringRef name,
                                      const llvm::APFloat &value);

/// `decay` is finite and at least 0, `end` at least -1.
llvm::LogicalResult verifyDecay(mlir::Operation *op, const llvm::APFloat &decay,
                                int64_t end);

} // namespace dragoman::xf

#endif // DRAGOMAN_DIALECTS_XF_OPS_OPTIMIZERSUPPORT_H
