//===- Adagrad.cpp - xf.adagrad: verifier, dimensions, role --------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OptimizerSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/Adagrad.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult AdagradOp::verify() {
  // adagrad_c1
  if (failed(verifyUpdated(
          *this, getP(),
          {getG(), getSquareSum(), getPNext(), getSquareSumNext()})))
    return mlir::failure();
  // adagrad_c2
  if (failed(verifyScalars(*this, getP(),
                           {getLr(), getStep(), getScale(), getSkip()})))
    return mlir::failure();
  // adagrad_c3
  if (failed(verifyNotNegative(*this, "eps", getEps())) ||
      failed(verifyNotNegative(*this, "lr_decay", getLrDecay())))
    return mlir::failure();
  // adagrad_c4
  return verifyDecay(*this, getDecay(), getDecayEnd());
}

DimExpr AdagradOp::resultDim(unsigned, unsigned axis, DimLookup dimOf) {
  return dimOf(getP(), axis);
}

KernelRole AdagradOp::kernelRole() { return KernelRole::Opaque; }
