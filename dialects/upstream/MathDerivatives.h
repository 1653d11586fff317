//===- MathDerivatives.h - Derivatives of scalar ops and bodies -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reverse mode over scalar code: one table of the arith and math ops, and its
// use on a block (the body of a linalg op, a score or probability region).
// Null values stand for zero everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_UPSTREAM_MATHDERIVATIVES_H
#define DRAGOMAN_DIALECTS_UPSTREAM_MATHDERIVATIVES_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace dragoman {

/// What the derivative of one op is built from, at the builder.
struct ScalarDerivative {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Value cotangent; ///< of the op's result
  llvm::function_ref<mlir::Value(unsigned)> operand;
  llvm::function_ref<mlir::Value()> result;
};

/// True for ops of arith and math whose derivative is known. It may be zero, as
/// that of math.floor.
bool hasScalarDerivative(mlir::Operation *op);

/// The cotangent of operand `number` (a float) of such an op. Only what it
/// needs of the op's operands and result is asked for.
mlir::Value buildScalarDerivative(mlir::Operation *op, unsigned number,
                                  ScalarDerivative &at);

/// The derivative of an element that a block reads from a tensor.
struct ReadDerivative {
  mlir::tensor::ExtractOp read;
  mlir::Value derivative;
};

struct BlockDerivative {
  llvm::SmallVector<mlir::Value> arguments; ///< one per block argument
  llvm::SmallVector<ReadDerivative> reads;  ///< those with a derivative
};

/// Reverse mode over a block of scalar ops: the derivatives of its arguments
/// and of the elements that it reads, for the `cotangents` of some `values` of
/// it (its terminator's operands, mostly). `mapping` gives the block's
/// arguments at the builder, and may give any other value of the block; the
/// values of the block that the derivative needs are repeated there, and none
/// besides. Emits an error at an op without derivative and fails.
llvm::FailureOr<BlockDerivative>
buildBlockDerivative(mlir::OpBuilder &builder, mlir::Block &block,
                     mlir::IRMapping &mapping, mlir::ValueRange values,
                     mlir::ValueRange cotangents);

/// A value that the block computes (a result, the index of a read), at the
/// builder under the same `mapping`; repeats what is not there yet.
mlir::Value repeatBlockValue(mlir::OpBuilder &builder, mlir::Block &block,
                             mlir::IRMapping &mapping, mlir::Value value);

} // namespace dragoman

#endif // DRAGOMAN_DIALECTS_UPSTREAM_MATHDERIVATIVES_H
