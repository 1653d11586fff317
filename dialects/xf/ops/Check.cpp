//===- Check.cpp - xf.check: verifier, dimensions, role -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OpSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/Check.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult CheckOp::verify() {
  llvm::ArrayRef<int64_t> shape = tensorType(getCondition()).getShape();
  // check_c1
  for (mlir::Value value : {getValue(), getBound()})
    if (value && tensorType(value).getRank() != 0 &&
        !compatible(tensorType(value).getShape(), shape))
      return emitOpError("expected value and bound to be scalars or of ")
             << shapeText(shape) << ", found " << value.getType();
  return mlir::success();
}

DimExpr CheckOp::resultDim(unsigned, unsigned, DimLookup) {
  llvm_unreachable("xf.check has no results");
}

KernelRole CheckOp::kernelRole() { return KernelRole::Opaque; }
