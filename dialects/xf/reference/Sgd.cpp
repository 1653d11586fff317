//===- Sgd.cpp - Reference of xf.sgd -------------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/OptimizerStep.h"

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceSgd(ReferenceCall &call, mlir::Operation *operation) {
  auto op = llvm::cast<SgdOp>(operation);
  OptimizerStep step(call, op);
  Tensor g = call.operand(op.getG()), p = call.take(op.getP()), mom;
  if (op.getMom())
    mom = call.take(op.getMom());
  double momentum = op.getMomentum().convertToDouble();
  double fresh =
      step.number == 1 ? 1.0 : 1.0 - op.getDampening().convertToDouble();
  for (int64_t i = 0; i < p.elements() && !step.skipped; ++i) {
    double &pI = p.mutableFloats()[i];
    double gI = step.gradient(i, g.floats()[i], pI), move = gI;
    if (op.getMom()) {
      double &momI = mom.mutableFloats()[i];
      momI = momentum * momI + fresh * gI;
      move = op.getNesterov() ? gI + momentum * momI : momI;
    }
    pI -= step.lr * move + step.shrinkage(i, pI);
  }
  call.results = {p};
  if (op.getMom())
    call.results.push_back(mom);
  return Status::ok();
}
