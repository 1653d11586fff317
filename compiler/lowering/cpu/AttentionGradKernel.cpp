//===- AttentionGradKernel.cpp - Attention's gradient: blocks and tiles ---===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/AttentionGradEmitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace dragoman;

using Values = KernelBuilder::Values;

static constexpr double minusInfinity =
    -std::numeric_limits<double>::infinity();

AttentionGradEmitter::AttentionGradEmitter(KernelBuilder &k,
                                           const AttentionGradSpec &spec)
    : k(k), spec(spec), scratch(spec.queryTile, spec.headSize, spec.valueSize),
      wide(k.target().vectorRegisters >= 32 ? 4 : 1) {}

int64_t AttentionGradEmitter::tileHeight(int64_t width) const {
  // height * width accumulators, width columns and one broadcast. Taller narrow
  // tiles are no faster, and each height is code of its own.
  if (wide == 1)
    return 6;
  return width >= 4 ? 6 : 8;
}

Value AttentionGradEmitter::rowOffset(const AttentionOperand &operand,
                                      Value batch, Value head, Value row) {
  Value offset = k.add(operand.offset, k.mul(batch, operand.strides[0]));
  offset = k.add(offset, k.mul(head, operand.strides[1]));
  return k.add(offset, k.mul(row, operand.strides[2]));
}

AttentionGradEmitter::Lines
AttentionGradEmitter::linesOf(const AttentionOperand &operand, Value batch,
                              Value head, Value row) {
  return {k.slot(operand.slot, k.f32()), rowOffset(operand, batch, head, row),
          operand.strides[2], k.constantInt(k.op().getI1Type(), 0)};
}

Value AttentionGradEmitter::loadColumns(Value base, Value row, int64_t column,
                                        int64_t size) {
  Value place = window(base, k.add(row, column));
  if (column + kernelLanes <= size)
    return k.loadV(place, k.index(0));
  return k.loadMasked(place, k.index(0), k.tailMask(k.index(size - column)));
}

void AttentionGradEmitter::storeColumns(Value vector, Value base, Value row,
                                        int64_t column, int64_t size) {
  Value place = window(base, k.add(row, column));
  if (column + kernelLanes <= size)
    return k.storeV(vector, place, k.index(0));
  k.storeMasked(vector, place, k.index(0), k.tailMask(k.index(size - column)));
}

Value AttentionGradEmitter::anyLane(Value lanes) {
  return vector::ReductionOp::create(k.op(), vector::CombiningKind::OR, lanes);
}

void AttentionGradEmitter::emit() {
  Value keyHeads = k.index(spec.keyHeads), zero = k.index(0);
  int64_t group = spec.heads / spec.keyHeads;
  k.forTiles([&](Value tile) {
    Value batch = k.div(tile, keyHeads), keyHead = k.rem(tile, keyHeads);
    if (spec.dq)
      k.forLoop(zero, k.index(group), 1, [&](Value member) {
        clear(*spec.dq, spec.headSize, batch,
              k.add(k.mul(keyHead, group), member), spec.queries);
      });
    if (spec.dk)
      clear(*spec.dk, spec.headSize, batch, keyHead, spec.keys);
    if (spec.dv)
      clear(*spec.dv, spec.valueSize, batch, keyHead, spec.keys);
    if (spec.clearCaptures)
      spec.clearCaptures(batch, keyHead);
    Value limit = spec.keyLimit(batch);
    k.forLoop(zero, limit, attentionKeyBlock,
              [&](Value start) { emitBlock(batch, keyHead, start, limit); });
  });
}

/// Zeroes `rows` rows of a result.
void AttentionGradEmitter::clear(const AttentionOperand &operand, int64_t size,
                                 Value batch, Value head, Value rows) {
  Value base = k.slot(operand.slot, k.f32());
  Value first = rowOffset(operand, batch, head, k.index(0));
  k.forLoop(k.index(0), rows, 1, [&](Value row) {
    Value offset = k.add(first, k.mul(row, operand.strides[2]));
    for (int64_t column = 0; column < size; column += kernelLanes)
      storeColumns(k.splat(0), base, offset, column, size);
  });
}

void AttentionGradEmitter::emitBlock(Value batch, Value keyHead, Value start,
                                     Value limit) {
  Block block = {batch, keyHead, start,
                 k.min(k.sub(limit, start), attentionKeyBlock),
                 linesOf(spec.k, batch, keyHead, start)};
  block.rows.poisoned = packPanels(spec.k, block, spec.headSize, scratch.keys);
  packPanels(spec.v, block, spec.valueSize, scratch.values);
  if (scratch.headLanes != spec.headSize)
    block.rows =
        packRows(block.rows, block.count, spec.headSize, scratch.keyRows);
  int64_t group = spec.heads / spec.keyHeads;
  k.forLoop(k.index(0), k.index(group), 1, [&](Value member) {
    Value head = k.add(k.mul(keyHead, group), member);
    k.forLoop(k.index(0), spec.queries, spec.queryTile,
              [&](Value row) { emitTile(block, head, row); });
  });
}

/// rows [count][size] -> panels [ceil(count / 16)][size][16]; lanes past the
/// last row repeat it.
Value AttentionGradEmitter::packPanels(const AttentionOperand &operand,
                                       const Block &block, int64_t size,
                                       int64_t panels) {
  Lines rows = linesOf(operand, block.batch, block.keyHead, block.start);
  Value packed = scratchF(panels), zero = k.splat(0);
  Value last = k.sub(block.count, 1);
  Values test = k.forLoop(
      k.index(0), k.ceilDiv(block.count, kernelLanes), 1, {zero},
      [&](Value panel, ValueRange carried) -> Values {
        Values offsets;
        for (int64_t i = 0; i < kernelLanes; ++i)
          offsets.push_back(
              line(rows, k.min(k.add(k.mul(panel, kernelLanes), i), last)));
        Value target = k.mul(panel, size * kernelLanes);
        Value bad = carried[0];
        for (int64_t column = 0; column < size; column += kernelLanes) {
          Values lines;
          for (Value offset : offsets) {
            lines.push_back(loadColumns(rows.base, offset, column, size));
            bad = k.fma(lines.back(), zero, bad);
          }
          Values turned = k.transpose16(lines);
          int64_t columns = std::min(kernelLanes, size - column);
          for (int64_t c = 0; c < columns; ++c)
            storeAt(turned[c], packed,
                    k.add(target, (column + c) * kernelLanes));
        }
        return {bad};
      });
  // 0 * x is 0 for finite x, else NaN.
  return anyLane(k.cmpF(arith::CmpFPredicate::UNO, test[0], test[0]));
}

/// Copies rows to whole vectors; elements past `size` are zero.
AttentionGradEmitter::Lines AttentionGradEmitter::packRows(const Lines &rows,
                                                           Value count,
                                                           int64_t size,
                                                           int64_t part) {
  Value packed = scratchF(part);
  int64_t lanes = (size + kernelLanes - 1) / kernelLanes * kernelLanes;
  k.forLoop(k.index(0), count, 1, [&](Value row) {
    for (int64_t column = 0; column < size; column += kernelLanes)
      storeAt(loadColumns(rows.base, line(rows, row), column, size), packed,
              k.add(k.mul(row, lanes), column));
  });
  return {packed, k.index(0), k.index(lanes), rows.poisoned};
}

void AttentionGradEmitter::emitTile(const Block &block, Value head, Value row) {
  Tile tile;
  tile.head = head;
  tile.row = row;
  tile.count = k.min(k.sub(spec.queries, row), spec.queryTile);
  tile.q = linesOf(spec.q, block.batch, head, row);
  tile.dout = linesOf(spec.dout, block.batch, head, row);
  Values seen = startTile(block, tile);
  tile.from = seen[0];
  tile.to = seen[1];
  k.ifThen(k.less(tile.from, tile.to), [&] {
    auto bad = [&](Value test) {
      return anyLane(k.cmpF(arith::CmpFPredicate::UNO, test, test));
    };
    tile.q.poisoned = bad(seen[2]);
    tile.dout.poisoned = bad(seen[3]);
    if (scratch.headLanes != spec.headSize)
      tile.q = packRows(tile.q, tile.count, spec.headSize, scratch.queryRows);
    if (scratch.valueLanes != spec.valueSize)
      tile.dout =
          packRows(tile.dout, tile.count, spec.valueSize, scratch.doutRows);
    emitProducts(tile, tile.q, spec.headSize, scratch.keys, scratch.weights);
    emitProducts(tile, tile.dout, spec.valueSize, scratch.values,
                 scratch.scores);
    k.forLoop(k.index(0), tile.count, 1,
              [&](Value local) { gradients(block, tile, local); });
    addKeys(block, tile);
    addQueries(block, tile);
  });
}

/// Notes for each row of the tile the keys of the block that it sees, its mean
/// and the shift of its exponents. Returns the first and last key that some row
/// sees, and 0 * q and 0 * dout summed up.
Values AttentionGradEmitter::startTile(const Block &block, Tile &tile) {
  Value zero = k.splat(0);
  return k.forLoop(
      k.index(0), tile.count, 1, {block.count, k.index(0), zero, zero},
      [&](Value local, ValueRange carried) -> Values {
        AttentionQuery at = query(block, tile, local);
        Value lse = spec.lse(at);
        auto [first, last] = spec.visible(at);
        // A row that sees nothing, or whose scores are all -inf.
        Value empty =
            k.cmpF(arith::CmpFPredicate::OEQ, lse, k.constantF(minusInfinity));
        auto inBlock = [&](Value key) {
          return k.max(k.min(k.sub(key, block.start), block.count), 0);
        };
        first = inBlock(first);
        last = k.max(inBlock(last), first);
        last = k.select(empty, first, last);
        k.store(k.fromIndex(first, k.i64()), scratchI(scratch.first), local);
        k.store(k.fromIndex(last, k.i64()), scratchI(scratch.last), local);
        Value shift = k.mulF(lse, k.constantF(-1.44269504088896341));
        k.store(k.select(empty, k.constantF(0), shift),
                scratchF(scratch.shifts), local);
        k.store(rowMean(at, tile, local), scratchF(scratch.means), local);

        Value sees = k.less(first, last);
        Values next = {k.select(sees, k.min(carried[0], first), carried[0]),
                       k.select(sees, k.max(carried[1], last), carried[1])};
        auto test = [&](const Lines &rows, int64_t size, Value sum) {
          for (int64_t column = 0; column < size; column += kernelLanes)
            sum = k.fma(loadColumns(rows.base, line(rows, local), column, size),
                        zero, sum);
          return sum;
        };
        next.push_back(test(tile.q, spec.headSize, carried[2]));
        next.push_back(test(tile.dout, spec.valueSize, carried[3]));
        return next;
      });
}

/// sum_c dout * out - dlse.
Value AttentionGradEmitter::rowMean(const AttentionQuery &query,
                                    const Tile &tile, Value local) {
  Value out = k.slot(spec.out.slot, k.f32());
  Value outRow = rowOffset(spec.out, query.batch, query.head, query.row);
  Value doutRow = line(tile.dout, local), sum = k.splat(0);
  for (int64_t column = 0; column < spec.valueSize; column += kernelLanes)
    sum = k.fma(loadColumns(tile.dout.base, doutRow, column, spec.valueSize),
                loadColumns(out, outRow, column, spec.valueSize), sum);
  Value mean = k.reduceSum(sum);
  return spec.dlse ? k.subF(mean, spec.dlse(query)) : mean;
}

void dragoman::emitAttentionGrad(KernelBuilder &k,
                                 const AttentionGradSpec &spec) {
  AttentionGradEmitter(k, spec).emit();
}
