//===- Softmax.cpp - xf.softmax: verifier, dimensions, role -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OpSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/Softmax.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult SoftmaxOp::verify() {
  mlir::RankedTensorType x = tensorType(getX()), y = tensorType(getY());
  // softmax_c1
  if (x != y)
    return emitOpError("expected y of the type of x, ") << x << ", found " << y;
  // softmax_c2
  int64_t rank = x.getRank(), axis = getAxis();
  if (axis < -rank || axis >= rank)
    return emitOpError("expected axis in ")
           << -rank << ".." << rank - 1 << ", found " << axis;
  // softmax_c3
  if (getMask() &&
      !broadcastable(tensorType(getMask()).getShape(), x.getShape()))
    return emitOpError("expected mask to broadcast to ")
           << shapeText(x.getShape()) << ", found " << getMask().getType();
  // softmax_c4
  if (getKeyCount() &&
      !compatible(tensorType(getKeyCount()).getShape(), {x.getDimSize(0)}))
    return emitOpError("expected key_count of one entry per row (")
           << shapeText({x.getDimSize(0)}) << "), found "
           << getKeyCount().getType();
  return mlir::success();
}

DimExpr SoftmaxOp::resultDim(unsigned, unsigned axis, DimLookup dimOf) {
  return dimOf(getX(), axis);
}

KernelRole SoftmaxOp::kernelRole() { return KernelRole::Rowwise; }
