//===- Linear.cpp - Decomposition of xf.linear ----------------------------===//
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

/// `tensor` with static axes of size 1 before its first, `rank` in all.
static Value withLeadingOnes(mlir::OpBuilder &builder, mlir::Location loc,
                             Value tensor, unsigned rank) {
  mlir::RankedTensorType type = tensorType(tensor);
  if (type.getRank() == rank)
    return tensor;
  llvm::SmallVector<int64_t> shape(rank - type.getRank(), 1);
  llvm::append_range(shape, type.getShape());
  llvm::SmallVector<mlir::ReassociationIndices> groups(type.getRank());
  for (unsigned axis = 0; axis < rank; ++axis)
    groups[axis < rank - type.getRank() ? 0 : axis - (rank - type.getRank())]
        .push_back(axis);
  return mlir::tensor::ExpandShapeOp::create(
      builder, loc, mlir::RankedTensorType::get(shape, type.getElementType()),
      tensor, groups);
}

llvm::FailureOr<llvm::SmallVector<Value>>
LinearOp::decompose(mlir::OpBuilder &builder) {
  TensorBuilder tensors(builder, getLoc());
  mlir::RankedTensorType y = tensorType(getY());
  mlir::Type element = y.getElementType(), acc = accumulatorType(element);
  unsigned rank = std::max<int64_t>(y.getRank(), 2);
  Value x = tensors.cast(getX(), acc);
  if (y.getRank() == 1) // a vector is of the static size K
    x = tensors.ofType(
        x, mlir::RankedTensorType::get(tensorType(getW()).getDimSize(1), acc));
  x = withLeadingOnes(builder, getLoc(), x, rank);
  Value w = withLeadingOnes(builder, getLoc(), tensors.cast(getW(), acc), rank);
  llvm::SmallVector<int64_t> shape(tensorType(x).getShape());
  shape.back() = tensorType(w).getDimSize(rank - 2);
  auto product = MatmulOp::create(
      builder, getLoc(), mlir::RankedTensorType::get(shape, acc), x, w,
      /*transpose_a=*/false, /*transpose_b=*/true, llvm::APFloat(1.0));
  Value result = product;
  if (getB() || getActivation() != "none" || element != acc) {
    llvm::SmallVector<GenericInput> inputs = {
        {result, builder.getMultiDimIdentityMap(rank)}};
    if (getB())
      inputs.push_back(tensors.onLoops(getB(), {rank - 1}, rank));
    result = tensors.elementwise(
        inputs, tensors.sizes(result), element,
        [&](ScalarBuilder &scalar, mlir::ValueRange in) {
          Value value = in[0];
          if (getB())
            value = scalar.add(value, scalar.cast(in[1], acc));
          return scalar.cast(scalar.activation(getActivation(), value),
                             element);
        });
  }
  if (y.getRank() == 1)
    result = mlir::tensor::CollapseShapeOp::create(
        builder, getLoc(), result,
        llvm::ArrayRef<mlir::ReassociationIndices>{{0, 1}});
  return llvm::SmallVector<Value>{tensors.ofType(result, y)};
}
