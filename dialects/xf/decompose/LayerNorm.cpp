//===- LayerNorm.cpp - Decomposition of xf.layer_norm ---------------------===//
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
LayerNormOp::decompose(mlir::OpBuilder &builder) {
  TensorBuilder tensors(builder, getLoc());
  mlir::RankedTensorType x = tensorType(getX());
  mlir::Type element = x.getElementType(), acc = accumulatorType(element);
  unsigned rank = x.getRank(), axes = getAxes();
  double count = 1;
  for (int64_t size : x.getShape().take_back(axes))
    count *= size;
  llvm::SmallVector<mlir::OpFoldResult> sizes = tensors.sizes(getX());
  llvm::SmallVector<unsigned> outer = axisRange(0, rank - axes),
                              inner = axisRange(rank - axes, rank);
  auto identity = builder.getMultiDimIdentityMap(rank);
  auto mean = [&](ScalarBuilder &scalar, Value sum) {
    return scalar.divide(sum, scalar.constant(acc, count));
  };

  // Sums of x, then of squared distances from their mean.
  Value sum =
      tensors.reduce({{getX(), identity}}, sizes, axes, acc, 0.0,
                     [&](ScalarBuilder &scalar, mlir::ValueRange in) {
                       return scalar.add(in[1], scalar.cast(in[0], acc));
                     });
  GenericInput sumInput = tensors.onLoops(sum, outer, rank);
  Value squares = tensors.reduce(
      {{getX(), identity}, sumInput}, sizes, axes, acc, 0.0,
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value distance =
            scalar.subtract(scalar.cast(in[0], acc), mean(scalar, in[1]));
        return scalar.add(in[2], scalar.multiply(distance, distance));
      });

  llvm::SmallVector<GenericInput> inputs = {
      {getX(), identity}, sumInput, tensors.onLoops(squares, outer, rank)};
  for (Value optional : {getG(), getB()})
    if (optional)
      inputs.push_back(tensors.onLoops(optional, inner, rank));
  Value y = tensors.elementwise(
      inputs, sizes, element, [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value variance =
            scalar.add(mean(scalar, in[2]),
                       scalar.constant(acc, getEps().convertToDouble()));
        Value value = scalar.divide(
            scalar.subtract(scalar.cast(in[0], acc), mean(scalar, in[1])),
            scalar.sqrt(variance));
        unsigned next = 3;
        if (getG())
          value = scalar.multiply(value, scalar.cast(in[next++], acc));
        if (getB())
          value = scalar.add(value, scalar.cast(in[next], acc));
        return scalar.cast(value, element);
      });
  return llvm::SmallVector<Value>{tensors.ofType(y, getY().getType())};
}
