//===- LossRewrites.h - Rewrites of a loss around its gradient ------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_AUTODIFF_LOSSREWRITES_H
#define DRAGOMAN_COMPILER_AUTODIFF_LOSSREWRITES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dragoman::autodiff {

/// A static tensor under another static shape of the same size.
mlir::Value reshaped(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, llvm::ArrayRef<int64_t> shape);

/// Makes a loss that of validation: every dropout becomes its operand.
void removeDropout(mlir::func::FuncOp function);

/// Takes the activations out of linear layers whose derivative needs what
/// stands in front of them, so that the gradient does not repeat the product.
void splitActivations(mlir::func::FuncOp function);

/// Behind differentiation: where a gradient op computes the results of its
/// forward op as well, and its cotangent does not depend on them, it takes the
/// forward op's place.
void mergeGradientPairs(mlir::func::FuncOp function);

} // namespace dragoman::autodiff

#endif // DRAGOMAN_COMPILER_AUTODIFF_LOSSREWRITES_H
