//===- Embedding.cpp - Gradient of xf.embedding ---------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/decompose/TensorBuilder.h"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

llvm::FailureOr<llvm::SmallVector<Value>>
EmbeddingOp::buildGradient(mlir::OpBuilder &builder,
                           mlir::ValueRange cotangents,
                           llvm::ArrayRef<bool> wanted) {
  llvm::SmallVector<Value> gradients(2);
  if (!cotangents[0] || !wanted[0])
    return gradients;
  mlir::RankedTensorType table = tensorType(getTable());
  mlir::Type element = table.getElementType();
  Value sum = EmbeddingGradOp::create(
      builder, getLoc(), table.clone(accumulatorType(element)), cotangents[0],
      getIds(), getScaleAttr(), getPaddingIdAttr());
  gradients[0] = TensorBuilder(builder, getLoc()).cast(sum, element);
  return gradients;
}
