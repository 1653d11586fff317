//===- Linear.cpp - Gradient of xf.linear ---------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/gradient/Activations.h"
#include "dialects/xf/gradient/Products.h"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

/// [...,C] as rows [R,C].
static Value asRows(TensorBuilder &tensors, Value tensor) {
  unsigned rank = tensorType(tensor).getRank();
  if (rank == 2)
    return tensor;
  llvm::SmallVector<mlir::ReassociationIndices> groups(rank == 1 ? 1 : 2);
  if (rank == 1) {
    groups[0] = {0, 1};
    return mlir::tensor::ExpandShapeOp::create(
        tensors.builder, tensors.loc,
        mlir::RankedTensorType::get({1, tensorType(tensor).getDimSize(0)},
                                    tensorType(tensor).getElementType()),
        tensor, groups,
        {tensors.builder.getIndexAttr(1), tensors.size(tensor, 0)});
  }
  for (unsigned axis = 0; axis < rank; ++axis)
    groups[axis + 1 == rank].push_back(axis);
  return mlir::tensor::CollapseShapeOp::create(tensors.builder, tensors.loc,
                                               tensor, groups);
}

/// Rows [R,C] in the shape of `like`, [...,C].
static Value fromRows(TensorBuilder &tensors, Value rows, Value like) {
  unsigned rank = tensorType(like).getRank();
  if (rank == 2)
    return tensors.ofType(rows, like.getType());
  llvm::SmallVector<mlir::ReassociationIndices> groups(rank == 1 ? 1 : 2);
  if (rank == 1) {
    groups[0] = {0, 1};
    return tensors.ofType(mlir::tensor::CollapseShapeOp::create(
                              tensors.builder, tensors.loc, rows, groups),
                          like.getType());
  }
  for (unsigned axis = 0; axis < rank; ++axis)
    groups[axis + 1 == rank].push_back(axis);
  return mlir::tensor::ExpandShapeOp::create(tensors.builder, tensors.loc,
                                             tensorType(like), rows, groups,
                                             tensors.sizes(like));
}

/// The sum over the rows of [R,N], of element type F.
static Value sumOfRows(TensorBuilder &tensors, Value rows) {
  mlir::Type element = tensorType(rows).getElementType(),
             acc = accumulatorType(element);
  Value sum =
      tensors.reduce({tensors.onLoops(rows, {1, 0}, 2)},
                     {tensors.size(rows, 1), tensors.size(rows, 0)}, 1, acc,
                     0.0, [&](ScalarBuilder &scalar, mlir::ValueRange in) {
                       return scalar.add(in[1], scalar.cast(in[0], acc));
                     });
  return tensors.cast(sum, element);
}

/// The cotangent in front of the activation.
static Value gradientOfSum(LinearOp op, TensorBuilder &tensors, Value dy) {
  llvm::StringRef activation = op.getActivation();
  if (activation == "none")
    return dy;
  if (derivativeFromResult(activation))
    return buildActivationGradientFromResult(tensors, activation, op.getY(),
                                             dy);
  Value sum =
      LinearOp::create(tensors.builder, tensors.loc, op.getY().getType(),
                       op.getX(), op.getW(), op.getB(), "none");
  return buildActivationGradient(tensors, activation, sum, dy);
}

llvm::FailureOr<llvm::SmallVector<Value>>
LinearOp::buildGradient(mlir::OpBuilder &builder, mlir::ValueRange cotangents,
                        llvm::ArrayRef<bool> wanted) {
  TensorBuilder tensors(builder, getLoc());
  llvm::SmallVector<Value> gradients(wanted.size());
  Value dz = gradientOfSum(*this, tensors, cotangents[0]);
  Value rows = asRows(tensors, dz);
  // linear_g1
  if (wanted[0])
    gradients[0] = fromRows(
        tensors, buildProduct(tensors, rows, false, getW(), false), getX());
  // linear_g2
  if (wanted[1])
    gradients[1] = tensors.ofType(
        buildProduct(tensors, rows, true, asRows(tensors, getX()), false),
        getW().getType());
  // linear_g3
  if (wanted.size() == 3 && wanted[2])
    gradients[2] = tensors.ofType(sumOfRows(tensors, rows), getB().getType());
  return gradients;
}
