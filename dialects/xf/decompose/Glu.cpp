//===- Glu.cpp - Decomposition of xf.glu ----------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/decompose/TensorBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

llvm::FailureOr<llvm::SmallVector<Value>>
GluOp::decompose(mlir::OpBuilder &builder) {
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
  auto identity = builder.getMultiDimIdentityMap(rank);
  Value y = tensors.elementwise(
      {{getGateFirst() ? second : first, identity},
       {getGateFirst() ? first : second, identity}},
      sizes, element, [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value gate = scalar.activation(getGate(), scalar.cast(in[1], acc));
        return scalar.cast(scalar.multiply(scalar.cast(in[0], acc), gate),
                           element);
      });
  return llvm::SmallVector<Value>{tensors.ofType(y, getY().getType())};
}
