//===- Adadelta.cpp - xf.adadelta: verifier, dimensions, role ------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OptimizerSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/Adadelta.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult AdadeltaOp::verify() {
  // adadelta_c1
  if (failed(
          verifyUpdated(*this, getP(),
                        {getG(), getSquareSum(), getSquareDelta(), getPNext(),
                         getSquareSumNext(), getSquareDeltaNext()})))
    return mlir::failure();
  // adadelta_c2
  if (failed(verifyScalars(*this, getP(),
                           {getLr(), getStep(), getScale(), getSkip()})))
    return mlir::failure();
  // adadelta_c3
  if (failed(verifyFraction(*this, "rho", getRho())))
    return mlir::failure();
  // adadelta_c4
  if (failed(verifyNotNegative(*this, "eps", getEps())))
    return mlir::failure();
  // adadelta_c5
  return verifyDecay(*this, getDecay(), getDecayEnd());
}

DimExpr AdadeltaOp::resultDim(unsigned, unsigned axis, DimLookup dimOf) {
  return dimOf(getP(), axis);
}

KernelRole AdadeltaOp::kernelRole() { return KernelRole::Opaque; }
