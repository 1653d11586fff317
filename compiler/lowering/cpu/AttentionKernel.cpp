//===- AttentionKernel.cpp - Attention on the CPU: tiles and rows ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/AttentionEmitter.h"
#include "compiler/lowering/cpu/VectorMath.h"

#include <limits>

using namespace mlir;
using namespace dragoman;

using Values = KernelBuilder::Values;

static constexpr double minusInfinity =
    -std::numeric_limits<double>::infinity();

AttentionEmitter::AttentionEmitter(KernelBuilder &k, const AttentionSpec &spec)
    : k(k), spec(spec), scratch(spec.blocks, spec.headSize, spec.valueSize),
      lanesV(scratch.valueLanes / kernelLanes),
      wide(k.target().vectorRegisters >= 32 ? 4 : 1),
      exponentScale(1.44269504088896341 * (spec.score ? 1 : spec.scale)) {}

int64_t AttentionEmitter::tileHeight(int64_t width) const {
  // height * width accumulators, width columns and one broadcast.
  if (wide == 1)
    return 6;
  return width >= 4 ? 6 : width == 3 ? 8 : 12;
}

void AttentionEmitter::emit() {
  Value heads = k.index(spec.heads);
  if (spec.blocks.rowGroup) {
    k.forTiles([&](Value tile) {
      emitShared(k.div(tile, heads), k.rem(tile, heads));
    });
    return;
  }
  Value block = k.index(spec.blocks.queryBlock);
  Value blocks = k.ceilDiv(spec.queries, block);
  k.forTiles([&](Value tile) {
    Value first = k.mul(k.rem(tile, blocks), block);
    Value pair = k.div(tile, blocks);
    Value count = k.min(block, k.sub(spec.queries, first));
    emitRows({k.div(pair, heads), k.rem(pair, heads), first, count});
  });
}

/// Batch rows that share a source: the first of them does the work of all. A
/// group ends where the source changes and at multiples of `rowGroup`, so it
/// does not depend on how tiles divide into calls.
void AttentionEmitter::emitShared(Value row, Value head) {
  Value source = spec.sourceRow(row, Value());
  Value block = k.index(spec.blocks.queryBlock);
  auto walk = [&](Value count) {
    Value total = k.mul(count, spec.queries);
    k.forLoop(k.index(0), k.ceilDiv(total, block), 1, [&](Value number) {
      Value first = k.mul(number, block);
      emitRows({row, head, first, k.min(block, k.sub(total, first))});
    });
  };
  if (!spec.mergesRows)
    return walk(k.index(1));
  Value group = k.index(spec.blocks.rowGroup);
  Value atBorder =
      k.cmp(arith::CmpIPredicate::eq, k.rem(row, group), k.index(0));
  Value leads = k.ifElse(
      atBorder, {k.op().getI1Type()},
      [&]() -> Values { return {k.constantInt(k.op().getI1Type(), 1)}; },
      [&]() -> Values {
        return {k.cmp(arith::CmpIPredicate::ne,
                      spec.sourceRow(k.sub(row, 1), Value()), source)};
      })[0];
  k.ifThen(leads, [&] {
    Value end = k.min(k.mul(k.add(k.div(row, group), 1), group), spec.batch);
    // The first row from row + 1 on with another source.
    Value stop =
        k.forLoop(k.add(row, 1), end, 1, {end},
                  [&](Value next, ValueRange carried) -> Values {
                    Value other = k.cmp(arith::CmpIPredicate::ne,
                                        spec.sourceRow(next, Value()), source);
                    return {k.min(carried[0], k.select(other, next, end))};
                  })[0];
    walk(k.sub(stop, row));
  });
}

AttentionQuery AttentionEmitter::query(const Rows &rows, Value row) {
  Value number = k.add(rows.first, row);
  if (!spec.blocks.rowGroup)
    return {rows.batch, rows.head, number};
  return {k.add(rows.batch, k.div(number, spec.queries)), rows.head,
          k.rem(number, spec.queries)};
}

/// Of row `row` of the walk; rows run on over (b, t) with the stride of t.
Value AttentionEmitter::rowOffset(const AttentionOperand &operand,
                                  const Rows &rows, Value row) {
  Value offset = k.add(operand.offset, k.mul(rows.batch, operand.strides[0]));
  offset = k.add(offset, k.mul(rows.head, operand.strides[1]));
  return k.add(offset, k.mul(k.add(rows.first, row), operand.strides[2]));
}

void AttentionEmitter::emitRows(const Rows &rows) {
  Values range = startRows(rows);
  Value block = k.index(attentionKeyBlock);
  Value from = k.index(0);
  if (spec.hasFirst)
    from = k.mul(k.div(range[0], block), block);
  k.forLoop(from, range[1], attentionKeyBlock, [&](Value start) {
    emitBlock(rows, {start, k.min(k.sub(range[1], start), block)});
  });
  finishRows(rows);
}

/// Clears the rows' state; returns the least first and the greatest last key
/// that one of them sees.
Values AttentionEmitter::startRows(const Rows &rows) {
  Value zero = k.splat(0);
  Values init = {spec.keys, k.index(0)};
  return k.forLoop(
      k.index(0), rows.count, 1, init,
      [&](Value row, ValueRange carried) -> Values {
        auto [first, last] = spec.visible(query(rows, row));
        storeIndex(scratch.first, row, first);
        storeIndex(scratch.last, row, last);
        k.store(k.constantF(minusInfinity), scratchF(scratch.maxima), row);
        storeAt(zero, scratchF(scratch.sums), k.mul(row, kernelLanes));
        for (int64_t panel = 0; panel < lanesV; ++panel)
          storeAt(zero, scratchF(scratch.out),
                  k.add(k.mul(row, scratch.valueLanes), panel * kernelLanes));
        return {k.min(carried[0], first), k.max(carried[1], last)};
      });
}

void AttentionEmitter::emitBlock(const Rows &rows, const Keys &keys) {
  prepareKeys(rows, keys);
  BalancedRows tiles =
      balanceRows(k, rows.count, k.index(spec.blocks.queryTile));
  k.forLoop(k.index(0), tiles.count, 1, [&](Value number) {
    Value row = tiles.start(k, number), count = tiles.height(k, number);
    // The keys of the block that some row of the tile sees.
    Values seen =
        k.forLoop(row, k.add(row, count), 1, {spec.keys, k.index(0)},
                  [&](Value at, ValueRange carried) -> Values {
                    return {spec.hasFirst ? k.min(carried[0],
                                                  loadIndex(scratch.first, at))
                                          : carried[0],
                            k.max(carried[1], loadIndex(scratch.last, at))};
                  });
    Value from = k.index(0);
    if (spec.hasFirst)
      from = k.sub(k.max(seen[0], keys.start), keys.start);
    Value to = k.min(k.sub(seen[1], keys.start), keys.count);
    k.ifThen(k.less(from, to),
             [&] { emitTile(rows, keys, {row, count, from, to}); });
  });
}

void AttentionEmitter::finishRows(const Rows &rows) {
  Value out = k.slot(spec.out.slot, k.f32());
  k.forLoop(k.index(0), rows.count, 1, [&](Value row) {
    Value sum =
        k.reduceSum(loadAt(scratchF(scratch.sums), k.mul(row, kernelLanes)));
    // A NaN stays; an empty row gives 0.
    Value some = k.cmpF(arith::CmpFPredicate::UGT, sum, k.constantF(0));
    Value inverse = k.broadcast(
        k.select(some, k.divF(k.constantF(1), sum), k.constantF(0)));
    Value target = rowOffset(spec.out, rows, row);
    for (int64_t panel = 0; panel < lanesV; ++panel) {
      int64_t column = panel * kernelLanes;
      Value value = loadAt(scratchF(scratch.out),
                           k.add(k.mul(row, scratch.valueLanes), column));
      // Adding +0 turns -0, which a flushed product may leave, into +0.
      value = k.addF(k.mulF(value, inverse), k.splat(0));
      Value place = window(out, k.add(target, column));
      if (column + kernelLanes <= spec.valueSize)
        k.storeV(value, place, k.index(0));
      else
        k.storeMasked(value, place, k.index(0),
                      k.tailMask(k.index(spec.valueSize - column)));
    }
    if (!spec.storeLse)
      return;
    Value maximum = k.load(scratchF(scratch.maxima), row);
    Value natural = k.mulF(maximum, k.constantF(0.69314718055994531));
    Value logarithm = k.extract(emitLog(k, k.broadcast(sum)), 0);
    Value lse = k.addF(natural, logarithm);
    Value empty = k.cmpF(arith::CmpFPredicate::OEQ, sum, k.constantF(0));
    spec.storeLse(query(rows, row),
                  k.select(empty, k.constantF(minusInfinity), lse));
  });
}

void dragoman::emitAttention(KernelBuilder &k, const AttentionSpec &spec) {
  AttentionEmitter(k, spec).emit();
}
