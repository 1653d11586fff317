//===- Glu.cpp - Gradient of xf.glu ---------------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/gradient/Activations.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

llvm::FailureOr<llvm::SmallVector<Value>>
GluOp::buildGradient(mlir::OpBuilder &builder, mlir::ValueRange cotangents,
                     llvm::ArrayRef<bool> wanted) {
  TensorBuilder tensors(builder, getLoc());
  mlir::RankedTensorType x = tensorType(getX());
  mlir::Type element = x.getElementType(), acc = accumulatorType(element);
  unsigned rank = x.getRank(), axis = normalizeAxis(getAxis(), rank);
  int64_t half = x.getDimSize(axis) / 2;
  llvm::SmallVector<mlir::OpFoldResult> sizes = tensors.sizes(getX()),
                                        offsets(rank, builder.getIndexAttr(0)),
                                        steps(rank, builder.getIndexAttr(1));
  sizes[axis] = builder.getIndexAttr(half);
  auto part = [&](int64_t first) {
    offsets[axis] = builder.getIndexAttr(first);
    return mlir::tensor::ExtractSliceOp::create(builder, getLoc(), getX(),
                                                offsets, sizes, steps)
        .getResult();
  };
  Value first = part(0), second = part(half);
  Value value = getGateFirst() ? second : first,
        gate = getGateFirst() ? first : second;
  auto identity = builder.getMultiDimIdentityMap(rank);
  auto elementwise =
      [&](Value factor,
          llvm::function_ref<Value(ScalarBuilder &, Value, Value)> slope) {
        return tensors.elementwise(
            {{cotangents[0], identity}, {factor, identity}, {gate, identity}},
            sizes, element, [&](ScalarBuilder &scalar, mlir::ValueRange in) {
              Value product =
                  scalar.multiply(scalar.cast(in[0], acc),
                                  slope(scalar, scalar.cast(in[1], acc),
                                        scalar.cast(in[2], acc)));
              return scalar.cast(product, element);
            });
      };
  // glu_g1
  Value dValue = elementwise(gate, [&](ScalarBuilder &scalar, Value, Value g) {
    return scalar.activation(getGate(), g);
  });
  // glu_g2
  Value dGate =
      elementwise(value, [&](ScalarBuilder &scalar, Value a, Value g) {
        return scalar.multiply(a, activationDerivative(scalar, getGate(), g));
      });
  Value dx = mlir::tensor::ConcatOp::create(
      builder, getLoc(), axis,
      getGateFirst() ? mlir::ValueRange{dGate, dValue}
                     : mlir::ValueRange{dValue, dGate});
  return llvm::SmallVector<Value>{tensors.ofType(dx, x)};
}
