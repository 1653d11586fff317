//===- AttentionWeights.cpp - Reference of xf.attention_weights -----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/AttentionScores.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceAttentionWeights(ReferenceCall &call,
                                     mlir::Operation *operation) {
  auto op = llvm::cast<AttentionWeightsOp>(operation);
  AttentionScores in(call, AttentionForm(op));
  DRAGOMAN_RETURN_IF_ERROR(in.checkSizes());
  const Tensor &lse = call.operand(op.getLse());
  int64_t batch = in.q.size[0], heads = in.q.size[1], length = in.q.size[2];
  if (lse.shape() != std::vector<int64_t>{batch, heads, length})
    return sizeError("lse", {batch, heads, length}, lse.shape());
  llvm::SmallVector<int64_t> shown = op.shownHeads();
  bool mean = op.getReduce() == "mean";
  int64_t rows = mean ? 1 : static_cast<int64_t>(shown.size());
  Tensor weights = call.makeResult(0, {batch, rows, length, in.keys});
  double *out = weights.mutableFloats();
  auto weight = [&](int64_t b, int64_t h, int64_t i, int64_t j) {
    double l = lse.floats()[(b * heads + h) * length + i];
    if (!in.visible(b, h, i, j) ||
        l == -std::numeric_limits<double>::infinity())
      return 0.0;
    return std::exp(in.score(b, h, i, j, b).final - l);
  };
  for (int64_t b = 0; b < batch; ++b)
    for (auto [number, head] : llvm::enumerate(shown))
      for (int64_t i = 0; i < length; ++i)
        for (int64_t j = 0; j < in.keys; ++j) {
          int64_t row = mean ? 0 : static_cast<int64_t>(number);
          out[((b * rows + row) * length + i) * in.keys + j] +=
              weight(b, head, i, j) / (mean ? double(shown.size()) : 1.0);
        }
  call.results = {weights};
  return Status::ok();
}
