//===- WeightOps.h - What initialisers of derived weights do ----*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function writes the dense row-major elements of `type` to `out`, which
// has room for them. Operand types and shapes agree by the ops' verifiers.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_EMIT_WEIGHTOPS_H
#define DRAGOMAN_COMPILER_EMIT_WEIGHTOPS_H

#include "compiler/emit/WeightWriter.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dragoman {

/// Element `index` of an array of `type`, as a double. f32, f64, f16, bf16 and
/// signed integers.
double loadElement(mlir::Type type, const char *data, int64_t index);
/// Stores a double as `type`, rounding to nearest even.
void storeElement(mlir::Type type, char *data, int64_t index, double value);

Status copyConstant(mlir::Attribute value, mlir::RankedTensorType type,
                    char *out);
Status transposeWeight(const WeightValue &source,
                       llvm::ArrayRef<int64_t> permutation,
                       mlir::RankedTensorType type, char *out);
Status concatWeights(llvm::ArrayRef<WeightValue> sources, uint64_t axis,
                     mlir::RankedTensorType type, char *out);
/// Static offsets, sizes and strides only; others are refused.
Status sliceWeight(const WeightValue &source,
                   mlir::tensor::ExtractSliceOp slice,
                   mlir::RankedTensorType type, char *out);
/// linalg.generic (and fill, broadcast) with parallel iterators whose body is
/// float arithmetic; every op rounds to its type. Others are refused.
Status elementwiseWeight(mlir::linalg::LinalgOp op,
                         llvm::ArrayRef<WeightValue> operands,
                         mlir::RankedTensorType type, char *out);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_EMIT_WEIGHTOPS_H
