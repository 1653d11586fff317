//===- LinearCrossEntropy.cpp - Reference of xf.linear_cross_entropy -----===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/LinearLoss.h"

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceLinearCrossEntropy(ReferenceCall &call,
                                       mlir::Operation *operation) {
  auto op = llvm::cast<LinearCrossEntropyOp>(operation);
  const Tensor &h = call.operand(op.getH()); // [N,C]
  const Tensor &w = call.operand(op.getW()); // [V,C]
  int64_t n = h.dim(0), channels = w.dim(1);
  LossRows rows(call, op, w.dim(0));
  if (Status status = rows.fits(n); !status.isOk())
    return status;
  if (h.dim(1) != channels)
    return sizeError("h", {n, channels}, h.shape());
  Tensor loss = call.makeResult(0, {n}), nll = call.makeResult(1, {n}),
         correct = call.makeResult(2, {n});
  for (int64_t row = 0; row < n; ++row) {
    std::vector<double> x =
        logitsOf(h.floats() + row * channels, w, call.optional(op.getB()));
    RowLoss result = rows.evaluate(row, x.data(), 1, nullptr);
    loss.mutableFloats()[row] = result.loss;
    nll.mutableFloats()[row] = result.nll;
    correct.mutableFloats()[row] = result.correct;
  }
  call.results = {loss, nll, correct};
  return Status::ok();
}
