//===- PullDropout.cpp - Dropout inside pulled producers ------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/PullEvaluator.h"
#include "compiler/lowering/cpu/VectorPhilox.h"
#include "dialects/xf/Xf.h"

using namespace mlir;
using namespace dragoman;

/// Index lanes as 64-bit words.
static Value words(PullEvaluator &pull, KernelBuilder &k, const Lanes &lanes) {
  return arith::IndexCastOp::create(k.op(), k.vec(k.i64()), pull.vector(lanes));
}

Lanes PullEvaluator::readDropout(Operation *op, llvm::ArrayRef<Lanes> at,
                                 Value mask) {
  auto dropout = cast<xf::DropoutOp>(op);
  if (!dropout.getX().getType().getElementType().isF32())
    return unsupported(op, dropout.getX().getType().getElementType());
  Value x = readVector(dropout.getX(), at, mask);
  double p = dropout.getP().convertToDouble();
  Value draws = readDraws(op, at, mask);
  Value scaled = k.mulF(x, k.splat(1 / (1 - p)));
  return fromVector(k.select(emitKept(k, draws, p), scaled, k.splat(0)));
}

/// The draws of 16 elements, as i32 lanes.
Value PullEvaluator::readDraws(Operation *op, llvm::ArrayRef<Lanes> at,
                               Value mask) {
  auto dropout = cast<xf::DropoutOp>(op);
  Lanes seed = read(dropout.getSeed(), {}, Value());
  Lanes rowKey = read(dropout.getRowKey(), {at.front()}, mask);
  std::array<Value, 2> key = philoxKey(k, seed.value, dropout.getSite());
  Lanes last = at.size() > 1 ? at.back() : constant(0), second = constant(0);
  if (at.size() > 2)
    second = at[at.size() - 2];
  if (at.size() > 3)
    second = add(mul(at[1], k.index(1 << 20)), second);

  // 1. Sixteen elements in a row share four counters.
  if (last.kind == Lanes::Ramp && last.step == 1 && last.aligned &&
      second.kind == Lanes::Uniform && rowKey.kind == Lanes::Uniform)
    return emitDraws(k, last.value, k.fromIndex(second.value, k.i64()),
                     rowKey.value, key);

  // 2. Any others: a counter per lane, and one of its words.
  Value columns = words(*this, k, last), row = vector(rowKey);
  auto shift = [&](Value x, int64_t bits) -> Value {
    return arith::ShRUIOp::create(k.op(), x, k.splatInt(k.i64(), bits));
  };
  auto drawn = emitPhilox(
      k, {shift(columns, 2), words(*this, k, second), row, shift(row, 32)},
      key);
  Value word = arith::AndIOp::create(k.op(), columns, k.splatInt(k.i64(), 3));
  Value result = drawn[3];
  for (int64_t i = 0; i < 3; ++i)
    result =
        k.select(k.cmp(arith::CmpIPredicate::eq, word, k.splatInt(k.i64(), i)),
                 drawn[i], result);
  return arith::TruncIOp::create(k.op(), k.vec(k.i32()), result);
}
