//===- Embedding.cpp - xf.embedding: verifier, dimensions, role -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OpSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/Embedding.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult EmbeddingOp::verify() {
  mlir::RankedTensorType table = tensorType(getTable()),
                         ids = tensorType(getIds()), y = tensorType(getY());
  // embedding_c1
  if (table.getRank() != 2 || table.getElementType() != y.getElementType())
    return emitOpError("expected a table [V,C] of ")
           << y.getElementType() << ", found " << table;
  // embedding_c2
  llvm::SmallVector<int64_t> want(ids.getShape());
  want.push_back(table.getDimSize(1));
  if (!compatible(y.getShape(), want))
    return emitOpError("expected y of ") << shapeText(want) << ", found " << y;
  return mlir::success();
}

DimExpr EmbeddingOp::resultDim(unsigned, unsigned axis, DimLookup dimOf) {
  if (axis + 1 == tensorType(getY()).getRank())
    return dimOf(getTable(), 1);
  return dimOf(getIds(), axis);
}

KernelRole EmbeddingOp::kernelRole() { return KernelRole::Movement; }
