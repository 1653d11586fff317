//===- Select.cpp - Reference of xf.select --------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/Reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace dragoman;
using namespace dragoman::xf;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// NaN if the row holds one, -inf if all are -inf.
static double logSumExp(llvm::ArrayRef<double> row) {
  double maximum = -infinity, sum = 0;
  for (double x : row) {
    if (std::isnan(x))
      return x;
    maximum = std::max(maximum, x);
  }
  if (std::isinf(maximum))
    return maximum;
  for (double x : row)
    sum += std::exp(x - maximum);
  return maximum + std::log(sum);
}

static double edited(double x, int64_t kind, double value) {
  switch (kind) {
  case 1:
    return value;
  case 2:
    return x + value;
  case 3:
    return x < 0 ? x * value : x / value;
  default:
    return x;
  }
}

Status xf::referenceSelect(ReferenceCall &call, mlir::Operation *operation) {
  auto op = llvm::cast<SelectOp>(operation);
  const Tensor &logits = call.operand(op.getLogits()); // [N,V]
  const Tensor &editId = call.operand(op.getEditId());
  const Tensor &editKind = call.operand(op.getEditKind());
  const Tensor &editValue = call.operand(op.getEditValue());
  int64_t normalize = call.operand(op.getNormalize()).integers()[0];
  int64_t n = logits.dim(0), vocabulary = logits.dim(1), k = op.getK();
  int64_t edits = editId.dim(1);
  int64_t count = std::clamp<int64_t>(call.operand(op.getCount()).integers()[0],
                                      0, std::min(k, vocabulary));
  for (const Tensor *tensor : {&editId, &editKind, &editValue})
    if (tensor->dim(0) != n || tensor->dim(1) != edits)
      return sizeError("edits", {n, edits}, tensor->shape());

  Tensor values = call.makeResult(0, {n, k}), ids = call.makeResult(1, {n, k}),
         lse = call.makeResult(2, {n});
  std::fill_n(values.mutableFloats(), n * k, -infinity);
  std::fill_n(ids.mutableIntegers(), n * k, -1);
  std::vector<double> row(vocabulary);
  for (int64_t r = 0; r < n; ++r) {
    std::copy_n(logits.floats() + r * vocabulary, vocabulary, row.begin());
    if (normalize & 1) {
      double constant = logSumExp(row);
      for (double &x : row)
        x -= constant;
    }
    for (int64_t e = r * edits; e < (r + 1) * edits; ++e) {
      int64_t id = editId.integers()[e];
      if (id >= 0 && id < vocabulary)
        row[id] =
            edited(row[id], editKind.integers()[e], editValue.floats()[e]);
    }
    double constant = lse.mutableFloats()[r] = logSumExp(row);
    std::vector<int64_t> order;
    for (int64_t id = 0; id < vocabulary; ++id)
      if (row[id] > -infinity) // neither NaN nor -inf
        order.push_back(id);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return row[a] > row[b]; });
    int64_t taken = std::min<int64_t>(count, order.size());
    for (int64_t rank = 0; rank < taken; ++rank) {
      double x = row[order[rank]];
      values.mutableFloats()[r * k + rank] = normalize & 2 ? x - constant : x;
      ids.mutableIntegers()[r * k + rank] = order[rank];
    }
  }
  call.results = {values, ids, lse};
  return Status::ok();
}
