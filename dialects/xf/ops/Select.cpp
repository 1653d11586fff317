//===- Select.cpp - xf.select: verifier, dimensions, role -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OpSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/Select.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult SelectOp::verify() {
  mlir::RankedTensorType logits = tensorType(getLogits());
  // select_c1
  if (logits.getRank() != 2)
    return emitOpError("expected logits [N,V], found ") << logits;
  // select_c2
  if (tensorType(getCount()).getRank() != 0 ||
      tensorType(getNormalize()).getRank() != 0)
    return emitOpError("expected count and normalize to be scalars, found ")
           << getCount().getType() << " and " << getNormalize().getType();
  int64_t rows = logits.getDimSize(0), k = getK();
  // select_c3
  for (mlir::Value value : {getEditId(), getEditKind(), getEditValue()})
    if (!compatible(tensorType(value).getShape(),
                    {rows, mlir::ShapedType::kDynamic}))
      return emitOpError("expected edits [N,E] with N = ")
             << shapeText({rows}) << ", found " << value.getType();
  // select_c4
  if (k < 1 || k > 128)
    return emitOpError("expected k in 1..128, found ") << k;
  // select_c5
  for (mlir::Value value : {getValues(), getIds()})
    if (!compatible(tensorType(value).getShape(), {rows, k}))
      return emitOpError("expected values and ids of ")
             << shapeText({rows, k}) << ", found " << value.getType();
  if (!compatible(tensorType(getLse()).getShape(), {rows}))
    return emitOpError("expected lse of ")
           << shapeText({rows}) << ", found " << getLse().getType();
  return mlir::success();
}

DimExpr SelectOp::resultDim(unsigned, unsigned axis, DimLookup dimOf) {
  return axis == 0 ? dimOf(getLogits(), 0) : DimExpr(getK());
}

KernelRole SelectOp::kernelRole() { return KernelRole::Opaque; }
