//===- RmsNormGrad.cpp - Decomposition of xf.rms_norm_grad ----------------===//
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
RmsNormGradOp::decompose(mlir::OpBuilder &builder) {
  TensorBuilder tensors(builder, getLoc());
  mlir::RankedTensorType x = tensorType(getX());
  mlir::Type element = x.getElementType(), acc = accumulatorType(element);
  unsigned rank = x.getRank(), axes = getAxes(), rowRank = rank - axes;
  double count = 1;
  for (int64_t size : x.getShape().take_back(axes))
    count *= size;
  llvm::SmallVector<mlir::OpFoldResult> sizes = tensors.sizes(getX());
  llvm::SmallVector<unsigned> outer = axisRange(0, rowRank),
                              inner = axisRange(rowRank, rank);
  auto identity = builder.getMultiDimIdentityMap(rank);

  // 1. The rows' scale, and the sums of dy * g * x.
  Value squares =
      tensors.reduce({{getX(), identity}}, sizes, axes, acc, 0.0,
                     [&](ScalarBuilder &scalar, mlir::ValueRange in) {
                       Value value = scalar.cast(in[0], acc);
                       return scalar.add(in[1], scalar.multiply(value, value));
                     });
  Value rstd = tensors.elementwise(
      {{squares, builder.getMultiDimIdentityMap(rowRank)}},
      llvm::ArrayRef(sizes).take_front(rowRank), acc,
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value mean = scalar.divide(in[0], scalar.constant(acc, count));
        Value eps = scalar.constant(acc, getEps().convertToDouble());
        return scalar.divide(scalar.constant(acc, 1.0),
                             scalar.sqrt(scalar.add(mean, eps)));
      });
  llvm::SmallVector<GenericInput> inputs = {{getDy(), identity},
                                            {getX(), identity}};
  if (getG())
    inputs.push_back(tensors.onLoops(getG(), inner, rank));
  auto slope = [&](ScalarBuilder &scalar, mlir::ValueRange in) {
    Value dy = scalar.cast(in[0], acc);
    return getG() ? scalar.multiply(dy, scalar.cast(in[2], acc)) : dy;
  };
  Value products = tensors.reduce(
      inputs, sizes, axes, acc, 0.0,
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        return scalar.add(in.back(), scalar.multiply(slope(scalar, in),
                                                     scalar.cast(in[1], acc)));
      });

  // 2. dx.
  inputs.push_back(tensors.onLoops(rstd, outer, rank));
  inputs.push_back(tensors.onLoops(products, outer, rank));
  Value dx = tensors.elementwise(
      inputs, sizes, element, [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value scale = in[inputs.size() - 2], product = in[inputs.size() - 1];
        Value along = scalar.multiply(
            scalar.multiply(scale, scale),
            scalar.divide(product, scalar.constant(acc, count)));
        along = scalar.multiply(scalar.cast(in[1], acc), along);
        Value result =
            scalar.multiply(scale, scalar.subtract(slope(scalar, in), along));
        return scalar.cast(result, element);
      });
  return llvm::SmallVector<Value>{tensors.ofType(dx, getDx().getType()),
                                  tensors.ofType(rstd, getRstd().getType())};
}
