//===- CacheReorder.cpp - xf.cache_reorder: verifier, dimensions, role ----===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OpSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/CacheReorder.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult CacheReorderOp::verify() {
  mlir::RankedTensorType cache = tensorType(getCache()),
                         from = tensorType(getFrom());
  // cache_reorder_c1
  if (cache.getRank() < 1 || from.getRank() != 1)
    return emitOpError("expected a cache with rows and from of rank 1, found ")
           << cache << " and " << from;
  // cache_reorder_c2
  llvm::SmallVector<int64_t> want(cache.getShape());
  want[0] = from.getDimSize(0);
  if (!compatible(tensorType(getResult()).getShape(), want))
    return emitOpError("expected a result of ")
           << shapeText(want) << ", found " << getResult().getType();
  return mlir::success();
}

DimExpr CacheReorderOp::resultDim(unsigned, unsigned axis, DimLookup dimOf) {
  return axis == 0 ? dimOf(getFrom(), 0) : dimOf(getCache(), axis);
}

KernelRole CacheReorderOp::kernelRole() { return KernelRole::Movement; }
