//===- RmsNorm.cpp - Decomposition of xf.rms_norm -------------------------===//
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
RmsNormOp::decompose(mlir::OpBuilder &builder) {
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
  Value squares =
      tensors.reduce({{getX(), identity}}, sizes, axes, acc, 0.0,
                     [&](ScalarBuilder &scalar, mlir::ValueRange in) {
                       Value value = scalar.cast(in[0], acc);
                       return scalar.add(in[1], scalar.multiply(value, value));
                     });
  llvm::SmallVector<GenericInput> inputs = {
      {getX(), identity}, tensors.onLoops(squares, outer, rank)};
  if (getG())
    inputs.push_back(tensors.onLoops(getG(), inner, rank));
  Value y = tensors.elementwise(
      inputs, sizes, element, [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value mean = scalar.divide(in[1], scalar.constant(acc, count));
        Value eps = scalar.constant(acc, getEps().convertToDouble());
        Value value = scalar.divide(scalar.cast(in[0], acc),
                                    scalar.sqrt(scalar.add(mean, eps)));
        if (getG())
          value = scalar.multiply(value, scalar.cast(in[2], acc));
        return scalar.cast(value, element);
      });
  return llvm::SmallVector<Value>{tensors.ofType(y, getY().getType())};
}
