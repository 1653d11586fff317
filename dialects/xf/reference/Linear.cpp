//===- Linear.cpp - Reference of xf.linear --------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/Reference.h"

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceLinear(ReferenceCall &call, mlir::Operation *operation) {
  auto op = llvm::cast<LinearOp>(operation);
  const Tensor &x = call.operand(op.getX());
  const Tensor &w = call.operand(op.getW()); // [N,K]
  const Tensor *b = call.optional(op.getB());
  int64_t n = w.dim(0), k = w.dim(1);
  if (x.shape().back() != k)
    return sizeError("the last axis of x", {k}, {x.shape().back()});
  int64_t rows = k ? x.elements() / k : 0;
  std::vector<int64_t> shape = x.shape();
  shape.back() = n;
  Tensor y = call.makeResult(0, shape);
  double *out = y.mutableFloats();
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < n; ++column) {
      const double *xRow = x.floats() + row * k,
                   *wRow = w.floats() + column * k;
      double sum = 0;
      for (int64_t c = 0; c < k; ++c)
        sum += xRow[c] * wRow[c];
      if (b)
        sum += b->floats()[column];
      out[row * n + column] = applyActivation(op.getActivation(), sum);
    }
  call.results = {y};
  return Status::ok();
}
