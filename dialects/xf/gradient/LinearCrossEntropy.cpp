//===- LinearCrossEntropy.cpp - Gradient of linear_cross_entropy ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OpSupport.h"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

llvm::FailureOr<llvm::SmallVector<Value>>
LinearCrossEntropyOp::buildGradient(mlir::OpBuilder &builder,
                                    mlir::ValueRange cotangents,
                                    llvm::ArrayRef<bool> wanted) {
  llvm::SmallVector<Value> gradients(getNumOperands());
  if (cotangents[1] || cotangents[2])
    return emitOpError("has a gradient of loss only, not of nll and correct");
  if (!cotangents[0])
    return gradients;
  if (getClassWeight() && wanted[getNumOperands() - 1])
    return emitOpError("has no gradient of class_weight");
  mlir::Type rows = getLoss().getType();
  auto all = LinearCrossEntropyGradOp::create(
      builder, getLoc(), rows, rows, rows, getH().getType(), getW().getType(),
      getB() ? getB().getType() : mlir::Type(), cotangents[0], getH(), getW(),
      getB(), getTarget(), getClassWeight(), getSmoothingAttr(),
      getIgnoreAttr(), getForbiddenAttr(), getSiteAttr());
  Value ofInputs[] = {all.getDh(), all.getDw(), all.getDb()};
  for (unsigned i = 0; i < (getB() ? 3 : 2); ++i)
    if (wanted[i])
      gradients[i] = ofInputs[i];
  return gradients;
}
