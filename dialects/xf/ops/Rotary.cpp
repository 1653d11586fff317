//===- Rotary.cpp - xf.rotary: verifier, dimensions, role -----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OpSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/Rotary.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult RotaryOp::verify() {
  mlir::RankedTensorType x = tensorType(getX()), cos = tensorType(getCos());
  // rotary_c1
  if (x != getY().getType())
    return emitOpError("expected y of the type of x, ")
           << x << ", found " << getY().getType();
  // rotary_c2
  if (x.getRank() != 4 || x.isDynamicDim(3))
    return emitOpError("expected x of rank 4 with a static head size, found ")
           << x;
  // rotary_c3
  if (cos.getRank() != 2 || cos.getElementType() != x.getElementType() ||
      cos != getSin().getType())
    return emitOpError("expected cos and sin of one type [P,R/2] of ")
           << x.getElementType() << ", found " << cos << " and "
           << getSin().getType();
  // rotary_c4
  if (cos.isDynamicDim(1) || cos.getDimSize(1) * 2 > x.getDimSize(3))
    return emitOpError("expected at most half the head size (")
           << x.getDimSize(3) << ") of angles, found " << cos.getDimSize(1);
  // rotary_c5
  std::array<unsigned, 4> axes = AttentionOp::axes(getLayout());
  int64_t rows[] = {x.getDimSize(axes[0]), x.getDimSize(axes[2])};
  if (getPositions() &&
      !compatible(tensorType(getPositions()).getShape(), rows))
    return emitOpError("expected positions of ")
           << shapeText(rows) << ", found " << getPositions().getType();
  return mlir::success();
}

DimExpr RotaryOp::resultDim(unsigned, unsigned axis, DimLookup dimOf) {
  return dimOf(getX(), axis);
}

KernelRole RotaryOp::kernelRole() { return KernelRole::Opaque; }
