//===- CrossEntropyGrad.cpp - Verifier, dimensions, role -----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/LossSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/CrossEntropyGrad.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult CrossEntropyGradOp::verify() {
  mlir::RankedTensorType logits = tensorType(getLogits());
  // cross_entropy_grad_c1
  if (logits.getRank() != 2 || logits.isDynamicDim(1) ||
      getDlogits().getType() != logits)
    return emitOpError("expected logits [N,V] with a static V and dlogits of "
                       "their type, found ")
           << logits << " and " << getDlogits().getType();
  // cross_entropy_grad_c2
  if (failed(verifyTarget(*this, logits, getTarget(), getClassWeight())))
    return mlir::failure();
  // cross_entropy_grad_c3
  if (failed(verifyRows(
          *this, logits.getElementType(), logits.getDimSize(0),
          {getDloss(), getLoss(), getNll(), getCorrect(), getLse()})))
    return mlir::failure();
  // cross_entropy_grad_c4
  if (failed(verifySmoothing(*this, getSmoothing())))
    return mlir::failure();
  // cross_entropy_grad_c5
  return verifyForbidden(*this, logits.getDimSize(1), getForbidden());
}

DimExpr CrossEntropyGradOp::resultDim(unsigned, unsigned axis,
                                      DimLookup dimOf) {
  return dimOf(getLogits(), axis);
}

KernelRole CrossEntropyGradOp::kernelRole() { return KernelRole::Opaque; }
