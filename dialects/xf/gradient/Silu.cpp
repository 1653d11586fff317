//===- Silu.cpp - Gradient of xf.silu -------------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/gradient/Activations.h"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

llvm::FailureOr<llvm::SmallVector<Value>>
SiluOp::buildGradient(mlir::OpBuilder &builder, mlir::ValueRange cotangents,
                      llvm::ArrayRef<bool> wanted) {
  TensorBuilder tensors(builder, getLoc());
  // silu_g1
  return llvm::SmallVector<Value>{
      buildActivationGradient(tensors, "silu", getX(), cotangents[0])};
}
