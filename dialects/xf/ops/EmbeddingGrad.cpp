//===- EmbeddingGrad.cpp - xf.embedding_grad: verifier, dimensions, role
//---===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OpSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/EmbeddingGrad.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult EmbeddingGradOp::verify() {
  mlir::RankedTensorType dy = tensorType(getDy()), ids = tensorType(getIds()),
                         table = tensorType(getDtable());
  // embedding_grad_c1
  mlir::Type acc = accumulatorType(dy.getElementType());
  if (table.getRank() != 2 || !table.hasStaticShape() ||
      table.getElementType() != acc)
    return emitOpError("expected dtable of a static [V,C] of ")
           << acc << ", found " << table;
  // embedding_grad_c2
  llvm::SmallVector<int64_t> want(ids.getShape());
  want.push_back(table.getDimSize(1));
  if (!compatible(dy.getShape(), want))
    return emitOpError("expected dy of ")
           << shapeText(want) << ", found " << dy;
  return mlir::success();
}

DimExpr EmbeddingGradOp::resultDim(unsigned, unsigned axis, DimLookup) {
  return DimExpr(tensorType(getDtable()).getDimSize(axis));
}

KernelRole EmbeddingGradOp::kernelRole() { return KernelRole::Reduction; }
