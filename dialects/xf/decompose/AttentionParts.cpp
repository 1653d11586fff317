//===- AttentionParts.cpp - Scores and visibility as tensors --------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/decompose/AttentionParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

AttentionParts::AttentionParts(const AttentionForm &form,
                               mlir::OpBuilder &builder)
    : tensors(builder, form.op->getLoc()),
      acc(accumulatorType(tensorType(form.q).getElementType())), form(form),
      builder(builder), loc(form.op->getLoc()) {
  keys = keyCount();
  std::array<unsigned, 4> axes = AttentionOp::axes(form.qLayout);
  for (unsigned meaning = 0; meaning < 3; ++meaning)
    scoreSizes.push_back(tensors.size(form.q, axes[meaning]));
  scoreSizes.push_back(keys);
}

Value AttentionParts::meaning(Value tensor, llvm::StringRef layout) {
  return layout == "bthd" ? tensors.transpose(tensor, {0, 2, 1, 3}) : tensor;
}

mlir::OpFoldResult AttentionParts::keyCount() {
  unsigned axis = AttentionOp::axes(form.kLayout)[2];
  mlir::OpFoldResult length = tensors.size(form.k, axis);
  if (!form.rows || tensorType(form.rows).getDimSize(1) == 1)
    return length;
  Value columns = tensors.asIndex(tensors.size(form.rows, 1));
  return mlir::arith::MinSIOp::create(builder, loc, tensors.asIndex(length),
                                      columns)
      .getResult();
}

Value AttentionParts::keysOrValues(Value tensor, llvm::StringRef layout) {
  int64_t group = form.heads / form.keyHeads;
  if (!form.rows && group == 1)
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
        if (form.rows) {
          bool one = tensorType(form.rows).getDimSize(1) == 1;
          row = scalar.extractIndex(form.rows, {b, one ? scalar.index(0) : j});
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
  if (!form.offset)
    return i;
  llvm::SmallVector<Value> at;
  if (tensorType(form.offset).getRank() == 1)
    at.push_back(b);
  Value offset = scalar.extractIndex(form.offset, at);
  return mlir::arith::AddIOp::create(scalar.builder, scalar.loc, i, offset);
}

Value AttentionParts::inlineRegion(ScalarBuilder &scalar, mlir::Region &region,
                                   Value value, mlir::ValueRange rest,
                                   unsigned result) {
  mlir::Block &block = region.front();
  Value b = scalar.loop(0), i = scalar.loop(2);
  llvm::SmallVector<Value> arguments = {value, b, scalar.loop(1),
                                        position(scalar, b, i), scalar.loop(3)};
  llvm::append_range(arguments, rest);
  mlir::IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (mlir::Operation &inner : block.without_terminator())
    scalar.builder.clone(inner, mapping);
  return mapping.lookupOrDefault(block.getTerminator()->getOperand(result));
}

Value AttentionParts::product(Value q, Value k) {
  llvm::SmallVector<int64_t> shape;
  for (mlir::OpFoldResult size : scoreSizes)
    shape.push_back(
        mlir::getConstantIntValue(size).value_or(mlir::ShapedType::kDynamic));
  auto type = mlir::RankedTensorType::get(shape, acc);
  return MatmulOp::create(builder, loc, type, q, k,
                          /*transpose_a=*/false, /*transpose_b=*/true,
                          llvm::APFloat(form.scale));
}

Value AttentionParts::biased(Value product) {
  if (form.softcap == 0 && !form.bias)
    return product;
  llvm::SmallVector<GenericInput> inputs = {
      {product, builder.getMultiDimIdentityMap(4)}};
  if (form.bias)
    inputs.push_back(tensors.broadcast(form.bias));
  return tensors.elementwise(
      inputs, scoreSizes, acc, [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value s = in[0];
        if (form.softcap > 0) {
          Value c = scalar.constant(acc, form.softcap);
          s = scalar.multiply(c, scalar.tanh(scalar.divide(s, c)));
        }
        return form.bias ? scalar.add(s, scalar.cast(in[1], acc)) : s;
      });
}

Value AttentionParts::scores(Value product) {
  Value s = biased(product);
  if (!form.score)
    return s;
  return tensors.elementwise({{s, builder.getMultiDimIdentityMap(4)}},
                             scoreSizes, acc,
                             [&](ScalarBuilder &scalar, mlir::ValueRange in) {
                               return inlineRegion(scalar, *form.score, in[0]);
                             });
}

Value AttentionParts::dropped(Value tensor) {
  if (form.dropout == 0)
    return tensor;
  return DropoutOp::create(builder, loc, tensor.getType(), tensor, form.seed,
                           form.rowKey, llvm::APFloat(form.dropout), form.site);
}

/// The mask with a last axis of all keys: false beyond its own.
Value AttentionParts::paddedMask() {
  Value mask = form.mask;
  int64_t own = tensorType(mask).getDimSize(3);
  std::optional<int64_t> all = mlir::getConstantIntValue(keys);
  if (own == 1 || (all && !mlir::ShapedType::isDynamic(own) && own == *all))
    return mask;
  Value size = tensors.asIndex(tensors.size(mask, 3));
  Value zero = mlir::arith::ConstantIndexOp::create(builder, loc, 0);
  Value missing =
      mlir::arith::SubIOp::create(builder, loc, tensors.asIndex(keys), size);
  llvm::SmallVector<mlir::OpFoldResult> low(4, builder.getIndexAttr(0)),
      high = low;
  high[3] =
      mlir::arith::MaxSIOp::create(builder, loc, missing, zero).getResult();
  Value no =
      mlir::arith::ConstantOp::create(builder, loc, builder.getBoolAttr(false));
  llvm::SmallVector<int64_t> shape(tensorType(mask).getShape());
  shape[3] = mlir::ShapedType::kDynamic;
  return mlir::tensor::PadOp::create(
      builder, loc, mlir::RankedTensorType::get(shape, builder.getI1Type()),
      mask, low, high, no);
}

Value AttentionParts::visibility() {
  if (!form.causal && form.left < 0 && form.right < 0 && !form.keyCount &&
      !form.mask)
    return nullptr;
  llvm::SmallVector<GenericInput> inputs;
  if (form.mask)
    inputs.push_back(tensors.broadcast(paddedMask()));
  return tensors.elementwise(
      inputs, scoreSizes, builder.getI1Type(),
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value b = scalar.loop(0), j = scalar.loop(3);
        Value p = position(scalar, b, scalar.loop(2));
        Value seen = form.mask ? in[0] : Value();
        auto require = [&](Value condition) {
          seen = seen ? scalar.both(seen, condition) : condition;
        };
        auto beyond = [&](int64_t distance) {
          return mlir::arith::AddIOp::create(scalar.builder, scalar.loc, p,
                                             scalar.index(distance));
        };
        if (form.causal)
          require(scalar.less(j, beyond(1)));
        if (form.left >= 0)
          require(scalar.less(beyond(-form.left - 1), j));
        if (form.right >= 0)
          require(scalar.less(j, beyond(form.right + 1)));
        if (form.keyCount)
          require(scalar.less(j, scalar.extractIndex(form.keyCount, b)));
        return seen;
      });
}
