//===- Differentiate.h - Reverse mode over functions ------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_AUTODIFF_DIFFERENTIATE_H
#define DRAGOMAN_COMPILER_AUTODIFF_DIFFERENTIATE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace dragoman::autodiff {

/// Builds at the builder (behind everything in `block` that `outputs` need) the
/// gradients of `wanted`, values of the block, from the cotangents of
/// `outputs`. Only ops between the two are differentiated. Contributions to one
/// value are added from its last use to its first. Null stands for zero; an op
/// without gradient on the way is an error at that op.
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
buildReverse(mlir::OpBuilder &builder, mlir::Block &block,
             mlir::ValueRange outputs, mlir::ValueRange cotangents,
             mlir::ValueRange wanted);

/// What differentiateFunction is asked for: one flag per argument and result.
struct GradientRequest {
  llvm::SmallVector<bool> arguments; ///< whose gradients are returned
  llvm::SmallVector<bool> results;   ///< that have a cotangent
};

/// A private function `<name>_gradient` behind `function`: its arguments, then
/// one cotangent for each requested result, of the result's type; it returns
/// the gradient of each requested argument, of the argument's type.
llvm::FailureOr<mlir::func::FuncOp>
differentiateFunction(mlir::func::FuncOp function,
                      const GradientRequest &request);

} // namespace dragoman::autodiff

#endif // DRAGOMAN_COMPILER_AUTODIFF_DIFFERENTIATE_H
