//===- Sgd.cpp - xf.sgd: verifier, dimensions, role ----------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OptimizerSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/Sgd.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult SgdOp::verify() {
  // sgd_c1
  if (failed(verifyUpdated(*this, getP(),
                           {getG(), getMom(), getPNext(), getMomNext()})))
    return mlir::failure();
  // sgd_c2
  if (failed(verifyScalars(*this, getP(),
                           {getLr(), getStep(), getScale(), getSkip()})))
    return mlir::failure();
  // sgd_c3
  if (failed(verifyNotNegative(*this, "momentum", getMomentum())) ||
      failed(verifyNotNegative(*this, "dampening", getDampening())))
    return mlir::failure();
  // sgd_c4
  bool has = static_cast<bool>(getMom());
  if (static_cast<bool>(getMomNext()) != has ||
      (!has && !getMomentum().isZero()))
    return emitOpError("expected a state of momentum and its result, as for a "
                       "momentum above 0, or neither and 0, found ")
           << getMomentum().convertToDouble();
  // sgd_c5
  if (getNesterov() && !has)
    return emitOpError("expected a state of momentum for nesterov");
  // sgd_c6
  return verifyDecay(*this, getDecay(), getDecayEnd());
}

DimExpr SgdOp::resultDim(unsigned, unsigned axis, DimLookup dimOf) {
  return dimOf(getP(), axis);
}

KernelRole SgdOp::kernelRole() { return KernelRole::Opaque; }
