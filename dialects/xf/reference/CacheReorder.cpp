//===- CacheReorder.cpp - Reference of xf.cache_reorder -------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/Reference.h"

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceCacheReorder(ReferenceCall &call,
                                 mlir::Operation *operation) {
  auto op = llvm::cast<CacheReorderOp>(operation);
  const Tensor &cache = call.operand(op.getCache());
  const Tensor &from = call.operand(op.getFrom());
  int64_t rows = cache.dim(0), rest = rows ? cache.elements() / rows : 0;
  std::vector<int64_t> shape = cache.shape();
  shape[0] = from.dim(0);
  Tensor result = call.makeResult(0, shape);
  double *out = result.mutableFloats();
  for (int64_t r = 0; r < from.dim(0); ++r) {
    int64_t source = from.integers()[r];
    if (source < 0 || source >= rows) {
      call.fail(op.getSite(), r, source, rows);
      continue;
    }
    std::copy_n(cache.floats() + source * rest, rest, out + r * rest);
  }
  call.results = {result};
  return Status::ok();
}
