//===- Attention.cpp - Decomposition of xf.attention ----------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/decompose/TensorBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

#include <limits>

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

namespace {

/// The steps of SPEC.md as tensors over [B,H,T,S].
class AttentionParts {
public:
  AttentionParts(AttentionOp op, mlir::OpBuilder &builder)
      : op(op), tensors(builder, op.getLoc()), builder(builder),
        acc(accumulatorType(tensorType(op.getQ()).getElementType())) {}

  llvm::SmallVector<Value> build();

private:
  Value meaning(Value tensor, llvm::StringRef layout);
  mlir::OpFoldResult keyCount();
  Value keysOrValues(Value tensor, llvm::StringRef layout);
  Value position(ScalarBuilder &scalar, Value b, Value i);
  Value inlineRegion(ScalarBuilder &scalar, mlir::Region &region, Value value);
  Value scores(Value q, Value k);
  Value visibility();
  Value paddedMask();

  AttentionOp op;
  TensorBuilder tensors;
  mlir::OpBuilder &builder;
  mlir::Type acc;
  mlir::OpFoldResult keys;
  llvm::SmallVector<mlir::OpFoldResult> scoreSizes; // B, H, T, S
};

/// The operand with axes [batch, heads, length, size].
Value AttentionParts::meaning(Value tensor, llvm::StringRef layout) {
  return layout == "bthd" ? tensors.transpose(tensor, {0, 2, 1, 3}) : tensor;
}

mlir::OpFoldResult AttentionParts::keyCount() {
  unsigned axis = AttentionOp::axes(op.getKLayout())[2];
  mlir::OpFoldResult length = tensors.size(op.getK(), axis);
  if (!op.getRows() || tensorType(op.getRows()).getDimSize(1) == 1)
    return length;
  Value columns = tensors.asIndex(tensors.size(op.getRows(), 1));
  return mlir::arith::MinSIOp::create(builder, op.getLoc(),
                                      tensors.asIndex(length), columns)
      .getResult();
}

/// k or v as [B,H,S,size] in acc: heads repeated, rows gathered.
Value AttentionParts::keysOrValues(Value tensor, llvm::StringRef layout) {
  int64_t group = op.queryHeads() / op.keyHeads();
  if (!op.getRows() && group == 1)
    return tensors.cast(meaning(tensor, layout), acc);
  std::array<unsigned, 4> axes = AttentionOp::axes(layout);
  Value rowCount = tensors.asIndex(tensors.size(tensor, axes[0]));
  llvm::SmallVector<mlir::OpFoldResult> sizes(scoreSizes);
  sizes[2] = keys;
  sizes[3] = tensors.size(tensor, axes[3]);
  return tensors.elementwise(
      {}, sizes, acc, [&](ScalarBuilder &scalar, mlir::ValueRange) {
        Value b = scalar.loop(0), j = scalar.loop(2);
        Value row = b;
        if (op.getRows()) {
          bool one = tensorType(op.getRows()).getDimSize(1) == 1;
          row =
              scalar.extractIndex(op.getRows(), {b, one ? scalar.index(0) : j});
          row = scalar.clamp(row, rowCount); // entries of unseen keys
        }
        Value head = mlir::arith::DivUIOp::create(
            scalar.builder, scalar.loc, scalar.loop(1), scalar.index(group));
        llvm::SmallVector<Value> indices(4);
        indices[axes[0]] = row;
        indices[axes[1]] = head;
        indices[axes[2]] = j;
        indices[axes[3]] = scalar.loop(3);
        return scalar.cast(scalar.extract(tensor, indices), acc);
      });
}

/// The absolute position of query i of row b.
Value AttentionParts::position(ScalarBuilder &scalar, Value b, Value i) {
  if (!op.getOffset())
    return i;
  llvm::SmallVector<Value> at;
  if (tensorType(op.getOffset()).getRank() == 1)
    at.push_back(b);
  Value offset = scalar.extractIndex(op.getOffset(), at);
  return mlir::arith::AddIOp::create(scalar.builder, scalar.loc, i, offset);
}

Value AttentionParts::inlineRegion(ScalarBuilder &scalar, mlir::Region &region,
                                   Value value) {
  mlir::Block &block = region.front();
  Value b = scalar.loop(0), i = scalar.loop(2);
  mlir::IRMapping mapping;
  mapping.map(block.getArgument(0), value);
  mapping.map(block.getArgument(1), b);
  mapping.map(block.getArgument(2), scalar.loop(1));
  mapping.map(block.getArgument(3), position(scalar, b, i));
  mapping.map(block.getArgument(4), scalar.loop(3));
  for (mlir::Operation &inner : block.without_terminator())
    scalar.builder.clone(inner, mapping);
  return mapping.lookupOrDefault(block.getTerminator()->getOperand(0));
}

/// Steps 1 to 4.
Value AttentionParts::scores(Value q, Value k) {
  llvm::SmallVector<int64_t> shape;
  for (mlir::OpFoldResult size : scoreSizes)
    shape.push_back(
        mlir::getConstantIntValue(size).value_or(mlir::ShapedType::kDynamic));
  auto type = mlir::RankedTensorType::get(shape, acc);
  auto matmul = MatmulOp::create(builder, op.getLoc(), type, q, k,
                                 /*transpose_a=*/false, /*transpose_b=*/true,
                                 llvm::APFloat(op.scaleOrDefault()));
  double cap = op.getSoftcap().convertToDouble();
  if (cap == 0 && !op.getBias() && op.getScore().empty())
    return matmul;
  llvm::SmallVector<GenericInput> inputs = {
      {matmul, builder.getMultiDimIdentityMap(4)}};
  if (op.getBias())
    inputs.push_back(tensors.broadcast(op.getBias()));
  return tensors.elementwise(
      inputs, scoreSizes, acc, [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value s = in[0];
        if (cap > 0) {
          Value c = scalar.constant(acc, cap);
          s = scalar.multiply(c, scalar.tanh(scalar.divide(s, c)));
        }
        if (op.getBias())
          s = scalar.add(s, scalar.cast(in[1], acc));
        if (!op.getScore().empty())
          s = inlineRegion(scalar, op.getScore(), s);
        return s;
      });
}

/// The mask with a last axis of all keys: false beyond its own.
Value AttentionParts::paddedMask() {
  Value mask = op.getMask();
  int64_t own = tensorType(mask).getDimSize(3);
  std::optional<int64_t> all = mlir::getConstantIntValue(keys);
  if (own == 1 || (all && !mlir::ShapedType::isDynamic(own) && own == *all))
    return mask;
  Value size = tensors.asIndex(tensors.size(mask, 3));
  Value zero = mlir::arith::ConstantIndexOp::create(builder, op.getLoc(), 0);
  Value missing = mlir::arith::SubIOp::create(builder, op.getLoc(),
                                              tensors.asIndex(keys), size);
  llvm::SmallVector<mlir::OpFoldResult> low(4, builder.getIndexAttr(0)),
      high = low;
  high[3] = mlir::arith::MaxSIOp::create(builder, op.getLoc(), missing, zero)
                .getResult();
  Value no = mlir::arith::ConstantOp::create(builder, op.getLoc(),
                                             builder.getBoolAttr(false));
  llvm::SmallVector<int64_t> shape(tensorType(mask).getShape());
  shape[3] = mlir::ShapedType::kDynamic;
  return mlir::tensor::PadOp::create(
      builder, op.getLoc(),
      mlir::RankedTensorType::get(shape, builder.getI1Type()), mask, low, high,
      no);
}

/// Step 5 as i1 [B,H,T,S], or null if every key is visible.
Value AttentionParts::visibility() {
  if (!op.getCausal() && op.getLeft() < 0 && op.getRight() < 0 &&
      !op.getKeyCount() && !op.getMask())
    return nullptr;
  llvm::SmallVector<GenericInput> inputs;
  if (op.getMask())
    inputs.push_back(tensors.broadcast(paddedMask()));
  return tensors.elementwise(
      inputs, scoreSizes, builder.getI1Type(),
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value b = scalar.loop(0), j = scalar.loop(3);
        Value p = position(scalar, b, scalar.loop(2));
        Value seen = op.getMask() ? in[0] : Value();
        auto require = [&](Value condition) {
          seen = seen ? scalar.both(seen, condition) : condition;
        };
        auto beyond = [&](int64_t distance) {
          return mlir::arith::AddIOp::create(scalar.builder, scalar.loc, p,
                                             scalar.index(distance));
        };
        if (op.getCausal())
          require(scalar.less(j, beyond(1)));
        if (op.getLeft() >= 0)
          require(scalar.less(beyond(-op.getLeft() - 1), j));
        if (op.getRight() >= 0)
          require(scalar.less(j, beyond(op.getRight() + 1)));
        if (op.getKeyCount())
          require(scalar.less(j, scalar.extractIndex(op.getKeyCount(), b)));
        return seen;
      });
}

llvm::SmallVector<Value> AttentionParts::build() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value q = tensors.cast(meaning(op.getQ(), op.getQLayout()), acc);
  keys = keyCount();
  scoreSizes = tensors.sizes(q);
  scoreSizes[3] = keys;
  Value k = keysOrValues(op.getK(), op.getKLayout());
  Value v = keysOrValues(op.getV(), op.getVLayout());
  Value s = scores(q, k);
  Value visible = visibility();

  // Step 6.
  SoftmaxParts parts = buildSoftmaxParts(tensors, s, visible);
  auto rowIdentity = builder.getMultiDimIdentityMap(3);
  Value lse = tensors.elementwise(
      {{parts.maximum, rowIdentity}, {parts.sum, rowIdentity}},
      llvm::ArrayRef(scoreSizes).take_front(3), acc,
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        return scalar.add(in[0], scalar.log(in[1]));
      });

  // Steps 7 and 8.
  auto softmax =
      SoftmaxOp::create(builder, op.getLoc(), s.getType(), s, visible,
                        /*key_count=*/Value(), /*axis=*/-1);
  Value w = softmax;
  auto identity = builder.getMultiDimIdentityMap(4);
  if (!op.getProb().empty())
    w = tensors.elementwise({{w, identity}}, scoreSizes, acc,
                            [&](ScalarBuilder &scalar, mlir::ValueRange in) {
                              return inlineRegion(scalar, op.getProb(), in[0]);
                            });

  // out over loops b, h, i, e and the reduction j: an unseen key adds nothing.
  llvm::SmallVector<mlir::OpFoldResult> loops(scoreSizes);
  loops[3] = tensors.size(v, 3);
  loops.push_back(keys);
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

} // namespace

llvm::FailureOr<llvm::SmallVector<Value>>
AttentionOp::decompose(mlir::OpBuilder &builder) {
  if (getStarts())
    return emitOpError("with starts (packed rows) has no decomposition");
  return AttentionParts(*this, builder).build();
}
