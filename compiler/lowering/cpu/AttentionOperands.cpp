//===- AttentionOperands.cpp - Reading attention's operands ---------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/AttentionOperands.h"

#include "compiler/lowering/cpu/VectorMath.h"
#include "compiler/lowering/cpu/VectorPhilox.h"

#include <limits>

using namespace mlir;
using namespace dragoman;

bool AttentionOperands::operand(Value tensor, llvm::StringRef layout,
                                AttentionOperand &out) {
  std::optional<StridedView> view = body.view(tensor);
  std::array<unsigned, 4> axes = xf::AttentionOp::axes(layout);
  if (!view || !view->strides[axes[3]].isConstant(1)) {
    body.error(form.op)
        << "expected operands that are views of arguments with a "
           "contiguous last axis, found "
        << tensor.getType();
    return false;
  }
  out.slot = view->slot;
  out.offset = body.value(view->offset);
  for (unsigned i = 0; i < 3; ++i)
    out.strides[i] = body.value(view->strides[axes[i]]);
  return true;
}

Value AttentionOperands::scalar(Value tensor, llvm::ArrayRef<Value> at) {
  llvm::SmallVector<Lanes> indices;
  for (Value index : at)
    indices.push_back(pull.uniform(index));
  pull.newElements();
  Lanes lanes = pull.read(tensor, indices, Value());
  return k.toIndex(lanes.value);
}

Value AttentionOperands::position(const AttentionQuery &query) {
  if (!form.offset)
    return query.row;
  bool single = cast<RankedTensorType>(form.offset.getType()).getRank() == 0;
  Value start =
      single ? scalar(form.offset, {}) : scalar(form.offset, {query.batch});
  return k.add(query.row, start);
}

Value AttentionOperands::keyLimit(Value batch, Value keys) {
  if (!form.keyCount)
    return keys;
  return k.max(k.min(keys, scalar(form.keyCount, {batch})), 0);
}

std::pair<Value, Value> AttentionOperands::visible(const AttentionQuery &query,
                                                   Value keys) {
  Value zero = k.index(0), first = zero, last = keys;
  if (form.keyCount)
    last = k.min(last, scalar(form.keyCount, {query.batch}));
  if (form.causal || form.left >= 0 || form.right >= 0) {
    Value at = position(query);
    if (form.causal)
      last = k.min(last, k.add(at, 1));
    if (form.right >= 0)
      last = k.min(last, k.add(at, form.right + 1));
    if (form.left >= 0)
      first = k.max(k.sub(at, form.left), zero);
  }
  last = k.max(last, zero);
  return {k.min(first, last), last};
}

/// The index of (query, 16 keys from `key`) in a tensor that broadcasts to
/// [B,H,T,S].
llvm::SmallVector<Lanes>
AttentionOperands::scoreIndex(Value tensor, const AttentionQuery &query,
                              Value key) {
  Lanes index[4] = {pull.uniform(query.batch), pull.uniform(query.head),
                    pull.uniform(query.row), pull.ramp(key, 1, true)};
  llvm::SmallVector<Lanes> at;
  auto shape = cast<RankedTensorType>(tensor.getType()).getShape();
  for (auto [size, lanes] : llvm::zip(shape, index))
    at.push_back(size == 1 ? pull.constant(0) : lanes);
  return at;
}

bool AttentionOperands::hasScore() const {
  return form.softcap != 0 || form.bias || form.mask || form.score ||
         form.scale <= 0;
}

Value AttentionOperands::biased(const AttentionQuery &query, Value key,
                                Value products, Value mask) {
  pull.newElements();
  Value s = k.mulF(products, k.splat(form.scale));
  if (form.softcap > 0)
    s = k.mulF(emitTanh(k, k.mulF(s, k.splat(1 / form.softcap))),
               k.splat(form.softcap));
  if (form.bias)
    s = k.addF(
        s, pull.readVector(form.bias, scoreIndex(form.bias, query, key), mask));
  return s;
}

llvm::SmallVector<Lanes> AttentionOperands::region(Region &region,
                                                   const AttentionQuery &query,
                                                   Value key, Value values,
                                                   llvm::ArrayRef<Value> rest,
                                                   Value mask) {
  llvm::SmallVector<Lanes> arguments = {
      pull.fromVector(values), pull.uniform(query.batch),
      pull.uniform(query.head), pull.uniform(position(query)),
      pull.ramp(key, 1, true)};
  for (Value value : rest)
    arguments.push_back(pull.fromVector(value));
  pull.newElements();
  return pull.evaluateBlock(region.front(), arguments, {}, mask);
}

Value AttentionOperands::score(const AttentionQuery &query, Value key,
                               Value products, Value mask) {
  Value s = biased(query, key, products, mask);
  if (form.score)
    s = pull.vector(region(*form.score, query, key, s, {}, mask)[0]);
  if (form.mask) {
    Value lanes =
        pull.readVector(form.mask, scoreIndex(form.mask, query, key), mask);
    s = k.select(lanes, s, k.splat(-std::numeric_limits<double>::infinity()));
  }
  return s;
}

Value AttentionOperands::dropped(const AttentionQuery &query, Value key,
                                 Value weights) {
  pull.newElements();
  Value seed = pull.read(form.seed, {}, Value()).value;
  Value rowKey =
      pull.read(form.rowKey, {pull.uniform(query.batch)}, Value()).value;
  Value second = k.add(k.mul(query.head, int64_t(1) << 20), query.row);
  Value draws = emitDraws(k, key, k.fromIndex(second, k.i64()), rowKey,
                          philoxKey(k, seed, form.site));
  Value scaled = k.mulF(weights, k.splat(1 / (1 - form.dropout)));
  return k.select(emitKept(k, draws, form.dropout), scaled, k.splat(0));
}
