//===- Dropout.cpp - xf.dropout: verifier, dimensions, role ---------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OpSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/Dropout.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult DropoutOp::verify() {
  mlir::RankedTensorType x = tensorType(getX());
  // dropout_c1
  if (x != getY().getType())
    return emitOpError("expected y of the type of x, ")
           << x << ", found " << getY().getType();
  // dropout_c2
  if (x.getRank() < 1 || x.getRank() > 4)
    return emitOpError("expected x of rank 1 to 4, found ") << x;
  // dropout_c3
  if (tensorType(getSeed()).getRank() != 0)
    return emitOpError("expected a scalar seed, found ") << getSeed().getType();
  // dropout_c4
  if (!compatible(tensorType(getRowKey()).getShape(),
                  x.getShape().take_front()))
    return emitOpError("expected one row key per row of ")
           << x << ", found " << getRowKey().getType();
  // dropout_c5
  double p = getP().convertToDouble();
  if (!(p >= 0 && p < 1))
    return emitOpError("expected p of at least 0 and below 1, found ") << p;
  // dropout_c6
  if (getSite() < 0 || getSite() > 0xffff)
    return emitOpError("expected a site in 0..65535, found ") << getSite();
  return mlir::success();
}

mlir::OpFoldResult DropoutOp::fold(FoldAdaptor) {
  return getP().isZero() ? mlir::OpFoldResult(getX()) : mlir::OpFoldResult();
}

DimExpr DropoutOp::resultDim(unsigned, unsigned axis, DimLookup dimOf) {
  return dimOf(getX(), axis);
}

KernelRole DropoutOp::kernelRole() { return KernelRole::Elementwise; }
