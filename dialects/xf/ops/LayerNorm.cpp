//===- LayerNorm.cpp - xf.layer_norm: verifier, dimensions, role ----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OpSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/LayerNorm.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult LayerNormOp::verify() {
  mlir::RankedTensorType x = tensorType(getX()), y = tensorType(getY());
  // layer_norm_c1
  if (x != y)
    return emitOpError("expected y of the type of x, ") << x << ", found " << y;
  // layer_norm_c2
  int64_t axes = getAxes();
  if (axes < 1 || axes > x.getRank())
    return emitOpError("expected axes in 1..")
           << x.getRank() << ", found " << axes;
  llvm::ArrayRef<int64_t> inner = x.getShape().take_back(axes);
  // layer_norm_c3
  if (llvm::any_of(inner, mlir::ShapedType::isDynamic))
    return emitOpError("expected static normalised axes, found ") << x;
  // layer_norm_c4
  for (mlir::Value value : {getG(), getB()})
    if (value && (tensorType(value).getShape() != inner ||
                  tensorType(value).getElementType() != x.getElementType()))
      return emitOpError("expected gain and bias of ")
             << shapeText(inner) << " " << x.getElementType() << ", found "
             << value.getType();
  // layer_norm_c5
  if (!getEps().isFinite() || getEps().isNegative())
    return emitOpError("expected a finite eps of 0 or more, found ")
           << getEps().convertToDouble();
  return mlir::success();
}

DimExpr LayerNormOp::resultDim(unsigned, unsigned axis, DimLookup dimOf) {
  return dimOf(getX(), axis);
}

KernelRole LayerNormOp::kernelRole() { return KernelRole::Rowwise; }
