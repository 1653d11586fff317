//===- CrossEntropy.cpp - Decomposition of xf.cross_entropy --------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/decompose/LossBuilder.h"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

llvm::FailureOr<llvm::SmallVector<Value>>
CrossEntropyOp::decompose(mlir::OpBuilder &builder) {
  TensorBuilder tensors(builder, getLoc());
  mlir::Type acc = tensorType(getLse()).getElementType();
  mlir::Type rows = getLse().getType();
  auto all = CrossEntropyGradOp::create(
      builder, getLoc(), getLogits().getType(), rows, rows, rows, rows,
      getLogits(), getTarget(), /*dloss=*/Value(), getClassWeight(),
      getSmoothingAttr(), getIgnoreAttr(), getForbiddenAttr(), getSiteAttr());
  if (getReduce() == "none")
    return llvm::SmallVector<Value>{
        tensors.ofType(all.getLoss(), getLoss().getType()), all.getLse()};
  Value loss = buildSum(tensors, all.getLoss());
  if (getReduce() == "mean") {
    Value counted = buildCountedWeight(tensors, getTarget(), getClassWeight(),
                                       getIgnore(), acc);
    auto scalars = mlir::AffineMap::get(0, 0, builder.getContext());
    loss = tensors.elementwise({{loss, scalars}, {counted, scalars}}, {}, acc,
                               [&](ScalarBuilder &scalar, mlir::ValueRange in) {
                                 Value zero = scalar.constant(acc, 0.0);
                                 return scalar.select(
                                     scalar.equal(in[1], zero), zero,
                                     scalar.divide(in[0], in[1]));
                               });
  }
  return llvm::SmallVector<Value>{loss, all.getLse()};
}
