//===- Adam.cpp - xf.adam: verifier, dimensions, role --------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OptimizerSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/Adam.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult AdamOp::verify() {
  // adam_c1
  if (failed(verifyUpdated(
          *this, getP(),
          {getG(), getM(), getV(), getPNext(), getMNext(), getVNext()})))
    return mlir::failure();
  // adam_c2
  if (failed(verifyScalars(*this, getP(),
                           {getLr(), getStep(), getScale(), getSkip()})))
    return mlir::failure();
  // adam_c3
  if (failed(verifyFraction(*this, "beta1", getBeta1())) ||
      failed(verifyFraction(*this, "beta2", getBeta2())))
    return mlir::failure();
  // adam_c4
  if (failed(verifyNotNegative(*this, "eps", getEps())))
    return mlir::failure();
  // adam_c5
  return verifyDecay(*this, getDecay(), getDecayEnd());
}

DimExpr AdamOp::resultDim(unsigned, unsigned axis, DimLookup dimOf) {
  return dimOf(getP(), axis);
}

KernelRole AdamOp::kernelRole() { return KernelRole::Opaque; }
