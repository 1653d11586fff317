//===- RmsNorm.cpp - Reference of xf.rms_norm -----------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/Reference.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceRmsNorm(ReferenceCall &call, mlir::Operation *operation) {
  auto op = llvm::cast<RmsNormOp>(operation);
  const Tensor &x = call.operand(op.getX());
  const Tensor *gain = call.optional(op.getG());
  double eps = op.getEps().convertToDouble();
  int64_t n = 1; // elements of a row
  for (int64_t axis = x.rank() - op.getAxes(); axis < x.rank(); ++axis)
    n *= x.dim(axis);
  Tensor y = call.makeResult(0, x.shape());
  double *out = y.mutableFloats();
  for (int64_t first = 0; n && first < x.elements(); first += n) {
    const double *row = x.floats() + first;
    double squares = 0;
    for (int64_t c = 0; c < n; ++c)
      squares += row[c] * row[c];
    for (int64_t c = 0; c < n; ++c)
      out[first + c] = row[c] / std::sqrt(squares / n + eps) *
                       (gain ? gain->floats()[c] : 1.0);
  }
  call.results = {y};
  return Status::ok();
}
