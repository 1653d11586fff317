//===- Adagrad.cpp - Reference of xf.adagrad -----------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/OptimizerStep.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceAdagrad(ReferenceCall &call, mlir::Operation *operation) {
  auto op = llvm::cast<AdagradOp>(operation);
  OptimizerStep step(call, op);
  Tensor g = call.operand(op.getG()), p = call.take(op.getP());
  Tensor sum = call.take(op.getSquareSum());
  double eps = op.getEps().convertToDouble(),
         lrDecay = op.getLrDecay().convertToDouble();
  double rate = step.lr / (1 + (step.number - 1) * lrDecay);
  for (int64_t i = 0; i < p.elements() && !step.skipped; ++i) {
    double &pI = p.mutableFloats()[i];
    double &sumI = sum.mutableFloats()[i];
    double gI = step.gradient(i, g.floats()[i], pI);
    sumI += gI * gI;
    pI -= rate * gI / (std::sqrt(sumI) + eps) + step.shrinkage(i, pI);
  }
  call.results = {p, sum};
  return Status::ok();
}
