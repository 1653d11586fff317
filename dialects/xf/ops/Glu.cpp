//===- Glu.cpp - xf.glu: verifier, dimensions, role -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OpSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/Glu.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult GluOp::verify() {
  mlir::RankedTensorType x = tensorType(getX());
  int64_t rank = x.getRank();
  // glu_c1
  if (getAxis() < -rank || getAxis() >= rank)
    return emitOpError("expected axis in ")
           << -rank << ".." << rank - 1 << ", found " << getAxis();
  int64_t axis = normalizeAxis(getAxis(), rank);
  // glu_c2
  int64_t size = x.getDimSize(axis);
  if (mlir::ShapedType::isDynamic(size) || size % 2 != 0)
    return emitOpError("expected an even static axis, found ") << x;
  // glu_c3
  llvm::SmallVector<int64_t> want(x.getShape());
  want[axis] = size / 2;
  if (!compatible(tensorType(getY()).getShape(), want))
    return emitOpError("expected y of ")
           << shapeText(want) << ", found " << getY().getType();
  return mlir::success();
}

DimExpr GluOp::resultDim(unsigned, unsigned axis, DimLookup dimOf) {
  mlir::RankedTensorType y = tensorType(getY());
  if (axis == static_cast<unsigned>(normalizeAxis(getAxis(), y.getRank())))
    return DimExpr(y.getDimSize(axis));
  return dimOf(getX(), axis);
}

KernelRole GluOp::kernelRole() { return KernelRole::Elementwise; }
