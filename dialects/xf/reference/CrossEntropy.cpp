//===- CrossEntropy.cpp - Reference of xf.cross_entropy ------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/LossRows.h"

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceCrossEntropy(ReferenceCall &call,
                                 mlir::Operation *operation) {
  auto op = llvm::cast<CrossEntropyOp>(operation);
  const Tensor &logits = call.operand(op.getLogits()); // [N,V]
  int64_t n = logits.dim(0), vocabulary = logits.dim(1);
  LossRows rows(call, op, vocabulary);
  if (Status status = rows.fits(n); !status.isOk())
    return status;
  bool perRow = op.getReduce() == "none";
  Tensor loss = call.makeResult(0, perRow ? std::vector<int64_t>{n}
                                          : std::vector<int64_t>{});
  Tensor lse = call.makeResult(1, {n});
  double sum = 0, counted = 0;
  for (int64_t row = 0; row < n; ++row) {
    RowLoss result =
        rows.evaluate(row, logits.floats() + row * vocabulary, 1, nullptr);
    lse.mutableFloats()[row] = result.lse;
    if (perRow)
      loss.mutableFloats()[row] = result.loss;
    sum += result.loss;
    counted += rows.weight(row);
  }
  if (op.getReduce() == "sum")
    loss.mutableFloats()[0] = sum;
  if (op.getReduce() == "mean")
    loss.mutableFloats()[0] = counted == 0 ? 0.0 : sum / counted;
  call.results = {loss, lse};
  return Status::ok();
}
