//===- CacheAppend.cpp - Reference of xf.cache_append ---------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/Reference.h"

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceCacheAppend(ReferenceCall &call,
                                mlir::Operation *operation) {
  auto op = llvm::cast<CacheAppendOp>(operation);
  const Tensor &fresh = call.operand(op.getFresh());
  const Tensor *at = call.optional(op.getAt());
  const Tensor *row = call.optional(op.getRow());
  Tensor cache = call.take(op.getCache()); // [R,H,Cap,D]
  int64_t rowCount = cache.dim(0), heads = cache.dim(1),
          capacity = cache.dim(2), size = cache.dim(3);
  std::array<unsigned, 4> axes = AttentionOp::axes(op.getFreshLayout());
  std::vector<int64_t> strides = fresh.strides();
  int64_t count = fresh.dim(axes[0]), length = fresh.dim(axes[2]);
  if (fresh.dim(axes[1]) != heads || fresh.dim(axes[3]) != size)
    return sizeError("the heads and head size of fresh", {heads, size},
                     {fresh.dim(axes[1]), fresh.dim(axes[3])});
  for (const Tensor *perRow : {at, row})
    if (perRow && perRow->dim(0) != count)
      return sizeError("at and row", {count}, perRow->shape());

  double *out = cache.mutableFloats();
  const double *in = fresh.floats();
  for (int64_t n = 0; n < count; ++n) {
    int64_t r = row ? row->integers()[n] : n;
    int64_t first = at ? at->integers()[n] : 0;
    if (r < 0 || r >= rowCount) {
      call.fail(op.getSite(), n, r, rowCount);
      continue;
    }
    if (first < 0 || first + length > capacity) {
      call.fail(op.getSite(), n, first + length, capacity);
      continue;
    }
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t t = 0; t < length; ++t)
        for (int64_t d = 0; d < size; ++d)
          out[((r * heads + h) * capacity + first + t) * size + d] =
              in[n * strides[axes[0]] + h * strides[axes[1]] +
                 t * strides[axes[2]] + d * strides[axes[3]]];
  }
  call.results = {cache};
  return Status::ok();
}
