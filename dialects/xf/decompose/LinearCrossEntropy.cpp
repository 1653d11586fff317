//===- LinearCrossEntropy.cpp - Decomposition of linear_cross_entropy ----===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/decompose/LossBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

llvm::FailureOr<llvm::SmallVector<Value>>
LinearCrossEntropyOp::decompose(mlir::OpBuilder &builder) {
  TensorBuilder tensors(builder, getLoc());
  mlir::Type element = tensorType(getH()).getElementType();
  int64_t vocabulary = tensorType(getW()).getDimSize(0);
  Value empty = tensors.ofType(
      mlir::tensor::EmptyOp::create(builder, getLoc(), tensors.size(getH(), 0),
                                    accumulatorType(element)),
      getLoss().getType());
  return buildRowChunks(
      tensors, getH(), {empty, empty, empty},
      [&](RowChunk chunk, mlir::ValueRange carried) {
        Value h = chunk.take(getH());
        int64_t count = tensorType(h).getDimSize(0);
        auto logits = mlir::RankedTensorType::get({count, vocabulary}, element);
        auto rows =
            mlir::RankedTensorType::get({count}, accumulatorType(element));
        Value x =
            LinearOp::create(builder, getLoc(), logits, h, getW(), getB());
        auto all = CrossEntropyGradOp::create(
            builder, getLoc(), logits, rows, rows, rows, rows, x,
            chunk.take(getTarget()), /*dloss=*/Value(), getClassWeight(),
            getSmoothingAttr(), getIgnoreAttr(), getForbiddenAttr(),
            getSiteAttr());
        return llvm::SmallVector<Value>{
            chunk.put(all.getLoss(), carried[0]),
            chunk.put(all.getNll(), carried[1]),
            chunk.put(all.getCorrect(), carried[2])};
      });
}
