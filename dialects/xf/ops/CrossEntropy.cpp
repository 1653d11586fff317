//===- CrossEntropy.cpp - xf.cross_entropy: verifier, dimensions, role ---===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/LossSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/CrossEntropy.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult CrossEntropyOp::verify() {
  mlir::RankedTensorType logits = tensorType(getLogits());
  // cross_entropy_c1
  if (logits.getRank() != 2 || logits.isDynamicDim(1))
    return emitOpError("expected logits [N,V] with a static V, found ")
           << logits;
  // cross_entropy_c2
  if (failed(verifyTarget(*this, logits, getTarget(), getClassWeight())))
    return mlir::failure();
  // cross_entropy_c3
  mlir::Type element = logits.getElementType();
  bool perRow = getReduce() == "none";
  if (failed(verifyRows(*this, element, logits.getDimSize(0),
                        {getLse(), perRow ? getLoss() : mlir::Value()})))
    return mlir::failure();
  if (!perRow &&
      (tensorType(getLoss()).getRank() != 0 ||
       tensorType(getLoss()).getElementType() != accumulatorType(element)))
    return emitOpError("expected a reduced loss of one ")
           << accumulatorType(element) << ", found " << getLoss().getType();
  // cross_entropy_c4
  if (failed(verifySmoothing(*this, getSmoothing())))
    return mlir::failure();
  // cross_entropy_c5
  return verifyForbidden(*this, logits.getDimSize(1), getForbidden());
}

DimExpr CrossEntropyOp::resultDim(unsigned, unsigned, DimLookup dimOf) {
  return dimOf(getLogits(), 0);
}

KernelRole CrossEntropyOp::kernelRole() { return KernelRole::Opaque; }
