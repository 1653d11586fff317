//===- LinearLoss.h - References of linear_cross_entropy -----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_REFERENCE_LINEARLOSS_H
#define DRAGOMAN_DIALECTS_XF_REFERENCE_LINEARLOSS_H

#include "dialects/xf/reference/LossRows.h"

namespace dragoman::xf {

/// The logits of one row: h . w^T + b.
inline std::vector<double> logitsOf(const double *h, const Tensor &w,
                                    const Tensor *b) {
  int64_t vocabulary = w.dim(0), channels = w.dim(1);
  std::vector<double> x(vocabulary);
  for (int64_t v = 0; v < vocabulary; ++v) {
    for (int64_t c = 0; c < channels; ++c)
      x[v] += h[c] * w.floats()[v * channels + c];
    if (b)
      x[v] += b->floats()[v];
  }
  return x;
}

} // namespace dragoman::xf

#endif // DRAGOMAN_DIALECTS_XF_REFERENCE_LINEARLOSS_H
