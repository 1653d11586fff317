//===- LossRows.cpp - What the references of losses share ----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/LossRows.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace dragoman;
using namespace dragoman::xf;

static constexpr double infinity = std::numeric_limits<double>::infinity();

Status LossRows::fits(int64_t rows) const {
  if (target.dim(0) != rows)
    return sizeError("target", {rows}, target.shape());
  if (classWeight && classWeight->dim(0) != vocabulary)
    return sizeError("class_weight", {vocabulary}, classWeight->shape());
  return Status::ok();
}

int64_t LossRows::gold(int64_t row) const {
  return std::clamp<int64_t>(target.integers()[row], 0, vocabulary - 1);
}

double LossRows::weight(int64_t row) const {
  if (ignored(row))
    return 0;
  return classWeight ? classWeight->floats()[gold(row)] : 1.0;
}

RowLoss LossRows::evaluate(int64_t row, const double *x, double dloss,
                           double *dx) {
  if (dx)
    std::fill_n(dx, vocabulary, 0.0);
  if (ignored(row))
    return {};
  int64_t y = gold(row), best = -1, count = 0;
  if (target.integers()[row] != y)
    call.fail(site, row, target.integers()[row], vocabulary);
  double maximum = -infinity, sum = 0;
  for (int64_t v = 0; v < vocabulary; ++v)
    if (allowed(v) && x[v] > maximum) {
      maximum = x[v];
      best = v;
    }
  for (int64_t v = 0; v < vocabulary; ++v)
    if (allowed(v)) {
      sum += std::exp(x[v] - maximum);
      ++count;
    }
  RowLoss result;
  result.lse = maximum + std::log(sum);
  result.correct = best == y;
  result.nll = allowed(y) ? result.lse - x[y] : infinity;
  double even = smoothing / count, all = 0;
  for (int64_t v = 0; v < vocabulary; ++v)
    if (allowed(v) && smoothing > 0)
      all += even * (result.lse - x[v]);
  double w = weight(row);
  result.loss = w * ((1 - smoothing) * result.nll + all);
  for (int64_t v = 0; dx && v < vocabulary; ++v)
    if (allowed(v))
      dx[v] =
          dloss * w *
          (std::exp(x[v] - result.lse) - even - (v == y ? 1 - smoothing : 0.0));
  return result;
}
