//===- LayerNormGrad.cpp - Decomposition of xf.layer_norm_grad ------------===//
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
LayerNormGradOp::decompose(mlir::OpBuilder &builder) {
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
  auto rowSizes = llvm::ArrayRef(sizes).take_front(rowRank);
  auto identity = builder.getMultiDimIdentityMap(rank);
  auto rowIdentity = builder.getMultiDimIdentityMap(rowRank);

  // 1. The statistics of the rows.
  Value sum =
      tensors.reduce({{getX(), identity}}, sizes, axes, acc, 0.0,
                     [&](ScalarBuilder &scalar, mlir::ValueRange in) {
                       return scalar.add(in[1], scalar.cast(in[0], acc));
                     });
  Value mean = tensors.elementwise(
      {{sum, rowIdentity}}, rowSizes, acc,
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        return scalar.divide(in[0], scalar.constant(acc, count));
      });
  GenericInput meanInput = tensors.onLoops(mean, outer, rank);
  Value squares = tensors.reduce(
      {{getX(), identity}, meanInput}, sizes, axes, acc, 0.0,
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value distance = scalar.subtract(scalar.cast(in[0], acc), in[1]);
        return scalar.add(in[2], scalar.multiply(distance, distance));
      });
  Value rstd = tensors.elementwise(
      {{squares, rowIdentity}}, rowSizes, acc,
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value variance = scalar.divide(in[0], scalar.constant(acc, count));
        Value eps = scalar.constant(acc, getEps().convertToDouble());
        return scalar.divide(scalar.constant(acc, 1.0),
                             scalar.sqrt(scalar.add(variance, eps)));
      });

  // 2. The sums of dy * g, and of it times the normalised x.
  llvm::SmallVector<GenericInput> inputs = {{getDy(), identity},
                                            {getX(), identity},
                                            meanInput,
                                            tensors.onLoops(rstd, outer, rank)};
  if (getG())
    inputs.push_back(tensors.onLoops(getG(), inner, rank));
  auto slope = [&](ScalarBuilder &scalar, mlir::ValueRange in) {
    Value dy = scalar.cast(in[0], acc);
    return getG() ? scalar.multiply(dy, scalar.cast(in[4], acc)) : dy;
  };
  auto normal = [&](ScalarBuilder &scalar, mlir::ValueRange in) {
    return scalar.multiply(scalar.subtract(scalar.cast(in[1], acc), in[2]),
                           in[3]);
  };
  Value slopes =
      tensors.reduce(inputs, sizes, axes, acc, 0.0,
                     [&](ScalarBuilder &scalar, mlir::ValueRange in) {
                       return scalar.add(in.back(), slope(scalar, in));
                     });
  Value products = tensors.reduce(
      inputs, sizes, axes, acc, 0.0,
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        return scalar.add(
            in.back(), scalar.multiply(slope(scalar, in), normal(scalar, in)));
      });

  // 3. dx.
  inputs.push_back(tensors.onLoops(slopes, outer, rank));
  inputs.push_back(tensors.onLoops(products, outer, rank));
  Value dx = tensors.elementwise(
      inputs, sizes, element, [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value n = scalar.constant(acc, count);
        Value result = scalar.subtract(slope(scalar, in),
                                       scalar.divide(in[inputs.size() - 2], n));
        Value along = scalar.multiply(normal(scalar, in),
                                      scalar.divide(in[inputs.size() - 1], n));
        result = scalar.multiply(in[3], scalar.subtract(result, along));
        return scalar.cast(result, element);
      });
  return llvm::SmallVector<Value>{tensors.ofType(dx, getDx().getType()),
                                  tensors.ofType(mean, getMean().getType()),
                                  tensors.ofType(rstd, getRstd().getType())};
}
