//===- LinearCrossEntropyGrad.cpp - Verifier, dimensions, role -----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/LossSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/LinearCrossEntropyGrad.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult LinearCrossEntropyGradOp::verify() {
  mlir::RankedTensorType h = tensorType(getH()), w = tensorType(getW());
  mlir::Type element = h.getElementType();
  // linear_cross_entropy_grad_c1
  if (h.getRank() != 2 || w.getRank() != 2 || !w.hasStaticShape() ||
      w.getElementType() != element ||
      !compatible(h.getDimSize(1), w.getDimSize(1)))
    return emitOpError("expected h [N,C] and a static w [V,C] of one element "
                       "type, found ")
           << h << " and " << w;
  int64_t rows = h.getDimSize(0), vocabulary = w.getDimSize(0);
  // linear_cross_entropy_grad_c2
  auto bias = mlir::RankedTensorType::get({vocabulary}, element);
  if (getB() && getB().getType() != bias)
    return emitOpError("expected a bias ")
           << bias << ", found " << getB().getType();
  // linear_cross_entropy_grad_c3
  if (failed(verifyTarget(
          *this, mlir::RankedTensorType::get({rows, vocabulary}, element),
          getTarget(), getClassWeight())))
    return mlir::failure();
  // linear_cross_entropy_grad_c4
  if (failed(verifyRows(*this, element, rows,
                        {getDloss(), getLoss(), getNll(), getCorrect()})))
    return mlir::failure();
  // linear_cross_entropy_grad_c5
  if (failed(verifySmoothing(*this, getSmoothing())))
    return mlir::failure();
  // linear_cross_entropy_grad_c6
  if (failed(verifyForbidden(*this, vocabulary, getForbidden())))
    return mlir::failure();
  // linear_cross_entropy_grad_c7
  if (getDh().getType() != h || getDw().getType() != w ||
      static_cast<bool>(getDb()) != static_cast<bool>(getB()) ||
      (getDb() && getDb().getType() != bias))
    return emitOpError("expected gradients of the types of h, w and b, found ")
           << getResultTypes();
  return mlir::success();
}

DimExpr LinearCrossEntropyGradOp::resultDim(unsigned result, unsigned axis,
                                            DimLookup dimOf) {
  if (result == 4)
    return dimOf(getW(), axis);
  if (result == 5)
    return dimOf(getB(), axis);
  return dimOf(getH(), axis);
}

KernelRole LinearCrossEntropyGradOp::kernelRole() { return KernelRole::Opaque; }
