//===- VectorPhilox.cpp - The random draws of dropout on lanes ------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/VectorPhilox.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

using namespace mlir;
using namespace dragoman;

static constexpr int64_t wordMask = 0xffffffff;

/// The i64 `value` as a constant of `type`, a scalar or vector of i64.
static Value constantOf(KernelBuilder &k, Type type, int64_t value) {
  TypedAttr attribute = k.op().getI64IntegerAttr(value);
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, Attribute(attribute));
  return arith::ConstantOp::create(k.op(), attribute);
}

static Value lowWord(KernelBuilder &k, Value x) {
  return arith::AndIOp::create(k.op(), x, constantOf(k, x.getType(), wordMask));
}

static Value highWord(KernelBuilder &k, Value x) {
  return arith::ShRUIOp::create(k.op(), x, constantOf(k, x.getType(), 32));
}

static Value exclusiveOr(KernelBuilder &k, Value x, Value y) {
  return arith::XOrIOp::create(k.op(), x, y);
}

std::array<Value, 2> dragoman::philoxKey(KernelBuilder &k, Value seed,
                                         int64_t site) {
  return {lowWord(k, exclusiveOr(k, seed, highWord(k, seed))),
          k.constantInt(k.i64(), site)};
}

std::array<Value, 4> dragoman::emitPhilox(KernelBuilder &k,
                                          std::array<Value, 4> counter,
                                          std::array<Value, 2> key) {
  Type type = counter[0].getType();
  Value multipliers[2] = {constantOf(k, type, 0xD2511F53),
                          constantOf(k, type, 0xCD9E8D57)};
  for (int64_t round = 0; round < 10; ++round) {
    // The weighted key is a scalar: it leaves the loops around.
    Value keys[2];
    for (auto [i, step] : {std::pair(0, int64_t(0x9E3779B9)),
                           std::pair(1, int64_t(0xBB67AE85))}) {
      Value word = arith::AddIOp::create(
          k.op(), key[i], k.constantInt(k.i64(), (round * step) & wordMask));
      keys[i] = isa<VectorType>(type)
                    ? Value(vector::BroadcastOp::create(k.op(), type, word))
                    : word;
    }
    Value first =
        arith::MulIOp::create(k.op(), lowWord(k, counter[0]), multipliers[0]);
    Value second =
        arith::MulIOp::create(k.op(), lowWord(k, counter[2]), multipliers[1]);
    auto mixed = [&](Value product, Value word, Value with) {
      return exclusiveOr(k, exclusiveOr(k, highWord(k, product), word), with);
    };
    counter = {mixed(second, counter[1], keys[0]), second,
               mixed(first, counter[3], keys[1]), first};
  }
  for (Value &word : counter)
    word = lowWord(k, word);
  return counter;
}

Value dragoman::emitDraws(KernelBuilder &k, Value first, Value second,
                          Value rowKey, std::array<Value, 2> key) {
  VectorType four = k.vec(k.i64(), 4);
  Value blocks = arith::ConstantOp::create(
      k.op(),
      DenseElementsAttr::get(four, llvm::ArrayRef<int64_t>{0, 1, 2, 3}));
  Value start = k.fromIndex(k.div(first, 4), k.i64());
  auto words =
      emitPhilox(k,
                 {arith::AddIOp::create(k.op(), k.broadcast(start, 4), blocks),
                  k.broadcast(second, 4), k.broadcast(rowKey, 4),
                  k.broadcast(highWord(k, rowKey), 4)},
                 key);
  // Word w of counter b belongs to element 4 b + w.
  for (Value &word : words)
    word = arith::TruncIOp::create(k.op(), k.vec(k.i32(), 4), word);
  llvm::SmallVector<int64_t> joined = {0, 1, 2, 3, 4, 5, 6, 7}, order;
  Value low = k.shuffle(words[0], words[1], joined);
  Value high = k.shuffle(words[2], words[3], joined);
  for (int64_t element = 0; element < kernelLanes; ++element)
    order.push_back(element % 4 * 4 + element / 4);
  return k.shuffle(low, high, order);
}

Value dragoman::emitKept(KernelBuilder &k, Value draws, double p) {
  double threshold = std::fmin(std::ceil(std::ldexp(p, 32)), 4294967295.0);
  // As a signed number: the lanes are 32 bits wide.
  auto bits = static_cast<int32_t>(static_cast<uint32_t>(threshold));
  return k.cmp(arith::CmpIPredicate::uge, draws, k.splatInt(k.i32(), bits));
}
