//===- Dropout.cpp - Gradient of xf.dropout -------------------------------===//
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
DropoutOp::buildGradient(mlir::OpBuilder &builder, mlir::ValueRange cotangents,
                         llvm::ArrayRef<bool> wanted) {
  llvm::SmallVector<Value> gradients(3);
  // The same key gives the same draws.
  if (cotangents[0] && wanted[0])
    gradients[0] =
        DropoutOp::create(builder, getLoc(), getX().getType(), cotangents[0],
                          getSeed(), getRowKey(), getPAttr(), getSiteAttr());
  return gradients;
}
