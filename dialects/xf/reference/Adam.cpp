//===- Adam.cpp - Reference of xf.adam -----------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/OptimizerStep.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceAdam(ReferenceCall &call, mlir::Operation *operation) {
  auto op = llvm::cast<AdamOp>(operation);
  OptimizerStep step(call, op);
  Tensor g = call.operand(op.getG()), p = call.take(op.getP());
  Tensor m = call.take(op.getM());
  Tensor v = call.take(op.getV());
  double beta1 = op.getBeta1().convertToDouble(),
         beta2 = op.getBeta2().convertToDouble(),
         eps = op.getEps().convertToDouble();
  double correction1 = 1 - std::pow(beta1, step.number),
         correction2 = 1 - std::pow(beta2, step.number);
  for (int64_t i = 0; i < p.elements() && !step.skipped; ++i) {
    double &pI = p.mutableFloats()[i];
    double &mI = m.mutableFloats()[i];
    double &vI = v.mutableFloats()[i];
    double gI = step.gradient(i, g.floats()[i], pI);
    mI = beta1 * mI + (1 - beta1) * gI;
    vI = beta2 * vI + (1 - beta2) * gI * gI;
    double move = mI / correction1 / (std::sqrt(vI / correction2) + eps);
    pI -= step.lr * move + step.shrinkage(i, pI);
  }
  call.results = {p, m, v};
  return Status::ok();
}
