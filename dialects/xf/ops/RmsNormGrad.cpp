//===- RmsNormGrad.cpp - xf.rms_norm_grad: verifier, dimensions, role -----===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OpSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/RmsNormGrad.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult RmsNormGradOp::verify() {
  mlir::RankedTensorType x = tensorType(getX());
  // rms_norm_grad_c1
  for (mlir::Value value : {mlir::Value(getDy()), mlir::Value(getDx())})
    if (value.getType() != x)
      return emitOpError("expected dy and dx of the type of x, ")
             << x << ", found " << value.getType();
  // rms_norm_grad_c2
  int64_t axes = getAxes();
  if (axes < 1 || axes > x.getRank())
    return emitOpError("expected axes in 1..")
           << x.getRank() << ", found " << axes;
  llvm::ArrayRef<int64_t> inner = x.getShape().take_back(axes);
  // rms_norm_grad_c3
  if (llvm::any_of(inner, mlir::ShapedType::isDynamic))
    return emitOpError("expected static normalised axes, found ") << x;
  // rms_norm_grad_c4
  if (getG() && (tensorType(getG()).getShape() != inner ||
                 tensorType(getG()).getElementType() != x.getElementType()))
    return emitOpError("expected a gain of ")
           << shapeText(inner) << " " << x.getElementType() << ", found "
           << getG().getType();
  // rms_norm_grad_c5
  if (!getEps().isFinite() || getEps().isNegative())
    return emitOpError("expected a finite eps of 0 or more, found ")
           << getEps().convertToDouble();
  // rms_norm_grad_c6
  auto statistics = mlir::RankedTensorType::get(
      x.getShape().drop_back(axes), accumulatorType(x.getElementType()));
  for (mlir::Value value : {mlir::Value(getRstd())})
    if (value.getType() != statistics)
      return emitOpError("expected rstd of ")
             << statistics << ", found " << value.getType();
  return mlir::success();
}

DimExpr RmsNormGradOp::resultDim(unsigned, unsigned axis, DimLookup dimOf) {
  return dimOf(getX(), axis);
}

KernelRole RmsNormGradOp::kernelRole() { return KernelRole::Rowwise; }
