//===- AttentionTile.cpp - A tile of queries over a block of keys ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/AttentionEmitter.h"
#include "compiler/lowering/cpu/VectorMath.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace dragoman;

using Values = KernelBuilder::Values;

static constexpr double minusInfinity =
    -std::numeric_limits<double>::infinity();
static constexpr int64_t block = attentionKeyBlock;

void AttentionEmitter::emitTile(const Rows &rows, const Keys &keys,
                                const Tile &tile) {
  auto eachRow = [&](llvm::function_ref<void(Value)> body) {
    k.forLoop(k.index(0), tile.count, 1, body);
  };
  emitScores(rows, keys, tile);
  eachRow([&](Value row) { maximum(rows, keys, tile, row); });
  updateMaxima(tile);
  eachRow([&](Value row) { probabilities(rows, keys, tile, row); });
  emitValues(rows, keys, tile);
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// Register tiles over the panels that hold keys of the tile: full strips, then
/// single panels where the memory behind the last one is not ours.
void AttentionEmitter::emitScores(const Rows &rows, const Keys &keys,
                                  const Tile &tile) {
  Value from = k.div(tile.from, kernelLanes);
  Value to = k.ceilDiv(tile.to, kernelLanes);
  auto strips = [&](Value first, Value end, int64_t width, bool single) {
    k.forLoop(first, end, width, [&](Value panel) {
      scoreStrip(rows, keys, tile, panel, width, single);
    });
  };
  // 1. Packed keys: the memory behind the last panel is the block's.
  if (!inPlace()) {
    if (wide == 1)
      return strips(from, to, 1, false);
    PanelStrips split = splitPanels(k, from, to, block / kernelLanes);
    strips(split.from, split.end, wide, false);
    return k.ifThen(split.isOpen, [&] {
      strips(split.narrow, k.add(split.narrow, 2), 2, false);
    });
  }
  // 2. One query: as many chains as hide the latency of one.
  auto pieces = [&](std::initializer_list<int64_t> widths, bool single) {
    Value first = from;
    for (int64_t width : widths) {
      Value end = k.sub(to, k.rem(k.sub(to, first), width));
      strips(first, end, width, single);
      first = end;
    }
  };
  k.ifElse(
      k.cmp(arith::CmpIPredicate::eq, tile.count, k.index(1)),
      [&] {
        if (wide == 4)
          pieces({8, 2, 1}, true);
        else
          pieces({4, 1}, true);
      },
      [&] {
        if (wide == 4)
          pieces({4, 1}, false);
        else
          pieces({1}, false);
      });
}

void AttentionEmitter::scoreStrip(const Rows &rows, const Keys &keys,
                                  const Tile &tile, Value panel, int64_t width,
                                  bool single) {
  if (single)
    return scoreTile(rows, keys, tile, k.index(0), 1, panel, width);
  int64_t limit = tileHeight(4);
  BalancedRows split = balanceRows(k, tile.count, k.index(limit));
  std::set<int64_t> all = balancedHeights(1, spec.blocks.queryTile, limit);
  llvm::SmallVector<int64_t> heights(all.begin(), all.end());
  k.forLoop(k.index(0), split.count, 1, [&](Value number) {
    Value row = split.start(k, number);
    k.indexSwitch(split.height(k, number), heights, [&](int64_t height) {
      scoreTile(rows, keys, tile, row, height, panel, width);
    });
  });
}

/// Scores of `height` rows from the tile's row `row` on against `width` panels.
void AttentionEmitter::scoreTile(const Rows &rows, const Keys &keys,
                                 const Tile &tile, Value row, int64_t height,
                                 Value panel, int64_t width) {
  int64_t size = spec.headSize, panelSize = size * kernelLanes;
  llvm::SmallVector<OpFoldResult> sizes = {k.op().getIndexAttr(height),
                                           k.op().getIndexAttr(size)};
  llvm::SmallVector<OpFoldResult> strides = {spec.q.strides[2],
                                             k.op().getIndexAttr(1)};
  Value a =
      k.view(k.slot(spec.q.slot, k.f32()),
             rowOffset(spec.q, rows, k.add(tile.row, row)), sizes, strides);
  MicroTile micro;
  micro.height = height;
  micro.panels = width;
  micro.unroll = 1;
  micro.loadA = [&](int64_t r, Value at) {
    return k.load(a, {k.index(r), at});
  };
  Values panels;
  if (inPlace() && spec.source == AttentionSource::RowOfKey) {
    auto pointer = LLVM::LLVMPointerType::get(k.op().getContext());
    for (int64_t p = 0; p < width; ++p) {
      Value address = k.load(scratchI(scratch.panels), k.add(panel, p));
      Value place = LLVM::IntToPtrOp::create(k.op(), pointer, address);
      panels.push_back(
          memrefFromPointer(k.op(), k.op().getLoc(), place, k.f32()));
    }
    micro.loadB = [&](int64_t p, Value at) {
      return loadAt(panels[p], k.mul(at, kernelLanes));
    };
  } else {
    Value base = scratchF(scratch.keys), offset = k.mul(panel, panelSize);
    if (inPlace()) {
      base = k.slot(spec.k.slot, k.f32());
      Value source =
          spec.sourceRow ? spec.sourceRow(rows.batch, Value()) : rows.batch;
      offset = k.add(keyBase(spec.k, rows, source),
                     k.add(offset, k.mul(keys.start, size)));
    }
    Value b = k.view(base, offset, {width, size, kernelLanes},
                     {panelSize, kernelLanes, 1});
    micro.loadB = [&, b](int64_t p, Value at) {
      return k.loadV(b, {k.index(p), at, k.index(0)});
    };
  }
  Values sums = emitMicroKernel(k, micro, k.index(size),
                                zeroAccumulators(k, height, width));
  Value target = k.view(scratchF(scratch.scores),
                        k.add(k.mul(row, block), k.mul(panel, kernelLanes)),
                        {height, width * kernelLanes}, {block, 1});
  for (int64_t r = 0; r < height; ++r)
    for (int64_t p = 0; p < width; ++p)
      k.storeV(sums[r * width + p], target,
               {k.index(r), k.index(p * kernelLanes)});
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// The block's keys that a row of the tile sees, [first, last), and the panels
/// that they fill, [first, last).
Values AttentionEmitter::rowKeys(const Keys &keys, const Tile &tile,
                                 Value row) {
  Value at = k.add(tile.row, row);
  Value last = k.max(k.sub(loadIndex(scratch.last, at), keys.start), 0);
  last = k.min(last, tile.to);
  Value first = k.index(0);
  if (spec.hasFirst) {
    first = k.max(k.sub(loadIndex(scratch.first, at), keys.start), 0);
    first = k.min(first, last);
  }
  return {first, last, k.ceilDiv(first, kernelLanes), k.div(last, kernelLanes)};
}

/// Calls `body(panel, mask)` for the panels that hold visible and hidden keys.
static void forEdges(KernelBuilder &k, const Values &seen, bool hasFirst,
                     llvm::function_ref<void(Value panel, Value mask)> body) {
  auto edge = [&](Value panel) {
    Value start = k.mul(panel, kernelLanes);
    Value mask = k.tailMask(k.sub(seen[1], start));
    if (hasFirst) {
      Value before = k.tailMask(k.max(k.sub(seen[0], start), 0));
      mask = arith::AndIOp::create(
          k.op(), mask,
          k.cmp(arith::CmpIPredicate::eq, before,
                arith::ConstantOp::create(
                    k.op(),
                    DenseElementsAttr::get(k.vec(k.op().getI1Type()), false))));
    }
    body(panel, mask);
  };
  // Behind the last whole panel, unless the first key stands in that panel too.
  Value tail = k.less(k.mul(seen[3], kernelLanes), seen[1]);
  if (hasFirst)
    tail = arith::AndIOp::create(
        k.op(), tail, k.cmp(arith::CmpIPredicate::sge, seen[3], seen[2]));
  k.ifThen(tail, [&] { edge(seen[3]); });
  if (!hasFirst)
    return;
  Value head = k.less(seen[0], k.min(k.mul(seen[2], kernelLanes), seen[1]));
  k.ifThen(head, [&] { edge(k.sub(seen[2], 1)); });
}

/// The row's greatest visible score; hidden ones of shared panels become -inf.
void AttentionEmitter::maximum(const Rows &rows, const Keys &keys,
                               const Tile &tile, Value row) {
  Value scores = scratchF(scratch.scores), line = k.mul(row, block);
  Values seen = rowKeys(keys, tile, row);
  AttentionQuery at = query(rows, k.add(tile.row, row));
  Value hidden = k.splat(minusInfinity);
  Value edges = scratchF(scratch.flags); // one vector beside the flags
  auto read = [&](Value panel, Value mask) {
    Value place = k.add(line, k.mul(panel, kernelLanes));
    Value value = loadAt(scores, place);
    if (spec.score) {
      Value key = k.add(keys.start, k.mul(panel, kernelLanes));
      value = spec.score(at, key, value, mask);
    }
    if (mask)
      value = k.select(mask, value, hidden);
    if (mask || spec.score)
      storeAt(value, scores, place);
    return value;
  };
  storeAt(hidden, edges, k.index(kernelLanes));
  forEdges(k, seen, spec.hasFirst, [&](Value panel, Value mask) {
    Value known = loadAt(edges, k.index(kernelLanes));
    storeAt(k.maxF(read(panel, mask), known), edges, k.index(kernelLanes));
  });
  // Four maxima at a time hide the latency of one.
  constexpr int64_t chains = 4;
  Value whole = k.max(seen[3], seen[2]);
  Value end = k.sub(whole, k.rem(k.sub(whole, seen[2]), chains));
  Values tops = k.forLoop(
      seen[2], end, chains, Values(chains, hidden),
      [&](Value panel, ValueRange carried) {
        Values next;
        for (int64_t i = 0; i < chains; ++i)
          next.push_back(k.maxF(read(k.add(panel, i), Value()), carried[i]));
        return next;
      });
  Value top = k.forLoop(end, whole, 1, {tops[0]},
                        [&](Value panel, ValueRange carried) -> Values {
                          return {k.maxF(read(panel, Value()), carried[0])};
                        })[0];
  top = k.maxF(k.maxF(top, tops[1]), k.maxF(tops[2], tops[3]));
  top = k.maxF(top, loadAt(edges, k.index(kernelLanes)));
  k.store(k.reduceMax(top), scratchF(scratch.tileMaxima), row);
}

/// For 16 rows at a time: the new maximum m, -m for the exponent, and the decay
/// 2^(m_old - m) of what was summed before. A row that has seen nothing has
/// m = -inf; its exponent shift is 0 and its decay 1.
void AttentionEmitter::updateMaxima(const Tile &tile) {
  Value low = k.splat(minusInfinity), zero = k.splat(0);
  using Predicate = arith::CmpFPredicate;
  k.forLoop(k.index(0), tile.count, kernelLanes, [&](Value row) {
    Value mask = k.tailMask(k.sub(tile.count, row));
    Value place = window(scratchF(scratch.maxima), k.add(tile.row, row));
    Value before = k.loadV(place, k.index(0));
    Value found = k.mulF(loadAt(scratchF(scratch.tileMaxima), row),
                         k.splat(exponentScale));
    Value now = k.maxF(found, before);
    k.storeMasked(now, place, k.index(0), mask);
    Value same = k.cmpF(Predicate::OEQ, before, now);
    Value change = k.select(same, zero, k.subF(before, now));
    storeAt(emitExp2(k, change), scratchF(scratch.decay), row);
    Value empty = k.cmpF(Predicate::OEQ, now, low);
    Value shift = k.select(empty, zero, arith::NegFOp::create(k.op(), now));
    storeAt(shift, scratchF(scratch.shifts), row);
  });
}

/// Scores to p in place, and their sum. Hidden keys get -0, dropped ones +0.
void AttentionEmitter::probabilities(const Rows &rows, const Keys &keys,
                                     const Tile &tile, Value row) {
  Value scores = scratchF(scratch.scores), line = k.mul(row, block);
  Values seen = rowKeys(keys, tile, row);
  Value scale = k.splat(exponentScale);
  Value shift = k.broadcast(k.load(scratchF(scratch.shifts), row));
  Value decay = k.broadcast(k.load(scratchF(scratch.decay), row));
  Value sumAt = k.mul(k.add(tile.row, row), kernelLanes);
  Value sum = k.mulF(loadAt(scratchF(scratch.sums), sumAt), decay);
  Value hidden = k.splat(-0.0), low = k.splat(minusInfinity);
  AttentionQuery at = query(rows, k.add(tile.row, row));
  auto exponential = [&](Value panel) {
    Value place = k.add(line, k.mul(panel, kernelLanes));
    Value score = loadAt(scores, place);
    Value p = emitExp2(k, k.fma(score, scale, shift)), used = p;
    if (spec.drop)
      used = spec.drop(at, k.add(keys.start, k.mul(panel, kernelLanes)), p);
    if (spec.score) {
      Value unseen = k.cmpF(arith::CmpFPredicate::OEQ, score, low);
      p = k.select(unseen, hidden, p);
      used = spec.drop ? k.select(unseen, hidden, used) : p;
    }
    storeAt(used, scores, place);
    return p;
  };
  // 1. The panels that hold a visible key.
  constexpr int64_t together = 4;
  Value first = k.div(seen[0], kernelLanes);
  Value last = k.ceilDiv(seen[1], kernelLanes);
  last = k.max(first, last);
  Value end = k.sub(last, k.rem(k.sub(last, first), together));
  sum = k.forLoop(first, end, together, {sum},
                  [&](Value panel, ValueRange carried) -> Values {
                    Values terms;
                    for (int64_t i = 0; i < together; ++i)
                      terms.push_back(exponential(k.add(panel, i)));
                    Value next = carried[0];
                    for (Value term : terms)
                      next = k.addF(next, term);
                    return {next};
                  })[0];
  sum = k.forLoop(end, last, 1, {sum},
                  [&](Value panel, ValueRange carried) -> Values {
                    return {k.addF(carried[0], exponential(panel))};
                  })[0];
  storeAt(sum, scratchF(scratch.sums), sumAt);
  // 2. Hidden keys of these panels, and the panels around them.
  forEdges(k, seen, spec.hasFirst, [&](Value panel, Value mask) {
    Value place = k.add(line, k.mul(panel, kernelLanes));
    storeAt(k.select(mask, loadAt(scores, place), hidden), scores, place);
  });
  auto clear = [&](Value from, Value to) {
    k.forLoop(from, to, 1, [&](Value panel) {
      storeAt(hidden, scores, k.add(line, k.mul(panel, kernelLanes)));
    });
  };
  if (spec.hasFirst)
    clear(k.div(tile.from, kernelLanes), first);
  clear(last, k.ceilDiv(tile.to, kernelLanes));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::function<Value(int64_t, Value)>
AttentionEmitter::valueLoader(const Rows &rows, const Keys &keys,
                              const Tile &tile) {
  if (!spec.valuesInPlace) {
    Value offset = k.mul(tile.from, scratch.valueLanes);
    Value packed = k.view(scratchF(scratch.values), offset,
                          {block, scratch.valueLanes}, {scratch.valueLanes, 1});
    return [this, packed](int64_t panel, Value key) {
      return k.loadV(packed, {key, k.index(panel * kernelLanes)});
    };
  }
  Value slot = k.slot(spec.v.slot, k.f32());
  if (spec.source == AttentionSource::RowOfKey) {
    // One look at the table serves all columns of a key.
    auto known = std::make_shared<std::pair<Value, Value>>();
    return [this, slot, known, from = tile.from](int64_t panel, Value key) {
      if (known->first != key)
        *known = {key, loadIndex(scratch.valueRows, k.add(key, from))};
      return loadAt(slot, k.add(known->second, panel * kernelLanes));
    };
  }
  Value source =
      spec.sourceRow ? spec.sourceRow(rows.batch, Value()) : rows.batch;
  Value first = k.mul(k.add(keys.start, tile.from), spec.v.strides[2]);
  Value offset = k.add(keyBase(spec.v, rows, source), first);
  llvm::SmallVector<OpFoldResult> sizes = {
      k.op().getIndexAttr(block), k.op().getIndexAttr(scratch.valueLanes)};
  llvm::SmallVector<OpFoldResult> strides = {spec.v.strides[2],
                                             k.op().getIndexAttr(1)};
  Value dense = k.view(slot, offset, sizes, strides);
  return [this, dense](int64_t panel, Value key) {
    return k.loadV(dense, {key, k.index(panel * kernelLanes)});
  };
}

void AttentionEmitter::emitValues(const Rows &rows, const Keys &keys,
                                  const Tile &tile) {
  for (int64_t panel = 0; panel < lanesV;) {
    int64_t width = std::min(wide, lanesV - panel);
    int64_t limit = tileHeight(width);
    std::set<int64_t> all = balancedHeights(1, spec.blocks.queryTile, limit);
    llvm::SmallVector<int64_t> heights(all.begin(), all.end());
    BalancedRows split = balanceRows(k, tile.count, k.index(limit));
    k.forLoop(k.index(0), split.count, 1, [&](Value number) {
      Value row = split.start(k, number), height = split.height(k, number);
      Value flags = k.scratch(scratch.flags, k.i32());
      k.indexSwitch(height, heights, [&](int64_t h) {
        valueTile(rows, keys, tile, row, h, panel, width);
      });
      Value bad = k.cmp(arith::CmpIPredicate::ne, k.load(flags, k.index(0)),
                        k.constantInt(k.i32(), 0));
      k.ifThen(bad, [&] {
        recomputeTile(rows, keys, tile, row, height, panel, width);
      });
    });
    panel += width;
  }
}

/// The accumulators that a tile of the output starts from.
static Value startValue(KernelBuilder &k, Value out, Value place, Value decay) {
  Value view = k.view(out, place, {kernelLanes}, {int64_t(1)});
  return k.mulF(k.loadV(view, k.index(0)), decay);
}

/// out = out * decay + p . v for `height` rows and `width` panels of columns.
/// Sums that are not finite are not stored, but flagged.
void AttentionEmitter::valueTile(const Rows &rows, const Keys &keys,
                                 const Tile &tile, Value row, int64_t height,
                                 int64_t panel, int64_t width) {
  Value a =
      k.view(scratchF(scratch.scores), k.add(k.mul(row, block), tile.from),
             {height, block}, {block, 1});
  Value outRow = k.mul(k.add(tile.row, row), scratch.valueLanes);
  Value out = k.view(scratchF(scratch.out), k.add(outRow, panel * kernelLanes),
                     {height, width * kernelLanes}, {scratch.valueLanes, 1});
  auto load = valueLoader(rows, keys, tile);
  MicroTile micro;
  micro.height = height;
  micro.panels = width;
  micro.unroll = 1;
  micro.loadA = [&](int64_t r, Value at) {
    return k.load(a, {k.index(r), at});
  };
  micro.loadB = [&](int64_t p, Value at) { return load(panel + p, at); };
  Values init;
  for (int64_t r = 0; r < height; ++r) {
    Value decay = k.broadcast(k.load(scratchF(scratch.decay), k.add(row, r)));
    for (int64_t p = 0; p < width; ++p)
      init.push_back(
          k.mulF(k.loadV(out, {k.index(r), k.index(p * kernelLanes)}), decay));
  }
  Values sums = emitMicroKernel(k, micro, k.sub(tile.to, tile.from), init);
  // 0 * sum is 0 for finite sums, else NaN.
  Value zero = k.splat(0), test = zero;
  for (Value sum : sums)
    test = k.fma(sum, zero, test);
  Value lanes = k.cmpF(arith::CmpFPredicate::UNO, test, test);
  Value bad =
      vector::ReductionOp::create(k.op(), vector::CombiningKind::OR, lanes);
  k.store(arith::ExtUIOp::create(k.op(), k.i32(), bad),
          k.scratch(scratch.flags, k.i32()), k.index(0));
  k.ifThen(k.cmp(arith::CmpIPredicate::eq, bad,
                 k.constantInt(k.op().getI1Type(), 0)),
           [&] {
             for (int64_t r = 0; r < height; ++r)
               for (int64_t p = 0; p < width; ++p)
                 k.storeV(sums[r * width + p], out,
                          {k.index(r), k.index(p * kernelLanes)});
           });
}

/// The same chains with hidden keys, whose p is -0, left out.
void AttentionEmitter::recomputeTile(const Rows &rows, const Keys &keys,
                                     const Tile &tile, Value row, Value height,
                                     int64_t panel, int64_t width) {
  Value out = scratchF(scratch.out), scores = scratchF(scratch.scores);
  auto load = valueLoader(rows, keys, tile);
  k.forLoop(row, k.add(row, height), 1, [&](Value at) {
    Value place = k.add(k.mul(k.add(tile.row, at), scratch.valueLanes),
                        panel * kernelLanes);
    Value decay = k.broadcast(k.load(scratchF(scratch.decay), at));
    Values init;
    for (int64_t p = 0; p < width; ++p)
      init.push_back(startValue(k, out, k.add(place, p * kernelLanes), decay));
    Value line = k.add(k.mul(at, block), tile.from);
    Values sums = k.forLoop(
        k.index(0), k.sub(tile.to, tile.from), 1, init,
        [&](Value key, ValueRange carried) {
          Value p = k.load(scores, k.add(line, key));
          Value hidden = k.cmp(arith::CmpIPredicate::eq, k.bitcast(p, k.i32()),
                               k.constantInt(k.i32(), INT32_MIN));
          Value weight = k.broadcast(p);
          Values next;
          for (int64_t c = 0; c < width; ++c)
            next.push_back(
                k.select(hidden, carried[c],
                         k.fma(weight, load(panel + c, key), carried[c])));
          return next;
        });
    for (int64_t c = 0; c < width; ++c)
      storeAt(sums[c], out, k.add(place, c * kernelLanes));
  });
}
