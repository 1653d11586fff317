//===- RmsNorm.cpp - Gradient of xf.rms_norm ------------------------------===//
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
RmsNormOp::buildGradient(mlir::OpBuilder &builder, mlir::ValueRange cotangents,
                         llvm::ArrayRef<bool> wanted) {
  llvm::SmallVector<Value> gradients(getNumOperands());
  Value dy = cotangents[0];
  if (!dy)
    return gradients;
  TensorBuilder tensors(builder, getLoc());
  mlir::RankedTensorType x = tensorType(getX());
  mlir::Type element = x.getElementType(), acc = accumulatorType(element);
  unsigned rank = x.getRank(), rowRank = rank - getAxes();
  auto rows =
      mlir::RankedTensorType::get(x.getShape().take_front(rowRank), acc);
  auto rowwise =
      RmsNormGradOp::create(builder, getLoc(), mlir::TypeRange{x, rows}, dy,
                            getX(), getG(), getEpsAttr(), getAxesAttr());
  if (wanted[0])
    gradients[0] = rowwise.getDx();
  if (getG() && wanted[1]) {
    auto identity = builder.getMultiDimIdentityMap(rank);
    Value sum = tensors.sumRows(
        {{dy, identity},
         {getX(), identity},
         tensors.onLoops(rowwise.getRstd(), axisRange(0, rowRank), rank)},
        tensors.sizes(getX()), getAxes(), acc,
        [&](ScalarBuilder &scalar, mlir::ValueRange in) {
          Value normal = scalar.multiply(scalar.cast(in[1], acc), in[2]);
          return scalar.multiply(scalar.cast(in[0], acc), normal);
        });
    gradients[1] = tensors.cast(sum, element);
  }
  return gradients;
}
