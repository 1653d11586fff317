//===- Attention.cpp - Decomposition of xf.attention ----------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/decompose/AttentionParts.h"

#include <limits>

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

/// The steps of SPEC.md as tensors over [B,H,T,S].
static llvm::SmallVector<Value> buildSteps(AttentionOp op,
                                           mlir::OpBuilder &builder) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  AttentionForm form(op);
  AttentionParts attention(form, builder);
  TensorBuilder &tensors = attention.tensors;
  mlir::Type acc = attention.acc;
  llvm::ArrayRef<mlir::OpFoldResult> scoreSizes = attention.scoreSizes;
  Value q = tensors.cast(attention.meaning(form.q, form.qLayout), acc);
  Value k = attention.keysOrValues(form.k, form.kLayout);
  Value v = attention.keysOrValues(form.v, form.vLayout);
  Value s = attention.scores(attention.product(q, k));
  Value visible = attention.visibility();

  // Step 6.
  SoftmaxParts parts = buildSoftmaxParts(tensors, s, visible);
  auto rowIdentity = builder.getMultiDimIdentityMap(3);
  Value lse = tensors.elementwise(
      {{parts.maximum, rowIdentity}, {parts.sum, rowIdentity}},
      scoreSizes.take_front(3), acc,
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        return scalar.add(in[0], scalar.log(in[1]));
      });

  // Steps 7 to 9.
  auto softmax =
      SoftmaxOp::create(builder, op.getLoc(), s.getType(), s, visible,
                        /*key_count=*/Value(), /*axis=*/-1);
  Value w = softmax;
  auto identity = builder.getMultiDimIdentityMap(4);
  if (form.prob)
    w = tensors.elementwise({{w, identity}}, scoreSizes, acc,
                            [&](ScalarBuilder &scalar, mlir::ValueRange in) {
                              return attention.inlineRegion(scalar, *form.prob,
                                                            in[0]);
                            });

  w = attention.dropped(w);

  // out over loops b, h, i, e and the reduction j: an unseen key adds nothing.
  llvm::SmallVector<mlir::OpFoldResult> loops(scoreSizes);
  loops[3] = tensors.size(v, 3);
  loops.push_back(attention.keys);
  llvm::SmallVector<GenericInput> inputs = {
      tensors.onLoops(w, {0, 1, 2, 4}, 5), tensors.onLoops(v, {0, 1, 4, 3}, 5)};
  if (visible)
    inputs.push_back(tensors.onLoops(visible, {0, 1, 2, 4}, 5));
  Value sum = tensors.reduce(inputs, loops, 1, acc, 0.0,
                             [&](ScalarBuilder &scalar, mlir::ValueRange in) {
                               Value term = scalar.multiply(in[0], in[1]);
                               if (visible)
                                 term = scalar.select(
                                     in[2], term, scalar.constant(acc, 0.0));
                               return scalar.add(in.back(), term);
                             });
  // A row that sees nothing is exactly zero.
  mlir::Type element = tensorType(op.getOut()).getElementType();
  Value out = tensors.elementwise(
      {{sum, identity}, tensors.onLoops(lse, {0, 1, 2}, 4)}, tensors.sizes(sum),
      element, [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value empty = scalar.equal(in[1], scalar.constant(acc, -infinity));
        return scalar.cast(
            scalar.select(empty, scalar.constant(acc, 0.0), in[0]), element);
      });
  if (op.getOutLayout() == "bthd")
    out = tensors.transpose(out, {0, 2, 1, 3});
  return {tensors.ofType(out, op.getOut().getType()),
          tensors.ofType(lse, op.getLse().getType())};
}

llvm::FailureOr<llvm::SmallVector<Value>>
AttentionOp::decompose(mlir::OpBuilder &builder) {
  if (getStarts())
    return emitOpError("with starts (packed rows) has no decomposition");
  return buildSteps(*this, builder);
}
