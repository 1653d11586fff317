//===- Softmax.cpp - Decomposition of xf.softmax --------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/decompose/SoftmaxAlongAxis.h"

using namespace dragoman;
using namespace dragoman::xf;

llvm::FailureOr<llvm::SmallVector<mlir::Value>>
SoftmaxOp::decompose(mlir::OpBuilder &builder) {
  TensorBuilder tensors(builder, getLoc());
  mlir::Value y = buildSoftmax(tensors, getX(), getMask(), getKeyCount(),
                               getAxis(), /*logarithm=*/false);
  return llvm::SmallVector<mlir::Value>{tensors.ofType(y, getY().getType())};
}
