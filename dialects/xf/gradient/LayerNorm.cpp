//===- LayerNorm.cpp - Gradient of xf.layer_norm --------------------------===//
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
LayerNormOp::buildGradient(mlir::OpBuilder &builder,
                           mlir::ValueRange cotangents,
                           llvm::ArrayRef<bool> wanted) {
  llvm::SmallVector<Value> gradients(getNumOperands());
  Value dy = cotangents[0];
  if (!dy)
    return gradients;
  TensorBuilder tensors(builder, getLoc());
  mlir::RankedTensorType x = tensorType(getX());
  mlir::Type element = x.getElementType(), acc = accumulatorType(element);
  unsigned rank = x.getRank(), rowRank = rank - getAxes();
  auto identity = builder.getMultiDimIdentityMap(rank);
  int64_t gain = getG() ? 1 : -1, bias = getB() ? (getG() ? 2 : 1) : -1;
  bool gainWanted = gain >= 0 && wanted[gain];

  Value mean, rstd;
  if (wanted[0] || gainWanted) {
    auto rows =
        mlir::RankedTensorType::get(x.getShape().take_front(rowRank), acc);
    auto rowwise = LayerNormGradOp::create(
        builder, getLoc(), mlir::TypeRange{x, rows, rows}, dy, getX(), getG(),
        getEpsAttr(), getAxesAttr());
    mean = rowwise.getMean();
    rstd = rowwise.getRstd();
    if (wanted[0])
      gradients[0] = rowwise.getDx();
  }
  if (gainWanted) {
    llvm::SmallVector<unsigned> outer = axisRange(0, rowRank);
    Value sum = tensors.sumRows(
        {{dy, identity},
         {getX(), identity},
         tensors.onLoops(mean, outer, rank),
         tensors.onLoops(rstd, outer, rank)},
        tensors.sizes(getX()), getAxes(), acc,
        [&](ScalarBuilder &scalar, mlir::ValueRange in) {
          Value normal = scalar.multiply(
              scalar.subtract(scalar.cast(in[1], acc), in[2]), in[3]);
          return scalar.multiply(scalar.cast(in[0], acc), normal);
        });
    gradients[gain] = tensors.cast(sum, element);
  }
  if (bias >= 0 && wanted[bias]) {
    Value sum =
        tensors.sumRows({{dy, identity}}, tensors.sizes(getX()), getAxes(), acc,
                        [&](ScalarBuilder &scalar, mlir::ValueRange in) {
                          return scalar.cast(in[0], acc);
                        });
    gradients[bias] = tensors.cast(sum, element);
  }
  return gradients;
}
