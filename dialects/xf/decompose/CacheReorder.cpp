//===- CacheReorder.cpp - Decomposition of xf.cache_reorder ---------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/decompose/TensorBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

llvm::FailureOr<llvm::SmallVector<Value>>
CacheReorderOp::decompose(mlir::OpBuilder &builder) {
  TensorBuilder tensors(builder, getLoc());
  mlir::RankedTensorType cache = tensorType(getCache());
  mlir::Type integer = tensorType(getFrom()).getElementType();
  Value rows = tensors.asIndex(tensors.size(getCache(), 0));

  // The check: 0 <= from < rows.
  Value inside = tensors.elementwise(
      {{getFrom(), builder.getMultiDimIdentityMap(1)}},
      tensors.sizes(getFrom()), builder.getI1Type(),
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value from = mlir::arith::IndexCastOp::create(
            scalar.builder, scalar.loc, builder.getIndexType(), in[0]);
        return scalar.both(scalar.less(scalar.index(-1), from),
                           scalar.less(from, rows));
      });
  Value bound = mlir::tensor::FromElementsOp::create(
      builder, getLoc(), mlir::RankedTensorType::get({}, integer),
      mlir::arith::IndexCastOp::create(builder, getLoc(), integer, rows)
          .getResult());
  CheckOp::create(builder, getLoc(), inside, getFrom(), bound, getSite());

  llvm::SmallVector<mlir::OpFoldResult> sizes = tensors.sizes(getCache());
  sizes[0] = tensors.size(getFrom(), 0);
  Value result = tensors.elementwise(
      {}, sizes, cache.getElementType(),
      [&](ScalarBuilder &scalar, mlir::ValueRange) {
        llvm::SmallVector<Value> indices = {
            scalar.clamp(scalar.extractIndex(getFrom(), scalar.loop(0)), rows)};
        for (int64_t axis = 1; axis < cache.getRank(); ++axis)
          indices.push_back(scalar.loop(axis));
        return scalar.extract(getCache(), indices);
      });
  return llvm::SmallVector<Value>{
      tensors.ofType(result, getResult().getType())};
}
