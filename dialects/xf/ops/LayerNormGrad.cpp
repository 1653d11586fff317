//===- LayerNormGrad.cpp - xf.layer_norm_grad: verifier, dimensions, role
//---===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OpSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/LayerNormGrad.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult LayerNormGradOp::verify() {
  mlir::RankedTensorType x = tensorType(getX());
  // layer_norm_grad_c1
  for (mlir::Value value : {mlir::Value(getDy()), mlir::Value(getDx())})
    if (value.getType() != x)
      return emitOpError("expected dy and dx of the type of x, ")
             << x << ", found " << value.getType();
  // layer_norm_grad_c2
  int64_t axes = getAxes();
  if (axes < 1 || axes > x.getRank())
    return emitOpError("expected axes in 1..")
           << x.getRank() << ", found " << axes;
  llvm::ArrayRef<int64_t> inner = x.getShape().take_back(axes);
  // layer_norm_grad_c3
  if (llvm::any_of(inner, mlir::ShapedType::isDynamic))
    return emitOpError("expected static normalised axes, found ") << x;
  // layer_norm_grad_c4
  if (getG() && (tensorType(getG()).getShape() != inner ||
                 tensorType(getG()).getElementType() != x.getElementType()))
    return emitOpError("expected a gain of ")
           << shapeText(inner) << " " << x.getElementType() << ", found "
           << getG().getType();
  // layer_norm_grad_c5
  if (!getEps().isFinite() || getEps().isNegative())
    return emitOpError("expected a finite eps of 0 or more, found ")
           << getEps().convertToDouble();
  // layer_norm_grad_c6
  auto statistics = mlir::RankedTensorType::get(
      x.getShape().drop_back(axes), accumulatorType(x.getElementType()));
  for (mlir::Value value : {getMean(), getRstd()})
    if (value.getType() != statistics)
      return emitOpError("expected mean and rstd of ")
             << statistics << ", found " << value.getType();
  return mlir::success();
}

DimExpr LayerNormGradOp::resultDim(unsigned, unsigned axis, DimLookup dimOf) {
  return dimOf(getX(), axis);
}

KernelRole LayerNormGradOp::kernelRole() { return KernelRole::Rowwise; }
