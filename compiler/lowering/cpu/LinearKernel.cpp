//===- LinearKernel.cpp - The packed linear layer on the CPU --------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/LinearKernel.h"

#include "compiler/lowering/cpu/GemmEmitter.h"

#include <algorithm>
#include <cassert>

using namespace mlir;
using namespace dragoman;

using Values = KernelBuilder::Values;

static constexpr int64_t chunkPanels = chunkColumns / kernelLanes;

/// Bodies are told apart by width and height; width 0 is the ragged panel.
static constexpr int64_t heightLimit = 32;
static constexpr int64_t raggedWidth = 0;

namespace {

/// One piece of a chunk's columns, as values: `panels` wide from panel `first`.
struct Piece {
  Value first, panels, height;
  Value width; ///< `panels`, or raggedWidth
};

class LinearEmitter {
public:
  LinearEmitter(KernelBuilder &k, const LinearSpec &spec)
      : k(k), spec(spec), target(k.target()), columns(spec.columns),
        depth(spec.depth), chunks((columns + chunkColumns - 1) / chunkColumns),
        stride(spec.xRowStride ? spec.xRowStride : depth) {}

  void emit();

private:
  void emitChunk(Value chunk, Value firstRow, Value rows);
  Piece wholePiece(Value chunk, const Values &rule, Value number);
  Piece tailPiece(Value chunk, Value number);
  void emitPiece(const Piece &piece, Value firstRow, Value rows);
  void emitTile(int64_t key, const Piece &piece, Value row, Value tile,
                Value tileCount);
  void emitEpilogue(KernelBuilder &e);
  Value finish(KernelBuilder &e, const EpilogueFunction &more,
               const EpilogueVector &at, Value value);
  Values chunkRule(Value rows);
  llvm::SmallVector<int64_t> bodies() const;

  /// Whole panels, and whether a ragged one follows, behind the last chunk.
  int64_t tailPanels() const { return columns % chunkColumns / kernelLanes; }
  bool ragged() const { return columns % kernelLanes != 0; }
  bool hasTail() const { return columns % chunkColumns != 0; }
  bool hasEpilogue() const {
    return spec.biasSlot >= 0 || spec.activation != Activation::None ||
           spec.epilogue;
  }

  KernelBuilder &k;
  const LinearSpec &spec;
  const CpuTarget &target;
  int64_t columns, depth, chunks, stride;
  KernelBuilder *helper = nullptr; ///< the epilogue, if there is one
};

} // namespace

void LinearEmitter::emit() {
  std::optional<KernelBuilder> epilogue;
  if (hasEpilogue() || ragged()) {
    epilogue.emplace(k, "epilogue", 5);
    emitEpilogue(*epilogue);
    helper = &*epilogue;
  }
  Value rows = spec.rows(k);
  BalancedRows blocks = balanceRows(k, rows, k.index(spec.rowBlock));
  k.forTiles([&](Value tile) {
    Value block = k.div(tile, chunks), chunk = k.rem(tile, chunks);
    emitChunk(chunk, blocks.start(k, block), blocks.height(k, block));
  });
}

/// The rule of the target's table for `rows` rows: {panels, height}.
Values LinearEmitter::chunkRule(Value rows) {
  Value panels, height;
  for (const TileRule &rule : target.chunkTiles) {
    Value p = k.index(rule.panels), h = k.index(rule.height);
    if (panels) {
      Value below = k.less(rows, k.index(rule.minRows));
      p = k.select(below, panels, p);
      h = k.select(below, height, h);
    }
    panels = p;
    height = h;
  }
  return {panels, height};
}

Piece LinearEmitter::wholePiece(Value chunk, const Values &rule, Value number) {
  Value first = k.add(k.mul(chunk, chunkPanels), k.mul(number, rule[0]));
  return {first, rule[0], rule[1], rule[0]};
}

/// The columns behind the last whole chunk: pairs of panels, at most one single
/// panel, then the ragged one.
Piece LinearEmitter::tailPiece(Value chunk, Value number) {
  int64_t pairs = tailPanels() / 2, whole = pairs + tailPanels() % 2;
  Value inPairs = k.less(number, k.index(pairs));
  Value panels = k.select(inPairs, k.index(2), k.index(1));
  Value first = k.add(number, k.min(number, pairs));
  Value height = k.select(inPairs, k.index(target.halfTile.height),
                          k.index(target.narrowTile.height));
  Value width =
      k.select(k.less(number, k.index(whole)), panels, k.index(raggedWidth));
  return {k.add(k.mul(chunk, chunkPanels), first), panels, height, width};
}

void LinearEmitter::emitChunk(Value chunk, Value firstRow, Value rows) {
  Values rule = chunkRule(rows);
  Value pieces = k.div(k.index(chunkPanels), rule[0]);
  Value inTail;
  if (hasTail()) {
    int64_t tail = tailPanels() / 2 + tailPanels() % 2 + ragged();
    inTail = k.cmp(arith::CmpIPredicate::eq, chunk, k.index(chunks - 1));
    pieces = k.select(inTail, k.index(tail), pieces);
  }
  k.forLoop(k.index(0), pieces, 1, [&](Value number) {
    Piece piece = wholePiece(chunk, rule, number);
    if (hasTail()) {
      Piece tail = tailPiece(chunk, number);
      piece = {k.select(inTail, tail.first, piece.first),
               k.select(inTail, tail.panels, piece.panels),
               k.select(inTail, tail.height, piece.height),
               k.select(inTail, tail.width, piece.width)};
    }
    emitPiece(piece, firstRow, rows);
  });
}

/// All (width, height) pairs that some row count asks for, as switch keys.
llvm::SmallVector<int64_t> LinearEmitter::bodies() const {
  std::set<int64_t> keys;
  auto addHeights = [&](int64_t width, int64_t from, int64_t to,
                        int64_t height) {
    for (int64_t h : balancedHeights(from, to, height))
      keys.insert(width * heightLimit + h);
  };
  if (columns >= chunkColumns)
    for (auto [i, rule] : llvm::enumerate(target.chunkTiles)) {
      int64_t end = i + 1 < target.chunkTiles.size()
                        ? target.chunkTiles[i + 1].minRows - 1
                        : spec.rowBlock;
      addHeights(rule.panels, rule.minRows, end, rule.height);
    }
  if (tailPanels() / 2)
    addHeights(2, 1, spec.rowBlock, target.halfTile.height);
  if (tailPanels() % 2)
    addHeights(1, 1, spec.rowBlock, target.narrowTile.height);
  if (ragged())
    addHeights(raggedWidth, 1, spec.rowBlock, target.narrowTile.height);
  return llvm::SmallVector<int64_t>(keys.begin(), keys.end());
}

void LinearEmitter::emitPiece(const Piece &piece, Value firstRow, Value rows) {
  BalancedRows tiles = balanceRows(k, rows, piece.height);
  k.forLoop(k.index(0), tiles.count, 1, [&](Value tile) {
    Value height = tiles.height(k, tile);
    Value row = k.add(firstRow, tiles.start(k, tile));
    Value key = k.add(k.mul(piece.width, heightLimit), height);
    k.indexSwitch(key, bodies(), [&](int64_t body) {
      emitTile(body, piece, row, tile, tiles.count);
    });
    if (helper)
      k.call(*helper, {piece.first, piece.panels, piece.width, row, height});
  });
}

/// One register tile: chains, then the plain sums into y.
void LinearEmitter::emitTile(int64_t key, const Piece &piece, Value row,
                             Value tile, Value tileCount) {
  int64_t width = key / heightLimit, height = key % heightLimit;
  int64_t panels = width == raggedWidth ? 1 : width;
  int64_t panelSize = depth * kernelLanes;
  Value a = k.view(k.slot(spec.xSlot, k.f32()),
                   k.add(k.mul(row, stride), spec.xOffset), {height, depth},
                   {stride, 1});
  Value weights = k.slot(spec.weightSlot, k.f32());
  Value own = k.mul(piece.first, panelSize);
  Value b = k.view(weights, own, {panels, depth, kernelLanes},
                   {panelSize, kernelLanes, 1});

  // The next piece is fetched in its order of use, spread over the first
  // `spread` row tiles of this one; later tiles touch what they read anyway.
  int64_t spread = panels == chunkPanels ? 8 : 2;
  int64_t share = depth / spread;
  Value ahead;
  if (share > 0) {
    Value next =
        k.add(k.add(own, panels * panelSize), k.mul(tile, share * kernelLanes));
    Value base = k.select(k.less(tile, k.index(spread)), next, own);
    ahead = k.view(weights, base, {panels, share, kernelLanes},
                   {panelSize, kernelLanes, 1});
  }
  int64_t unroll = target.unrollFor(height, panels);
  int64_t lines = std::max<int64_t>(panels * unroll / spread, 1);

  MicroTile micro;
  micro.height = height;
  micro.panels = panels;
  micro.unroll = unroll;
  micro.loadA = [&](int64_t r, Value at) {
    return k.load(a, {k.index(r), at});
  };
  micro.loadB = [&](int64_t p, Value at) {
    return k.loadV(b, {k.index(p), at, k.index(0)});
  };
  if (ahead)
    micro.prefetch = [&](Value at) {
      Value line = k.div(at, spread);
      Value group = k.mul(k.rem(k.div(at, unroll), panels / lines), lines);
      for (int64_t z = 0; z < lines; ++z)
        k.prefetch(ahead, {k.add(group, z), line, k.index(0)}, 2);
    };
  Values sums = emitMicroKernel(k, micro, k.index(depth),
                                zeroAccumulators(k, height, panels));

  // Sums of a ragged panel wait in the scratch, 16 columns a row.
  Value y =
      width == raggedWidth
          ? k.view(k.scratch(0, k.f32()), k.index(0), {height, kernelLanes},
                   {kernelLanes, 1})
          : k.view(k.slot(spec.outSlot, k.f32()),
                   k.add(k.mul(row, columns), k.mul(piece.first, kernelLanes)),
                   {height, panels * kernelLanes}, {columns, 1});
  for (int64_t r = 0; r < height; ++r)
    for (int64_t p = 0; p < panels; ++p)
      k.storeV(sums[r * panels + p], y, {k.index(r), k.index(p * kernelLanes)});
}

Value LinearEmitter::finish(KernelBuilder &e, const EpilogueFunction &more,
                            const EpilogueVector &at, Value value) {
  if (spec.biasSlot >= 0) {
    Value bias = e.slot(spec.biasSlot, e.f32());
    Value from = e.add(at.column, spec.biasOffset);
    value = e.addF(value, at.mask ? e.loadMasked(bias, from, at.mask)
                                  : e.loadV(bias, from));
  }
  value = emitActivation(e, spec.activation, value);
  return more ? more(at, value) : value;
}

/// The helper (first panel, panels, width, row, height): bias, activation and
/// what follows, over the tile just stored. It is a function so that its
/// constants and masks take no registers from the accumulators, and one for all
/// heights so that an activation stands once in the code.
void LinearEmitter::emitEpilogue(KernelBuilder &e) {
  EpilogueFunction more;
  if (spec.epilogue)
    more = spec.epilogue(e);
  Value first = e.parameter(0), panels = e.parameter(1), row = e.parameter(3);
  auto run = [&](bool masked) {
    e.forLoop(e.index(0), e.parameter(4), 1, [&](Value r) {
      e.forLoop(e.index(0), panels, 1, [&](Value p) {
        EpilogueVector at;
        at.row = e.add(row, r);
        at.column = e.mul(e.add(first, p), kernelLanes);
        Value window = e.view(e.slot(spec.outSlot, e.f32()),
                              e.add(e.mul(at.row, columns), at.column),
                              {kernelLanes}, {int64_t(1)});
        if (masked) {
          at.mask = e.tailMask(e.sub(e.index(columns), at.column));
          Value sums = e.loadV(e.scratch(0, e.f32()), e.mul(r, kernelLanes));
          e.storeMasked(finish(e, more, at, sums), window, e.index(0), at.mask);
        } else {
          Value sums = e.loadV(window, e.index(0));
          e.storeV(finish(e, more, at, sums), window, e.index(0));
        }
      });
    });
  };
  if (ragged())
    e.ifElse(
        e.cmp(arith::CmpIPredicate::eq, e.parameter(2), e.index(raggedWidth)),
        [&] { run(true); }, [&] { run(false); });
  else
    run(false);
  e.finish();
}

Value dragoman::loadLikeOutput(KernelBuilder &k, const LinearSpec &spec,
                               int64_t slot, const EpilogueVector &at) {
  Value offset = k.add(k.mul(at.row, spec.columns), at.column);
  Value window =
      k.view(k.slot(slot, k.f32()), offset, {kernelLanes}, {int64_t(1)});
  if (at.mask)
    return k.loadMasked(window, k.index(0), at.mask);
  return k.loadV(window, k.index(0));
}

int64_t dragoman::linearScratchBytes(int64_t columns) {
  return columns % kernelLanes ? heightLimit * kernelLanes * 4 : 0;
}

void dragoman::emitLinear(KernelBuilder &k, const LinearSpec &spec) {
  assert(spec.columns > 0 && spec.depth >= 0 && "a linear layer has outputs");
  LinearEmitter(k, spec).emit();
}

int64_t dragoman::linearTiles(int64_t rows, int64_t columns, int64_t rowBlock) {
  return (rows + rowBlock - 1) / rowBlock *
         ((columns + chunkColumns - 1) / chunkColumns);
}
