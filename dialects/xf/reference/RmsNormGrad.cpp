//===- RmsNormGrad.cpp - Reference of xf.rms_norm_grad --------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/Reference.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceRmsNormGrad(ReferenceCall &call,
                                mlir::Operation *operation) {
  auto op = llvm::cast<RmsNormGradOp>(operation);
  const Tensor &dy = call.operand(op.getDy());
  const Tensor &x = call.operand(op.getX());
  const Tensor *gain = call.optional(op.getG());
  if (dy.shape() != x.shape())
    return sizeError("dy", x.shape(), dy.shape());
  double eps = op.getEps().convertToDouble();
  std::vector<int64_t> rows(x.shape().begin(), x.shape().end() - op.getAxes());
  Tensor dx = call.makeResult(0, x.shape());
  Tensor scales = call.makeResult(1, rows);
  int64_t n = scales.elements() ? x.elements() / scales.elements() : 0;
  for (int64_t row = 0; row < scales.elements(); ++row) {
    const double *in = x.floats() + row * n, *slope = dy.floats() + row * n;
    double squares = 0, product = 0;
    auto inner = [&](int64_t c) {
      return slope[c] * (gain ? gain->floats()[c] : 1.0);
    };
    for (int64_t c = 0; c < n; ++c) {
      squares += in[c] * in[c];
      product += inner(c) * in[c];
    }
    double rstd = 1 / std::sqrt(squares / n + eps);
    for (int64_t c = 0; c < n; ++c)
      dx.mutableFloats()[row * n + c] =
          rstd * (inner(c) - in[c] * rstd * rstd * product / n);
    scales.mutableFloats()[row] = rstd;
  }
  call.results = {dx, scales};
  return Status::ok();
}
