//===- LinearCrossEntropyGrad.cpp - Reference of its op ------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/LinearLoss.h"

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceLinearCrossEntropyGrad(ReferenceCall &call,
                                           mlir::Operation *operation) {
  auto op = llvm::cast<LinearCrossEntropyGradOp>(operation);
  const Tensor &h = call.operand(op.getH()); // [N,C]
  const Tensor &w = call.operand(op.getW()); // [V,C]
  const Tensor &dloss = call.operand(op.getDloss());
  int64_t n = h.dim(0), vocabulary = w.dim(0), channels = w.dim(1);
  LossRows rows(call, op, vocabulary);
  if (Status status = rows.fits(n); !status.isOk())
    return status;
  if (h.dim(1) != channels)
    return sizeError("h", {n, channels}, h.shape());
  if (dloss.dim(0) != n)
    return sizeError("dloss", {n}, dloss.shape());
  Tensor loss = call.makeResult(0, {n}), nll = call.makeResult(1, {n}),
         correct = call.makeResult(2, {n}),
         dh = call.makeResult(3, {n, channels}),
         dw = call.makeResult(4, {vocabulary, channels}), db;
  if (op.getB())
    db = call.makeResult(5, {vocabulary});
  std::vector<double> dx(vocabulary);
  for (int64_t row = 0; row < n; ++row) {
    const double *hRow = h.floats() + row * channels;
    std::vector<double> x = logitsOf(hRow, w, call.optional(op.getB()));
    RowLoss result =
        rows.evaluate(row, x.data(), dloss.floats()[row], dx.data());
    loss.mutableFloats()[row] = result.loss;
    nll.mutableFloats()[row] = result.nll;
    correct.mutableFloats()[row] = result.correct;
    for (int64_t v = 0; v < vocabulary; ++v) {
      if (dx[v] == 0)
        continue; // an ignored row adds nothing, even if h is NaN
      for (int64_t c = 0; c < channels; ++c) {
        dh.mutableFloats()[row * channels + c] +=
            dx[v] * w.floats()[v * channels + c];
        dw.mutableFloats()[v * channels + c] += dx[v] * hRow[c];
      }
      if (op.getB())
        db.mutableFloats()[v] += dx[v];
    }
  }
  call.results = {loss, nll, correct, dh, dw};
  if (op.getB())
    call.results.push_back(db);
  return Status::ok();
}
