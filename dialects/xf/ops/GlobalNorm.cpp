//===- GlobalNorm.cpp - xf.global_norm: verifier, dimensions, role -------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OpSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/GlobalNorm.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult GlobalNormOp::verify() {
  mlir::RankedTensorType g = tensorType(getG()), n = tensorType(getN());
  // global_norm_c1
  if (g.getRank() != 1)
    return emitOpError("expected g [P], found ") << g;
  // global_norm_c2
  int64_t last = 0;
  for (int64_t end : getGroups()) {
    if (end < last)
      return emitOpError("expected ends of groups in ascending order, found ")
             << end << " behind " << last;
    last = end;
  }
  if (!getGroups().empty() && last != g.getDimSize(0))
    return emitOpError("expected the last group to end at the end of g, ")
           << shapeText(g.getShape()) << ", found " << last;
  // global_norm_c3
  int64_t groups = std::max<int64_t>(getGroups().size(), 1);
  if (n.getShape() != llvm::ArrayRef<int64_t>{groups} ||
      n.getElementType() != accumulatorType(g.getElementType()))
    return emitOpError("expected ")
           << groups << " norms of " << accumulatorType(g.getElementType())
           << ", found " << n;
  return mlir::success();
}

DimExpr GlobalNormOp::resultDim(unsigned, unsigned, DimLookup) {
  return DimExpr(std::max<int64_t>(getGroups().size(), 1));
}

KernelRole GlobalNormOp::kernelRole() { return KernelRole::Opaque; }
