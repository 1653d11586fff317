//===- Rotary.cpp - Decomposition of xf.rotary ----------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/decompose/TensorBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;
namespace arith = mlir::arith;

/// [T] of 0, 1, .. where the op has no positions, else the positions.
static Value positionsOf(RotaryOp op, TensorBuilder &tensors,
                         unsigned lengthAxis) {
  if (op.getPositions())
    return op.getPositions();
  return tensors.elementwise(
      {}, {tensors.size(op.getX(), lengthAxis)}, tensors.builder.getI64Type(),
      [&](ScalarBuilder &scalar, mlir::ValueRange) -> Value {
        return arith::IndexCastOp::create(scalar.builder, scalar.loc,
                                          scalar.builder.getI64Type(),
                                          scalar.loop(0));
      });
}

/// The check of every position against the table's rows.
static void checkPositions(RotaryOp op, TensorBuilder &tensors, Value positions,
                           Value rows) {
  mlir::OpBuilder &builder = tensors.builder;
  mlir::RankedTensorType type = tensorType(positions);
  mlir::Type integer = type.getElementType();
  Value inside = tensors.elementwise(
      {{positions, builder.getMultiDimIdentityMap(type.getRank())}},
      tensors.sizes(positions), builder.getI1Type(),
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value position = arith::IndexCastOp::create(
            scalar.builder, scalar.loc, builder.getIndexType(), in[0]);
        return scalar.both(scalar.less(scalar.index(-1), position),
                           scalar.less(position, rows));
      });
  Value bound = mlir::tensor::FromElementsOp::create(
      builder, op.getLoc(), mlir::RankedTensorType::get({}, integer),
      arith::IndexCastOp::create(builder, op.getLoc(), integer, rows)
          .getResult());
  CheckOp::create(builder, op.getLoc(), inside, positions, bound, op.getSite());
}

namespace {

/// The pair that a channel belongs to.
struct Pair {
  Value index;   ///< of the angle
  Value partner; ///< the other channel
  Value second;  ///< whether the channel is the second of its pair
};

} // namespace

static Pair pairOf(RotaryOp op, ScalarBuilder &scalar, Value channel) {
  int64_t half = tensorType(op.getCos()).getDimSize(1);
  auto add = [&](Value a, Value b) -> Value {
    return arith::AddIOp::create(scalar.builder, scalar.loc, a, b);
  };
  auto equal = [&](Value a, int64_t b) -> Value {
    return arith::CmpIOp::create(scalar.builder, scalar.loc,
                                 arith::CmpIPredicate::eq, a, scalar.index(b));
  };
  if (!op.getInterleaved()) {
    Value first = scalar.less(channel, scalar.index(half));
    Value up = add(channel, scalar.index(half));
    Value down = add(channel, scalar.index(-half));
    Value second = scalar.less(scalar.index(half - 1), channel);
    return {scalar.select(first, channel, down), scalar.select(first, up, down),
            second};
  }
  Value two = scalar.index(2);
  Value odd = equal(
      arith::RemUIOp::create(scalar.builder, scalar.loc, channel, two), 1);
  Value partner =
      add(channel, scalar.select(odd, scalar.index(-1), scalar.index(1)));
  return {arith::DivUIOp::create(scalar.builder, scalar.loc, channel, two),
          partner, odd};
}

llvm::FailureOr<llvm::SmallVector<Value>>
RotaryOp::decompose(mlir::OpBuilder &builder) {
  TensorBuilder tensors(builder, getLoc());
  mlir::Type element = tensorType(getX()).getElementType(),
             acc = accumulatorType(element);
  std::array<unsigned, 4> axes = AttentionOp::axes(getLayout());
  int64_t turned = tensorType(getCos()).getDimSize(1) * 2;
  Value rows = tensors.asIndex(tensors.size(getCos(), 0));
  Value positions = positionsOf(*this, tensors, axes[2]);
  checkPositions(*this, tensors, positions, rows);
  Value angles = tensors.asIndex(builder.getIndexAttr(turned / 2));
  Value channels = tensors.asIndex(tensors.size(getX(), 3));
  Value y = tensors.elementwise(
      {{getX(), builder.getMultiDimIdentityMap(4)}}, tensors.sizes(getX()),
      element, [&](ScalarBuilder &scalar, mlir::ValueRange in) -> Value {
        if (turned == 0)
          return in[0];
        llvm::SmallVector<Value> at = {scalar.loop(0), scalar.loop(1),
                                       scalar.loop(2), scalar.loop(3)};
        llvm::SmallVector<Value> place = {at[axes[2]]};
        if (getPositions())
          place.insert(place.begin(), at[axes[0]]);
        Value position =
            scalar.clamp(scalar.extractIndex(positions, place), rows);
        Pair pair = pairOf(*this, scalar, at[3]);
        Value inside = scalar.less(at[3], scalar.index(turned));
        Value angle = scalar.clamp(pair.index, angles);
        Value c = scalar.cast(scalar.extract(getCos(), {position, angle}), acc);
        Value s = scalar.cast(scalar.extract(getSin(), {position, angle}), acc);
        at[3] = scalar.clamp(pair.partner, channels);
        Value other = scalar.cast(scalar.extract(getX(), at), acc);
        Value product = scalar.multiply(other, s);
        Value minus = scalar.subtract(scalar.constant(acc, 0.0), product);
        Value turn = getInverse() ? scalar.select(pair.second, minus, product)
                                  : scalar.select(pair.second, product, minus);
        Value result =
            scalar.add(scalar.multiply(scalar.cast(in[0], acc), c), turn);
        return scalar.select(inside, scalar.cast(result, element), in[0]);
      });
  return llvm::SmallVector<Value>{tensors.ofType(y, getY().getType())};
}
