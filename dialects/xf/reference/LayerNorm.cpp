//===- LayerNorm.cpp - Reference of xf.layer_norm -------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/Reference.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceLayerNorm(ReferenceCall &call, mlir::Operation *operation) {
  auto op = llvm::cast<LayerNormOp>(operation);
  const Tensor &x = call.operand(op.getX());
  const Tensor *gain = call.optional(op.getG());
  const Tensor *bias = call.optional(op.getB());
  double eps = op.getEps().convertToDouble();
  int64_t n = 1; // elements of a row
  for (int64_t axis = x.rank() - op.getAxes(); axis < x.rank(); ++axis)
    n *= x.dim(axis);
  Tensor y = call.makeResult(0, x.shape());
  double *out = y.mutableFloats();
  for (int64_t first = 0; n && first < x.elements(); first += n) {
    const double *row = x.floats() + first;
    double mean = 0, variance = 0;
    for (int64_t c = 0; c < n; ++c)
      mean += row[c];
    mean /= n;
    for (int64_t c = 0; c < n; ++c)
      variance += (row[c] - mean) * (row[c] - mean);
    variance /= n;
    for (int64_t c = 0; c < n; ++c)
      out[first + c] = (row[c] - mean) / std::sqrt(variance + eps) *
                           (gain ? gain->floats()[c] : 1.0) +
                       (bias ? bias->floats()[c] : 0.0);
  }
  call.results = {y};
  return Status::ok();
}
