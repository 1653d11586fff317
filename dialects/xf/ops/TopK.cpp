//===- TopK.cpp - xf.top_k: verifier, dimensions, role -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OpSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/TopK.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult TopKOp::verify() {
  mlir::RankedTensorType x = tensorType(getX());
  // top_k_c1
  if (x.getRank() < 1)
    return emitOpError("expected x with an axis to rank, found ") << x;
  int64_t size = x.getShape().back(), k = getK();
  // top_k_c2
  if (k < 1 || (!mlir::ShapedType::isDynamic(size) && k > size))
    return emitOpError("expected k in 1..") << size << ", found " << k;
  // top_k_c3
  llvm::SmallVector<int64_t> want(x.getShape());
  want.back() = k;
  for (mlir::Value value : {getValues(), getIndices()})
    if (!compatible(tensorType(value).getShape(), want))
      return emitOpError("expected results of ")
             << shapeText(want) << ", found " << value.getType();
  return mlir::success();
}

DimExpr TopKOp::resultDim(unsigned, unsigned axis, DimLookup dimOf) {
  if (axis + 1 == tensorType(getX()).getRank())
    return DimExpr(getK());
  return dimOf(getX(), axis);
}

KernelRole TopKOp::kernelRole() { return KernelRole::Opaque; }
