//===- GradientParts.h - Gradients by kind of op ----------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to dialects/upstream. Each function is buildGradientOf for its ops.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_UPSTREAM_GRADIENTPARTS_H
#define DRAGOMAN_DIALECTS_UPSTREAM_GRADIENTPARTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

namespace dragoman {

using Gradients = llvm::FailureOr<llvm::SmallVector<mlir::Value>>;

Gradients gradientOfLinalg(mlir::linalg::LinalgOp op, mlir::OpBuilder &builder,
                           mlir::ValueRange cotangents,
                           llvm::ArrayRef<bool> wanted);
/// arith and math on tensors.
Gradients gradientOfElementwise(mlir::Operation *op, mlir::OpBuilder &builder,
                                mlir::ValueRange cotangents,
                                llvm::ArrayRef<bool> wanted);
/// tensor ops; null if `op` is not one with a gradient.
std::optional<Gradients> gradientOfTensorOp(mlir::Operation *op,
                                            mlir::OpBuilder &builder,
                                            mlir::Value cotangent,
                                            llvm::ArrayRef<bool> wanted);

} // namespace dragoman

#endif // DRAGOMAN_DIALECTS_UPSTREAM_GRADIENTPARTS_H
