//===- Matmul.cpp - Gradient of xf.matmul ---------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/gradient/Products.h"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

/// `product` has the batch sizes of c; sums over those that are 1 in `like`.
static Value sumBroadcastAxes(TensorBuilder &tensors, Value product,
                              Value like) {
  mlir::RankedTensorType type = tensorType(like);
  unsigned rank = type.getRank();
  llvm::SmallVector<unsigned> kept, summed;
  for (unsigned axis = 0; axis < rank; ++axis) {
    bool broadcast = axis + 2 < rank && type.getDimSize(axis) == 1 &&
                     tensorType(product).getDimSize(axis) != 1;
    (broadcast ? summed : kept).push_back(axis);
  }
  if (summed.empty())
    return tensors.ofType(product, type);
  llvm::SmallVector<unsigned> loops(rank);
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  for (unsigned axis : llvm::concat<unsigned>(kept, summed)) {
    loops[axis] = sizes.size();
    sizes.push_back(tensors.size(product, axis));
  }
  mlir::Type element = type.getElementType(), acc = accumulatorType(element);
  Value sum = tensors.cast(
      tensors.reduce({tensors.onLoops(product, loops, rank)}, sizes,
                     summed.size(), acc, 0.0,
                     [&](ScalarBuilder &scalar, mlir::ValueRange in) {
                       return scalar.add(in[1], scalar.cast(in[0], acc));
                     }),
      element);
  // The last two axes are kept, so every group ends in one that is.
  llvm::SmallVector<mlir::ReassociationIndices> groups(1);
  for (unsigned axis = 0; axis < rank; ++axis) {
    groups.back().push_back(axis);
    if (llvm::is_contained(kept, axis) && axis + 1 < rank)
      groups.emplace_back();
  }
  return mlir::tensor::ExpandShapeOp::create(tensors.builder, tensors.loc, type,
                                             sum, groups, tensors.sizes(like));
}

llvm::FailureOr<llvm::SmallVector<Value>>
MatmulOp::buildGradient(mlir::OpBuilder &builder, mlir::ValueRange cotangents,
                        llvm::ArrayRef<bool> wanted) {
  TensorBuilder tensors(builder, getLoc());
  llvm::SmallVector<Value> gradients(2);
  Value dc = cotangents[0];
  bool ta = getTransposeA(), tb = getTransposeB();
  double alpha = getAlpha().convertToDouble();
  // matmul_g1
  if (wanted[0])
    gradients[0] = sumBroadcastAxes(
        tensors,
        ta ? buildProduct(tensors, getB(), tb, dc, true, alpha)
           : buildProduct(tensors, dc, false, getB(), !tb, alpha),
        getA());
  // matmul_g2
  if (wanted[1])
    gradients[1] = sumBroadcastAxes(
        tensors,
        tb ? buildProduct(tensors, dc, true, getA(), ta, alpha)
           : buildProduct(tensors, getA(), !ta, dc, false, alpha),
        getB());
  return gradients;
}
