//===- LayerNorm.cpp - xf decomposition -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OpSupport.h"

using namespace dragoman;
using namespace dragoman::xf;

llvm::FailureOr<llvm::SmallVector<mlir::Value>>
LayerNormOp::decompose(mlir::OpBuilder &builder) {
  return emitOpError("has no decomposition in this build");
}
