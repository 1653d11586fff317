//===- Rotary.cpp - Gradient of xf.rotary ---------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/Xf.h"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

llvm::FailureOr<llvm::SmallVector<Value>>
RotaryOp::buildGradient(mlir::OpBuilder &builder, mlir::ValueRange cotangents,
                        llvm::ArrayRef<bool> wanted) {
  llvm::SmallVector<Value> gradients(getNumOperands());
  if (!cotangents[0] || !wanted[0])
    return gradients;
  // A rotation's transpose turns back.
  auto back = mlir::cast<RotaryOp>(builder.clone(*getOperation()));
  back.getXMutable().assign(cotangents[0]);
  back.setInverse(!getInverse());
  gradients[0] = back.getY();
  return gradients;
}
