//===- Silu.cpp - xf.silu: verifier, dimensions, role -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OpSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/Silu.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult SiluOp::verify() {
  // silu_c1
  if (getX().getType() != getY().getType())
    return emitOpError("expected y of the type of x, ")
           << getX().getType() << ", found " << getY().getType();
  return mlir::success();
}

DimExpr SiluOp::resultDim(unsigned, unsigned axis, DimLookup dimOf) {
  return dimOf(getX(), axis);
}

KernelRole SiluOp::kernelRole() { return KernelRole::Elementwise; }
