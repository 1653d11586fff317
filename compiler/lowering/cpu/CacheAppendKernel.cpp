//===- CacheAppendKernel.cpp - Writing into a cache on the CPU ------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/CacheAppendKernel.h"

#include "compiler/lowering/cpu/ElementwiseKernel.h"
#include "dialects/xf/Xf.h"

using namespace mlir;
using namespace dragoman;

namespace {

class AppendEmitter {
public:
  AppendEmitter(KernelBody &body, xf::CacheAppendOp op, int64_t slot)
      : body(body), k(body.k), pull(body), op(op), slot(slot),
        axes(xf::AttentionOp::axes(op.getFreshLayout())) {}

  Value freshRows() { return body.size(op.getFresh(), axes[0]); }
  Value heads() { return body.size(op.getCache(), 1); }
  void emit(Value row, Value head);

private:
  Value scalar(Value tensor, Value row);
  void write(Value row, Value head, Value target, Value at);

  KernelBody &body;
  KernelBuilder &k;
  PullEvaluator pull;
  xf::CacheAppendOp op;
  int64_t slot;
  std::array<unsigned, 4> axes;
};

} // namespace

/// Entry `row` of an integer tensor as i64.
Value AppendEmitter::scalar(Value tensor, Value row) {
  pull.newElements();
  Value value = pull.read(tensor, {pull.uniform(row)}, Value()).value;
  if (!value.getType().isInteger(64))
    value = arith::ExtSIOp::create(k.op(), k.i64(), value);
  return value;
}

void AppendEmitter::emit(Value row, Value head) {
  using Predicate = arith::CmpIPredicate;
  Value zero = k.constantInt(k.i64(), 0);
  Value number = k.fromIndex(row, k.i64());
  Value target = op.getRow() ? scalar(op.getRow(), row) : number;
  Value at = op.getAt() ? scalar(op.getAt(), row) : zero;
  Value length = k.fromIndex(body.size(op.getFresh(), axes[2]), k.i64());
  Value end = arith::AddIOp::create(k.op(), at, length);
  Value rows = k.fromIndex(body.size(op.getCache(), 0), k.i64());
  Value capacity = k.fromIndex(body.size(op.getCache(), 2), k.i64());
  // As unsigned numbers negative ones are large.
  Value badRow = k.cmp(Predicate::uge, target, rows);
  Value badAt =
      arith::OrIOp::create(k.op(), k.less(at, zero), k.less(capacity, end));
  k.ifElse(
      badRow, [&] { k.recordError(op.getSite(), number, target, rows); },
      [&] {
        k.ifElse(
            badAt, [&] { k.recordError(op.getSite(), number, end, capacity); },
            [&] { write(row, head, k.toIndex(target), k.toIndex(at)); });
      });
}

void AppendEmitter::write(Value row, Value head, Value target, Value at) {
  Value size = body.size(op.getCache(), 3);
  Value capacity = body.size(op.getCache(), 2);
  Value base = k.mul(k.add(k.mul(target, heads()), head), capacity);
  base = k.mul(base, size);
  bool panels = op.getLayout() == "panel16";
  k.forLoop(k.index(0), body.size(op.getFresh(), axes[2]), 1, [&](Value t) {
    Value position = k.add(at, t);
    // Element 0 of the position, and the stride to the next element.
    Value first = k.mul(position, size);
    if (panels)
      first =
          k.add(k.mul(k.mul(k.div(position, kernelLanes), size), kernelLanes),
                k.rem(position, kernelLanes));
    first = k.add(base, first);
    forColumns(k, k.index(0), size, [&](Value column, Value mask) {
      pull.newElements();
      llvm::SmallVector<Lanes> index(4);
      index[axes[0]] = pull.uniform(row);
      index[axes[1]] = pull.uniform(head);
      index[axes[2]] = pull.uniform(t);
      index[axes[3]] = pull.ramp(column, 1, true);
      Value lanes = pull.readVector(op.getFresh(), index, mask);
      if (!panels)
        return pull.write(slot, pull.ramp(k.add(first, column), 1, false),
                          pull.fromVector(lanes), mask);
      Type element = cast<VectorType>(lanes.getType()).getElementType();
      Value cache = k.slot(slot, element);
      Value place = k.add(first, k.mul(column, kernelLanes));
      for (int64_t lane = 0; lane < kernelLanes; ++lane) {
        auto store = [&] {
          k.store(k.extract(lanes, lane), cache,
                  k.add(place, lane * kernelLanes));
        };
        if (!mask)
          store();
        else
          k.ifThen(k.extract(mask, lane), store);
      }
    });
  });
}

LogicalResult dragoman::lowerCacheAppend(plan::KernelOp kernel,
                                         KernelBuilder &k) {
  KernelBody body(kernel, k);
  std::vector<AppendEmitter> emitters;
  for (auto [i, value] : llvm::enumerate(body.yield().getOperands())) {
    auto op = value.getDefiningOp<xf::CacheAppendOp>();
    if (!op || !kernel.getResultAttr(i, "plan.alias")) {
      body.error(kernel) << "expected appends that share their cache's memory";
      return body.status();
    }
    emitters.emplace_back(body, op, body.resultSlot(i));
  }
  Value heads = emitters.front().heads();
  k.forTiles([&](Value tile) {
    for (AppendEmitter &emitter : emitters)
      emitter.emit(k.div(tile, heads), k.rem(tile, heads));
  });
  return body.status();
}
