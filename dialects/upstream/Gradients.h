//===- Gradients.h - Reverse mode of one op ---------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// xf ops answer through DifferentiableOpInterface; the upstream ops of the
// closed list that have a gradient are
//   linalg.{generic,reduce,fill,transpose,broadcast}: elementwise bodies of
//     arith and math, sums and maxima; maps that pick loops or are 0
//   tensor.{cast,expand_shape,collapse_shape,extract_slice,insert_slice,concat,
//     pad,splat,empty}
//   arith and math on tensors
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_UPSTREAM_GRADIENTS_H
#define DRAGOMAN_DIALECTS_UPSTREAM_GRADIENTS_H

#include "mlir/IR/Builders.h"

namespace dragoman {

/// Builds at the builder the gradient of the op's operands from the cotangents
/// of its results (one per result; null stands for zero). Returns one value per
/// operand, of the operand's type: null where `wanted` is false or the gradient
/// is zero. Emits an error at the op and fails if it has none.
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
buildGradientOf(mlir::Operation *op, mlir::OpBuilder &builder,
                mlir::ValueRange cotangents, llvm::ArrayRef<bool> wanted);

/// True for values that a gradient can flow through: tensors of floats.
bool isDifferentiable(mlir::Value value);

/// a + b, elementwise; null stands for zero.
mlir::Value sumOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value a,
                  mlir::Value b);

/// Zeros of the type and sizes of `like`.
mlir::Value zerosLike(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value like);

} // namespace dragoman

#endif // DRAGOMAN_DIALECTS_UPSTREAM_GRADIENTS_H
