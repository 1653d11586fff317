//===- LogSoftmax.cpp - Gradient of xf.log_softmax ------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/gradient/SoftmaxAlongAxis.h"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

llvm::FailureOr<llvm::SmallVector<Value>>
LogSoftmaxOp::buildGradient(mlir::OpBuilder &builder,
                            mlir::ValueRange cotangents,
                            llvm::ArrayRef<bool> wanted) {
  TensorBuilder tensors(builder, getLoc());
  llvm::SmallVector<Value> gradients(wanted.size());
  // log_softmax_g1
  gradients[0] = buildSoftmaxGradient(tensors, getY(), cotangents[0], getAxis(),
                                      /*logarithm=*/true);
  return gradients;
}
