//===- TopK.cpp - Reference of xf.top_k -----------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/Reference.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceTopK(ReferenceCall &call, mlir::Operation *operation) {
  auto op = llvm::cast<TopKOp>(operation);
  const Tensor &x = call.operand(op.getX());
  int64_t n = x.shape().back(), k = op.getK();
  if (k > n)
    return Status(StatusCode::InvalidArgument,
                  "expected k of at most " + std::to_string(n) + ", found " +
                      std::to_string(k));
  std::vector<int64_t> shape = x.shape(), order(n);
  shape.back() = k;
  Tensor values = call.makeResult(0, shape),
         indices = call.makeResult(1, shape);
  for (int64_t row = 0; row < x.elements() / n; ++row) {
    const double *data = x.floats() + row * n;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      if (std::isnan(data[a]) || std::isnan(data[b]))
        return !std::isnan(data[a]) && std::isnan(data[b]);
      return op.getLargest() ? data[a] > data[b] : data[a] < data[b];
    });
    for (int64_t rank = 0; rank < k; ++rank) {
      values.mutableFloats()[row * k + rank] = data[order[rank]];
      indices.mutableIntegers()[row * k + rank] = order[rank];
    }
  }
  call.results = {values, indices};
  return Status::ok();
}
