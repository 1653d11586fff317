//===- LayerNormGrad.cpp - Reference of xf.layer_norm_grad ----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/Reference.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceLayerNormGrad(ReferenceCall &call,
                                  mlir::Operation *operation) {
  auto op = llvm::cast<LayerNormGradOp>(operation);
  const Tensor &dy = call.operand(op.getDy());
  const Tensor &x = call.operand(op.getX());
  const Tensor *gain = call.optional(op.getG());
  if (dy.shape() != x.shape())
    return sizeError("dy", x.shape(), dy.shape());
  double eps = op.getEps().convertToDouble();
  std::vector<int64_t> rows(x.shape().begin(), x.shape().end() - op.getAxes());
  Tensor dx = call.makeResult(0, x.shape());
  Tensor means = call.makeResult(1, rows), scales = call.makeResult(2, rows);
  int64_t n = means.elements() ? x.elements() / means.elements() : 0;
  for (int64_t row = 0; row < means.elements(); ++row) {
    const double *in = x.floats() + row * n, *slope = dy.floats() + row * n;
    double mean = 0, variance = 0, sum = 0, product = 0;
    for (int64_t c = 0; c < n; ++c)
      mean += in[c];
    mean /= n;
    for (int64_t c = 0; c < n; ++c)
      variance += (in[c] - mean) * (in[c] - mean);
    variance /= n;
    double rstd = 1 / std::sqrt(variance + eps);
    auto inner = [&](int64_t c) {
      return slope[c] * (gain ? gain->floats()[c] : 1.0);
    };
    for (int64_t c = 0; c < n; ++c) {
      sum += inner(c);
      product += inner(c) * (in[c] - mean) * rstd;
    }
    for (int64_t c = 0; c < n; ++c)
      dx.mutableFloats()[row * n + c] =
          rstd * (inner(c) - sum / n - (in[c] - mean) * rstd * product / n);
    means.mutableFloats()[row] = mean;
    scales.mutableFloats()[row] = rstd;
  }
  call.results = {dx, means, scales};
  return Status::ok();
}
