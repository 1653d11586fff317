//===- Adadelta.cpp - Reference of xf.adadelta ---------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/OptimizerStep.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceAdadelta(ReferenceCall &call, mlir::Operation *operation) {
  auto op = llvm::cast<AdadeltaOp>(operation);
  OptimizerStep step(call, op);
  Tensor g = call.operand(op.getG()), p = call.take(op.getP());
  Tensor sum = call.take(op.getSquareSum());
  Tensor delta = call.take(op.getSquareDelta());
  double rho = op.getRho().convertToDouble(),
         eps = op.getEps().convertToDouble();
  for (int64_t i = 0; i < p.elements() && !step.skipped; ++i) {
    double &pI = p.mutableFloats()[i];
    double &sumI = sum.mutableFloats()[i];
    double &deltaI = delta.mutableFloats()[i];
    double gI = step.gradient(i, g.floats()[i], pI);
    sumI = rho * sumI + (1 - rho) * gI * gI;
    double move = std::sqrt(deltaI + eps) / std::sqrt(sumI + eps) * gI;
    deltaI = rho * deltaI + (1 - rho) * move * move;
    pI -= step.lr * move + step.shrinkage(i, pI);
  }
  call.results = {p, sum, delta};
  return Status::ok();
}
