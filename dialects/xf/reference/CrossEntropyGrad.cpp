//===- CrossEntropyGrad.cpp - Reference of xf.cross_entropy_grad ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/LossRows.h"

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceCrossEntropyGrad(ReferenceCall &call,
                                     mlir::Operation *operation) {
  auto op = llvm::cast<CrossEntropyGradOp>(operation);
  const Tensor &logits = call.operand(op.getLogits()); // [N,V]
  const Tensor *dloss = call.optional(op.getDloss());
  int64_t n = logits.dim(0), vocabulary = logits.dim(1);
  LossRows rows(call, op, vocabulary);
  if (Status status = rows.fits(n); !status.isOk())
    return status;
  if (dloss && dloss->dim(0) != n)
    return sizeError("dloss", {n}, dloss->shape());
  Tensor dlogits = call.makeResult(0, {n, vocabulary}),
         loss = call.makeResult(1, {n}), nll = call.makeResult(2, {n}),
         correct = call.makeResult(3, {n}), lse = call.makeResult(4, {n});
  for (int64_t row = 0; row < n; ++row) {
    RowLoss result = rows.evaluate(row, logits.floats() + row * vocabulary,
                                   dloss ? dloss->floats()[row] : 1.0,
                                   dlogits.mutableFloats() + row * vocabulary);
    loss.mutableFloats()[row] = result.loss;
    nll.mutableFloats()[row] = result.nll;
    correct.mutableFloats()[row] = result.correct;
    lse.mutableFloats()[row] = result.lse;
  }
  call.results = {dlogits, loss, nll, correct, lse};
  return Status::ok();
}
