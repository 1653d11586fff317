//===- Linear.cpp - xf.linear: verifier, dimensions, role -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OpSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/Linear.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult LinearOp::verify() {
  mlir::RankedTensorType x = tensorType(getX()), w = tensorType(getW()),
                         y = tensorType(getY());
  // linear_c1
  if (w.getElementType() != x.getElementType() ||
      y.getElementType() != x.getElementType() ||
      (getB() && tensorType(getB()).getElementType() != x.getElementType()))
    return emitOpError("expected x, w, b and y to share element type ")
           << x.getElementType() << ", found w " << w << " and y " << y;
  // linear_c2
  if (w.getRank() != 2 || !w.hasStaticShape())
    return emitOpError("expected w of static shape [N,K], found ") << w;
  // linear_c3
  if (x.getRank() < 1 || !compatible(x.getShape().back(), w.getDimSize(1)))
    return emitOpError("expected the last axis of x to be K = ")
           << w.getDimSize(1) << ", found " << x;
  // linear_c4
  llvm::SmallVector<int64_t> want(x.getShape());
  want.back() = w.getDimSize(0);
  if (!compatible(y.getShape(), want))
    return emitOpError("expected y of ") << shapeText(want) << ", found " << y;
  // linear_c5
  if (getB() && !compatible(tensorType(getB()).getShape(), {w.getDimSize(0)}))
    return emitOpError("expected b of ")
           << w.getDimSize(0) << " entries, found " << getB().getType();
  return mlir::success();
}

DimExpr LinearOp::resultDim(unsigned, unsigned axis, DimLookup dimOf) {
  if (axis + 1 == tensorType(getY()).getRank())
    return dimOf(getW(), 0);
  return dimOf(getX(), axis);
}

KernelRole LinearOp::kernelRole() { return KernelRole::Contraction; }
