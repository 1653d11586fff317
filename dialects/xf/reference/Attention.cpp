//===- Attention.cpp - Reference of xf.attention --------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/AttentionScores.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::xf;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// Steps 1 to 8 for one query row.
static Status row(AttentionScores &in, int64_t b, int64_t h, int64_t i,
                  double *out, double &lse) {
  int64_t dv = in.v.size[3], head = h / (in.q.size[1] / in.k.size[1]);

  // Steps 1 to 5; the maximum of step 6.
  double maximum = -infinity;
  std::vector<double> scores(in.keys, -infinity);
  llvm::SmallVector<std::pair<int64_t, int64_t>> seen; // key, cache row
  for (int64_t j = 0; j < in.keys; ++j) {
    if (!in.visible(b, h, i, j))
      continue;
    Result<int64_t> from = in.cacheRow(b, j);
    if (!from)
      return from.status();
    seen.push_back({j, *from});
    scores[j] = in.score(b, h, i, j, *from).final;
    if (scores[j] > maximum)
      maximum = scores[j];
  }

  // Step 6. A NaN among the scores reaches the sum through exp.
  double sum = 0;
  bool poisoned = false;
  for (auto [j, from] : seen) {
    poisoned |= std::isnan(scores[j]);
    sum += std::exp(scores[j] - maximum);
  }
  std::fill(out, out + dv, 0.0);
  lse = -infinity;
  if (maximum == -infinity && !poisoned)
    return Status::ok();
  lse = maximum + std::log(sum);

  // Steps 7 to 9.
  for (auto [j, from] : seen) {
    double w = std::exp(scores[j] - maximum) / sum;
    if (in.form.prob)
      w = in.call.region(*in.form.prob, w, b, h, in.position(b, i), j);
    w *= in.kept(b, h, i, j);
    const double *vRow = in.vt.floats() + in.v.at(from, head, j);
    for (int64_t c = 0; c < dv; ++c)
      out[c] += w * vRow[c];
  }
  return Status::ok();
}

Status xf::referenceAttention(ReferenceCall &call, mlir::Operation *operation) {
  auto op = llvm::cast<AttentionOp>(operation);
  if (op.getStarts())
    return Status(StatusCode::Unsupported,
                  "xf.attention with starts (packed rows) has no reference");
  AttentionScores in(call, AttentionForm(op));
  DRAGOMAN_RETURN_IF_ERROR(in.checkSizes());
  int64_t batch = in.q.size[0], heads = in.q.size[1], length = in.q.size[2];
  std::vector<int64_t> shape(4);
  std::array<unsigned, 4> axes = AttentionOp::axes(op.getOutLayout());
  shape[axes[0]] = batch;
  shape[axes[1]] = heads;
  shape[axes[2]] = length;
  shape[axes[3]] = in.v.size[3];
  Tensor out = call.makeResult(0, shape);
  Tensor lse = call.makeResult(1, {batch, heads, length});
  AttentionView outView(out, op.getOutLayout());
  double *outData = out.mutableFloats(), *lseData = lse.mutableFloats();
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < length; ++i)
        DRAGOMAN_RETURN_IF_ERROR(row(in, b, h, i, outData + outView.at(b, h, i),
                                     lseData[(b * heads + h) * length + i]));
  call.results = {out, lse};
  return Status::ok();
}
