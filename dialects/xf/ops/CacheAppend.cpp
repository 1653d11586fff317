//===- CacheAppend.cpp - xf.cache_append: verifier, dimensions, role ------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OpSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/CacheAppend.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult CacheAppendOp::verify() {
  mlir::RankedTensorType cache = tensorType(getCache()),
                         fresh = tensorType(getFresh());
  // cache_append_c1
  if (tensorType(getResult()) != cache)
    return emitOpError("expected a result of the cache's type, ")
           << cache << ", found " << getResult().getType();
  // cache_append_c2
  if (cache.getRank() != 4 || fresh.getRank() != 4 ||
      cache.getElementType() != fresh.getElementType())
    return emitOpError("expected cache and fresh of rank 4 and one element "
                       "type, found ")
           << cache << " and " << fresh;
  // cache_append_c3
  std::array<unsigned, 4> axes = AttentionOp::axes(getFreshLayout());
  if (!compatible(cache.getDimSize(1), fresh.getDimSize(axes[1])) ||
      !compatible(cache.getDimSize(3), fresh.getDimSize(axes[3])))
    return emitOpError("expected cache and fresh to agree in heads and head "
                       "size, found ")
           << cache << " and " << fresh;
  // cache_append_c4
  for (mlir::Value value : {getAt(), getRow()})
    if (value &&
        !compatible(tensorType(value).getShape(), {fresh.getDimSize(0)}))
      return emitOpError("expected at and row of one entry per fresh row (")
             << shapeText({fresh.getDimSize(0)}) << "), found "
             << value.getType();
  // cache_append_c5
  if (getLayout() == "panel16" &&
      !mlir::ShapedType::isDynamic(cache.getDimSize(2)) &&
      cache.getDimSize(2) % 16 != 0)
    return emitOpError("expected a capacity that is a multiple of 16 for "
                       "panel16, found ")
           << cache.getDimSize(2);
  return mlir::success();
}

DimExpr CacheAppendOp::resultDim(unsigned, unsigned axis, DimLookup dimOf) {
  return dimOf(getCache(), axis);
}

KernelRole CacheAppendOp::kernelRole() { return KernelRole::Movement; }
