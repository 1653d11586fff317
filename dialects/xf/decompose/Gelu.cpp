//===- Gelu.cpp - Decomposition of xf.gelu --------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/decompose/TensorBuilder.h"

using namespace dragoman;
using namespace dragoman::xf;

llvm::FailureOr<llvm::SmallVector<mlir::Value>>
GeluOp::decompose(mlir::OpBuilder &builder) {
  TensorBuilder tensors(builder, getLoc());
  mlir::Type element = tensorType(getX()).getElementType();
  llvm::StringRef name = getKind() == "tanh" ? "gelu_tanh" : "gelu";
  mlir::Value y = tensors.elementwise(
      {{getX(), builder.getMultiDimIdentityMap(tensorType(getX()).getRank())}},
      tensors.sizes(getX()), element,
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        mlir::Value x = scalar.cast(in[0], accumulatorType(element));
        return scalar.cast(scalar.activation(name, x), element);
      });
  return llvm::SmallVector<mlir::Value>{tensors.ofType(y, getY().getType())};
}
