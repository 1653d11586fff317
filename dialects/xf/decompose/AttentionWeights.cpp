//===- AttentionWeights.cpp - Decomposition of xf.attention_weights -------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/decompose/AttentionParts.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

/// The named heads of [B,H,T,S].
static Value pickHeads(TensorBuilder &tensors, Value weights,
                       llvm::ArrayRef<int64_t> heads) {
  mlir::OpBuilder &builder = tensors.builder;
  llvm::SmallVector<Value> slices;
  for (int64_t head : heads) {
    llvm::SmallVector<mlir::OpFoldResult> offsets(4, builder.getIndexAttr(0)),
        steps(4, builder.getIndexAttr(1)), sizes = tensors.sizes(weights);
    offsets[1] = builder.getIndexAttr(head);
    sizes[1] = builder.getIndexAttr(1);
    slices.push_back(mlir::tensor::ExtractSliceOp::create(
        builder, tensors.loc, weights, offsets, sizes, steps));
  }
  return mlir::tensor::ConcatOp::create(builder, tensors.loc, /*dim=*/1,
                                        slices);
}

/// The mean over the heads in their order, as [B,1,T,S].
static Value meanOverHeads(TensorBuilder &tensors, Value weights) {
  mlir::Type element = tensorType(weights).getElementType();
  int64_t heads = tensorType(weights).getDimSize(1);
  llvm::SmallVector<mlir::OpFoldResult> sizes = tensors.sizes(weights);
  llvm::SmallVector<mlir::OpFoldResult> loops = {sizes[0], sizes[2], sizes[3],
                                                 sizes[1]};
  Value sum = tensors.reduce({tensors.onLoops(weights, {0, 3, 1, 2}, 4)}, loops,
                             1, element, 0.0,
                             [&](ScalarBuilder &scalar, mlir::ValueRange in) {
                               return scalar.add(in[1], in[0]);
                             });
  sizes[1] = tensors.builder.getIndexAttr(1);
  return tensors.elementwise(
      {tensors.onLoops(sum, {0, 2, 3}, 4)}, sizes, element,
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        return scalar.divide(in[0], scalar.constant(element, double(heads)));
      });
}

llvm::FailureOr<llvm::SmallVector<Value>>
AttentionWeightsOp::decompose(mlir::OpBuilder &builder) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  AttentionForm form(*this);
  AttentionParts attention(form, builder);
  TensorBuilder &tensors = attention.tensors;
  mlir::Type acc = attention.acc;
  Value q = tensors.cast(attention.meaning(form.q, form.qLayout), acc);
  Value k = attention.keysOrValues(form.k, form.kLayout);
  Value s = attention.scores(attention.product(q, k));
  Value visible = attention.visibility();
  auto identity = builder.getMultiDimIdentityMap(4);
  llvm::SmallVector<GenericInput> inputs = {
      {s, identity}, tensors.onLoops(getLse(), {0, 1, 2}, 4)};
  if (visible)
    inputs.push_back({visible, identity});
  Value weights = tensors.elementwise(
      inputs, attention.scoreSizes, acc,
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value zero = scalar.constant(acc, 0.0);
        Value weight = scalar.exp(scalar.subtract(in[0], in[1]));
        Value empty = scalar.equal(in[1], scalar.constant(acc, -infinity));
        weight = scalar.select(empty, zero, weight);
        return visible ? scalar.select(in[2], weight, zero) : weight;
      });
  if (!getHeads().empty())
    weights = pickHeads(tensors, weights, getHeads());
  if (getReduce() == "mean")
    weights = meanOverHeads(tensors, weights);
  return llvm::SmallVector<Value>{
      tensors.ofType(weights, getWeights().getType())};
}
