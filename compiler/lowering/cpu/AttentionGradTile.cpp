//===- AttentionGradTile.cpp - A tile of queries over a block of keys -----===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/AttentionGradEmitter.h"
#include "compiler/lowering/cpu/VectorMath.h"

#include <limits>

using namespace mlir;
using namespace dragoman;

using Values = KernelBuilder::Values;

static constexpr double minusInfinity =
    -std::numeric_limits<double>::infinity();
static constexpr int64_t stride = AttentionGradScratch::stride;

/// The heights that up to `rows` rows divide into.
static llvm::SmallVector<int64_t> heightsOf(int64_t rows, int64_t limit) {
  std::set<int64_t> all = balancedHeights(1, rows, limit);
  return {all.begin(), all.end()};
}

//===----------------------------------------------------------------------===//
// Scores and weights
//===----------------------------------------------------------------------===//

/// Products of the tile's rows with the panels that hold keys of the tile: as
/// many wide strips as fit, then narrow ones. The memory behind the last panel
/// is the block's.
void AttentionGradEmitter::emitProducts(const Tile &tile, const Lines &rows,
                                        int64_t size, int64_t panels,
                                        int64_t target) {
  auto strips = [&](Value first, Value end, int64_t width) {
    int64_t limit = tileHeight(width);
    BalancedRows split = balanceRows(k, tile.count, k.index(limit));
    k.forLoop(first, end, width, [&](Value panel) {
      k.forLoop(k.index(0), split.count, 1, [&](Value number) {
        Value row = split.start(k, number);
        k.indexSwitch(split.height(k, number), heightsOf(spec.queryTile, limit),
                      [&](int64_t height) {
                        productTile(rows, row, height, panel, width, size,
                                    panels, target);
                      });
      });
    });
  };
  Value from = k.div(tile.from, kernelLanes);
  Value to = k.ceilDiv(tile.to, kernelLanes);
  if (wide == 1)
    return strips(from, to, 1);
  PanelStrips split = splitPanels(k, from, to, attentionKeyBlock / kernelLanes);
  strips(split.from, split.end, wide);
  k.ifThen(split.isOpen,
           [&] { strips(split.narrow, k.add(split.narrow, 2), 2); });
}

/// `height` rows from row `row` of the tile on against `width` panels.
void AttentionGradEmitter::productTile(const Lines &rows, Value row,
                                       int64_t height, Value panel,
                                       int64_t width, int64_t size,
                                       int64_t panels, int64_t target) {
  int64_t panelSize = size * kernelLanes;
  auto attr = [&](int64_t n) { return OpFoldResult(k.op().getIndexAttr(n)); };
  Value a = k.view(rows.base, line(rows, row), {attr(height), attr(size)},
                   {OpFoldResult(rows.step), attr(1)});
  Value b = k.view(scratchF(panels), k.mul(panel, panelSize),
                   {width, size, kernelLanes}, {panelSize, kernelLanes, 1});
  MicroTile micro;
  micro.height = height;
  micro.panels = width;
  micro.unroll = 1;
  micro.loadA = [&](int64_t r, Value at) {
    return k.load(a, {k.index(r), at});
  };
  micro.loadB = [&](int64_t p, Value at) {
    return k.loadV(b, {k.index(p), at, k.index(0)});
  };
  Values sums = emitMicroKernel(k, micro, k.index(size),
                                zeroAccumulators(k, height, width));
  Value out = k.view(scratchF(target),
                     k.add(k.mul(row, stride), k.mul(panel, kernelLanes)),
                     {height, width * kernelLanes}, {stride, 1});
  for (int64_t r = 0; r < height; ++r)
    for (int64_t p = 0; p < width; ++p)
      k.storeV(sums[r * width + p], out,
               {k.index(r), k.index(p * kernelLanes)});
}

/// Products and dw of a row to w and ds, in place. What is hidden gets -0.
void AttentionGradEmitter::gradients(const Block &block, const Tile &tile,
                                     Value row) {
  Value weights = scratchF(scratch.weights), scores = scratchF(scratch.scores);
  Value at = k.mul(row, stride), hidden = k.splat(-0.0);
  Value shift = k.broadcast(k.load(scratchF(scratch.shifts), row));
  Value mean = k.broadcast(k.load(scratchF(scratch.means), row));
  Value first = k.toIndex(k.load(scratchI(scratch.first), row));
  Value last = k.toIndex(k.load(scratchI(scratch.last), row));
  AttentionQuery own = query(block, tile, row);
  constexpr double log2e = 1.44269504088896341;

  auto body = [&](Value panel, Value mask) {
    Value place = k.add(at, k.mul(panel, kernelLanes));
    Value key = k.add(block.start, k.mul(panel, kernelLanes));
    Value product = loadAt(weights, place), shown = mask;
    Value w;
    if (spec.score) {
      Value score = spec.score(own, key, product, mask);
      Value some =
          k.cmpF(arith::CmpFPredicate::UNE, score, k.splat(minusInfinity));
      shown = mask ? Value(arith::AndIOp::create(k.op(), mask, some)) : some;
      w = emitExp2(k, k.fma(score, k.splat(log2e), shift));
    } else {
      w = emitExp2(k, k.fma(product, k.splat(log2e * spec.scale), shift));
    }
    Value dw = loadAt(scores, place), used = w;
    if (spec.drop) {
      dw = spec.drop(own, key, dw);
      used = spec.drop(own, key, w);
    }
    Value ds = k.mulF(w, k.subF(dw, mean));
    if (spec.reverse)
      ds = spec.reverse(own, key, product, ds, mask, shown);
    // Adding +0 turns -0 into +0: only what is hidden is -0.
    ds = k.fma(ds, k.splat(spec.scale), k.splat(0));
    if (shown) {
      used = k.select(shown, used, hidden);
      ds = k.select(shown, ds, hidden);
    }
    storeAt(used, weights, place);
    storeAt(ds, scores, place);
  };
  auto clear = [&](Value from, Value to) {
    k.forLoop(from, to, 1, [&](Value panel) {
      Value place = k.add(at, k.mul(panel, kernelLanes));
      storeAt(hidden, weights, place);
      storeAt(hidden, scores, place);
    });
  };

  // 1. Whole panels, then those that hold the first and the last key.
  Value wholeFrom = spec.hasFirst ? k.ceilDiv(first, kernelLanes) : k.index(0);
  Value wholeTo = k.div(last, kernelLanes);
  k.forLoop(wholeFrom, wholeTo, 1, [&](Value panel) { body(panel, Value()); });
  auto edge = [&](Value panel) {
    Value start = k.mul(panel, kernelLanes);
    Value mask = k.tailMask(k.sub(last, start));
    if (spec.hasFirst) {
      Value lanes = k.broadcast(k.fromIndex(k.sub(first, start), k.i32()));
      mask = arith::AndIOp::create(
          k.op(), mask,
          k.cmp(arith::CmpIPredicate::sge, k.iota(k.i32()), lanes));
    }
    body(panel, mask);
  };
  Value some = k.less(first, last);
  auto both = [&](Value x, Value y) {
    return Value(arith::AndIOp::create(k.op(), x, y));
  };
  Value tail = both(some, k.less(k.mul(wholeTo, kernelLanes), last));
  k.ifThen(tail, [&] { edge(wholeTo); });
  if (spec.hasFirst) {
    // Unless the last key stands in the same panel.
    Value panel = k.div(first, kernelLanes);
    Value head = both(some, k.less(k.mul(panel, kernelLanes), first));
    head = both(head, k.less(panel, wholeTo));
    k.ifThen(head, [&] { edge(panel); });
  }
  // 2. The panels around them.
  Value begin = k.div(first, kernelLanes);
  Value end = k.select(some, k.ceilDiv(last, kernelLanes), begin);
  if (spec.hasFirst)
    clear(k.div(tile.from, kernelLanes), begin);
  clear(k.max(end, k.div(tile.from, kernelLanes)),
        k.ceilDiv(tile.to, kernelLanes));
}

//===----------------------------------------------------------------------===//
// Products into the results
//===----------------------------------------------------------------------===//

/// dv += w^T . dout and dk += ds^T . q for the tile's keys.
void AttentionGradEmitter::addKeys(const Block &block, const Tile &tile) {
  Product product;
  product.rows = k.sub(tile.to, tile.from);
  product.maxRows = attentionKeyBlock;
  product.terms = tile.count;
  product.start = tile.from;
  product.rowStep = 1;
  product.termStep = stride;
  auto into = [&](const AttentionOperand &operand) {
    product.slot = operand.slot;
    product.targetStep = operand.strides[2];
    product.target = rowOffset(operand, block.batch, block.keyHead,
                               k.add(block.start, tile.from));
  };
  if (spec.dv) {
    into(*spec.dv);
    product.factor = scratch.weights;
    product.lines = tile.dout;
    product.size = spec.valueSize;
    addProduct(product);
  }
  if (spec.dk) {
    into(*spec.dk);
    product.factor = scratch.scores;
    product.lines = tile.q;
    product.size = spec.headSize;
    addProduct(product);
  }
}

/// dq += ds . k for the tile's rows.
void AttentionGradEmitter::addQueries(const Block &block, const Tile &tile) {
  if (!spec.dq)
    return;
  Product product;
  product.rows = tile.count;
  product.maxRows = spec.queryTile;
  product.terms = k.sub(tile.to, tile.from);
  product.factor = scratch.scores;
  product.start = tile.from;
  product.rowStep = stride;
  product.termStep = 1;
  product.lines = block.rows;
  product.lines.offset = line(block.rows, tile.from);
  product.size = spec.headSize;
  product.slot = spec.dq->slot;
  product.target = rowOffset(*spec.dq, block.batch, tile.head, tile.row);
  product.targetStep = spec.dq->strides[2];
  addProduct(product);
}

void AttentionGradEmitter::addProduct(const Product &product) {
  k.ifElse(
      product.lines.poisoned, [&] { addCarefully(product); },
      [&] {
        int64_t panels = (product.size + kernelLanes - 1) / kernelLanes;
        for (int64_t panel = 0; panel < panels;) {
          int64_t width = std::min(wide, panels - panel);
          int64_t limit = tileHeight(width);
          BalancedRows split = balanceRows(k, product.rows, k.index(limit));
          k.forLoop(k.index(0), split.count, 1, [&](Value number) {
            Value row = split.start(k, number);
            k.indexSwitch(split.height(k, number),
                          heightsOf(product.maxRows, limit),
                          [&](int64_t height) {
                            addTile(product, row, height, panel, width);
                          });
          });
          panel += width;
        }
      });
}

/// `height` rows of dst from row `row` on, `width` panels of columns from panel
/// `panel` on.
void AttentionGradEmitter::addTile(const Product &product, Value row,
                                   int64_t height, int64_t panel,
                                   int64_t width) {
  const Lines &lines = product.lines;
  auto attr = [&](int64_t n) { return OpFoldResult(k.op().getIndexAttr(n)); };
  Value a = k.view(scratchF(product.factor),
                   k.add(product.start, k.mul(row, product.rowStep)),
                   {height, stride}, {product.rowStep, product.termStep});
  Value b = k.view(lines.base, k.add(lines.offset, panel * kernelLanes),
                   {attr(attentionKeyBlock), attr(width * kernelLanes)},
                   {OpFoldResult(lines.step), attr(1)});
  MicroTile micro;
  micro.height = height;
  micro.panels = width;
  micro.unroll = 1;
  micro.loadA = [&](int64_t r, Value at) {
    return k.load(a, {k.index(r), at});
  };
  micro.loadB = [&](int64_t p, Value at) {
    return k.loadV(b, {at, k.index(p * kernelLanes)});
  };
  Value base = k.slot(product.slot, k.f32());
  Value first = k.add(product.target, k.mul(row, product.targetStep));
  auto place = [&](int64_t r) {
    return k.add(first, k.mul(k.index(r), product.targetStep));
  };
  Values init;
  for (int64_t r = 0; r < height; ++r)
    for (int64_t p = 0; p < width; ++p)
      init.push_back(
          loadColumns(base, place(r), (panel + p) * kernelLanes, product.size));
  Values sums = emitMicroKernel(k, micro, product.terms, init);
  for (int64_t r = 0; r < height; ++r)
    for (int64_t p = 0; p < width; ++p)
      storeColumns(k.addF(sums[r * width + p], k.splat(0)), base, place(r),
                   (panel + p) * kernelLanes, product.size);
}

/// The same chains with hidden terms, whose factor is -0, left out.
void AttentionGradEmitter::addCarefully(const Product &product) {
  const Lines &lines = product.lines;
  Value factor = scratchF(product.factor);
  Value base = k.slot(product.slot, k.f32());
  k.forLoop(k.index(0), product.rows, 1, [&](Value row) {
    Value place = k.add(product.target, k.mul(row, product.targetStep));
    Value start = k.add(product.start, k.mul(row, product.rowStep));
    for (int64_t column = 0; column < product.size; column += kernelLanes) {
      Value sum = k.forLoop(
          k.index(0), product.terms, 1,
          {loadColumns(base, place, column, product.size)},
          [&](Value term, ValueRange carried) -> Values {
            Value a =
                k.load(factor, k.add(start, k.mul(term, product.termStep)));
            Value hidden =
                k.cmp(arith::CmpIPredicate::eq, k.bitcast(a, k.i32()),
                      k.constantInt(k.i32(), INT32_MIN));
            Value b = loadAt(lines.base, k.add(line(lines, term), column));
            return {k.select(hidden, carried[0],
                             k.fma(k.broadcast(a), b, carried[0]))};
          })[0];
      storeColumns(k.addF(sum, k.splat(0)), base, place, column, product.size);
    }
  });
}
