//===- LowerMatmul.cpp - Lowering of kernels around xf.matmul -------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// c[...,M,N] = alpha a b of computed values. A tile is one block of rows times
// one block of columns of one matrix (MatmulBlocks.h); tiles of the same
// columns follow each other. For every block of K both operands are packed into
// the thread's scratch (MatmulPacking.h); b stays there for the next tile where
// it is kept whole. Register tiles of a block of K start from the sums of the
// block before, so every output is one chain, and behind the last block their
// sums leave through the epilogue while they are in the first-level cache.
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/GemmEmitter.h"
#include "compiler/lowering/cpu/Lowering.h"
#include "compiler/lowering/cpu/MatmulPacking.h"
#include "compiler/lowering/cpu/RootEpilogue.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace dragoman;

using Values = KernelBuilder::Values;
using Blocks = MatmulBlocks;

namespace {

/// Where a tile lies and which block of K it is at.
struct TilePlace {
  Value matrix, firstRow, rows, firstColumn, columns;
  Value firstK, depth;
  Value b; ///< first float of b's block in b's scratch
};

class MatmulLowering {
public:
  MatmulLowering(plan::KernelOp kernel, xf::MatmulOp matmul, KernelBuilder &k)
      : kernel(kernel), matmul(matmul), k(k), body(kernel, k) {
    blocks.rows = body.param("rows", blocks.rows);
    blocks.columns = body.param("columns", blocks.columns);
    blocks.depth = body.param("depth", blocks.depth);
    blocks.keptBlocks = body.param("kept_blocks", blocks.keptBlocks);
  }

  LogicalResult lower();

private:
  void readSizes();
  void buildFetchResult(KernelBuilder &h);
  bool buildFinish(KernelBuilder &h);
  void emitTile(Value tile);
  void emitDepthBlock(const TilePlace &at, Value mustPackB, Value isFirst,
                      Value isLast);
  void emitProducts(const TilePlace &at, Value isFirst, Value isLast);
  Value viewOfA(int64_t height, Value row, const TilePlace &at);
  Value viewOfB(int64_t width, Value panel, const TilePlace &at);
  void fetchAhead(const TilePlace &at, Value column, Value tile,
                  Value tileCount);
  void emitRegisterTile(int64_t height, int64_t width, Value row, Value panel,
                        const TilePlace &at, Value start, Value sums);
  llvm::SmallVector<int64_t> registerHeights();
  llvm::SmallVector<int64_t> registerWidths();

  bool wide() const { return k.target().vectorRegisters >= 32; }

  plan::KernelOp kernel;
  xf::MatmulOp matmul;
  KernelBuilder &k;
  KernelBody body;
  Blocks blocks;
  Value matrices, rowCount, columnCount, depthCount;
  std::optional<OperandInPlace> aInPlace, bInPlace;
  bool aByColumns = false;
  /// Helpers; null where the work is not needed.
  KernelBuilder *packA = nullptr, *packB = nullptr, *ahead = nullptr,
                *fetchResult = nullptr, *finish = nullptr;
};

} // namespace

/// Numbers of matrices, rows, columns and of K.
void MatmulLowering::readSizes() {
  auto type = cast<RankedTensorType>(matmul.getC().getType());
  int64_t rank = type.getRank();
  DimExpr outer(1), rows = body.analysis.dimOf(matmul.getC(), rank - 2);
  for (int64_t axis = 0; axis + 2 < rank; ++axis)
    outer *= body.analysis.dimOf(matmul.getC(), axis);
  if (foldsBatch(matmul)) {
    rows *= outer;
    outer = DimExpr(1);
  }
  matrices = body.value(outer);
  rowCount = body.value(rows);
  columnCount = body.size(matmul.getC(), rank - 1);
  depthCount =
      body.size(matmul.getA(), rank - (matmul.getTransposeA() ? 2 : 1));
}

/// (first row over all matrices, rows, first column, columns): fetches the
/// lines that `finish` will write, so that its stores do not wait for memory.
void MatmulLowering::buildFetchResult(KernelBuilder &h) {
  KernelBody own(kernel, h);
  int64_t rank = cast<RankedTensorType>(matmul.getC().getType()).getRank();
  Value width = own.size(matmul.getC(), rank - 1);
  Value out = h.slot(own.resultSlot(0), h.f32());
  h.forLoop(h.index(0), h.parameter(1), 1, [&](Value r) {
    Value line = h.add(h.mul(h.add(h.parameter(0), r), width), h.parameter(2));
    h.forLoop(h.index(0), h.parameter(3), kernelLanes,
              [&](Value c) { h.prefetch(out, h.add(line, c), 3); });
  });
  h.finish();
}

/// (first row over all matrices, rows, first column, columns, first sum):
/// alpha, epilogue and the store of a register tile's sums.
bool MatmulLowering::buildFinish(KernelBuilder &h) {
  RootEpilogue epilogue(kernel, matmul.getC(), h);
  KernelBody own(kernel, h);
  int64_t rank = cast<RankedTensorType>(matmul.getC().getType()).getRank();
  Value width = own.size(matmul.getC(), rank - 1);
  float alpha = static_cast<float>(matmul.getAlpha().convertToDouble());
  Value sums = h.scratch(blocks.sumOffset(), h.f32());
  Value out = h.slot(own.resultSlot(0), h.f32());
  h.forLoop(h.index(0), h.parameter(1), 1, [&](Value r) {
    Value row = h.add(h.parameter(0), r);
    Value line = h.mul(row, width);
    Value from = h.add(h.parameter(4), h.mul(r, Blocks::piece));
    epilogue.startRow(row);
    forSixteens(h, h.parameter(3), [&](Value c, Value mask) {
      Value value = h.loadV(sums, h.add(from, c));
      if (alpha != 1)
        value = h.mulF(value, h.splat(alpha));
      Value column = h.add(h.parameter(2), c);
      value = epilogue.apply(column, mask, value);
      Value at = h.add(line, column);
      mask ? h.storeMasked(value, out, at, mask) : h.storeV(value, out, at);
    });
  });
  h.finish();
  return !epilogue.failed() && !own.failed();
}

/// `height` rows of a's block from `row` on, [height][depth].
Value MatmulLowering::viewOfA(int64_t height, Value row, const TilePlace &at) {
  llvm::SmallVector<int64_t> sizes = {height, blocks.depth};
  if (aInPlace) {
    Value first = k.add(k.mul(k.add(at.firstRow, row), aInPlace->stride),
                        k.mul(at.firstK, aInPlace->kStride));
    return k.view(k.slot(aInPlace->slot, k.f32()),
                  k.add(aInPlace->offset, first), sizes,
                  {aInPlace->stride, aInPlace->kStride});
  }
  Value block = k.scratch(blocks.aOffset(), k.f32());
  return aByColumns ? k.view(block, row, sizes, {1, blocks.rows})
                    : k.view(block, k.mul(row, blocks.depth), sizes,
                             {blocks.depth, 1});
}

/// `width` panels of b's block from `panel` on, [width][depth][16].
Value MatmulLowering::viewOfB(int64_t width, Value panel, const TilePlace &at) {
  llvm::SmallVector<int64_t> sizes = {width, blocks.depth, kernelLanes};
  if (bInPlace) {
    Value first = k.add(k.mul(at.firstK, bInPlace->kStride),
                        k.add(at.firstColumn, k.mul(panel, kernelLanes)));
    return k.view(k.slot(bInPlace->slot, k.f32()),
                  k.add(bInPlace->offset, first), sizes,
                  {kernelLanes, bInPlace->kStride, 1});
  }
  int64_t panelSize = blocks.panelSize();
  return k.view(k.scratch(blocks.bOffset(), k.f32()),
                k.add(at.b, k.mul(panel, panelSize)), sizes,
                {panelSize, kernelLanes, 1});
}

/// One register tile over one block of K, from the sums at `start` to those at
/// `sums`.
void MatmulLowering::emitRegisterTile(int64_t height, int64_t width, Value row,
                                      Value panel, const TilePlace &at,
                                      Value start, Value sums) {
  Value zeros = k.scratch(blocks.zeroOffset(), k.f32());
  Value av = viewOfA(height, row, at), bv = viewOfB(width, panel, at);
  auto window = [&](Value first) {
    return k.view(zeros, first, {height, width * kernelLanes},
                  {Blocks::piece, 1});
  };
  auto place = [&](int64_t r, int64_t p) -> Values {
    return {k.index(r), k.index(p * kernelLanes)};
  };
  MicroTile micro;
  micro.height = height;
  micro.panels = width;
  micro.unroll = k.target().unrollFor(height, width);
  micro.loadA = [&](int64_t r, Value at) {
    return k.load(av, {k.index(r), at});
  };
  micro.loadB = [&](int64_t p, Value at) {
    return k.loadV(bv, {k.index(p), at, k.index(0)});
  };
  Value from = window(start), to = window(sums);
  Values chains;
  for (int64_t r = 0; r < height; ++r)
    for (int64_t p = 0; p < width; ++p)
      chains.push_back(k.loadV(from, place(r, p)));
  chains = emitMicroKernel(k, micro, at.depth, chains);
  for (int64_t r = 0; r < height; ++r)
    for (int64_t p = 0; p < width; ++p)
      k.storeV(chains[r * width + p], to, place(r, p));
}

/// Heights of register tiles that some tile asks for.
llvm::SmallVector<int64_t> MatmulLowering::registerHeights() {
  std::set<int64_t> heights;
  if (std::optional<int64_t> rows = getConstantIntValue(rowCount)) {
    int64_t most = std::max<int64_t>(*rows, 1);
    for (int64_t part : balancedHeights(most, most, blocks.rows))
      heights.merge(balancedHeights(part, part, Blocks::registerRows));
  } else {
    heights = balancedHeights(1, Blocks::registerRows, Blocks::registerRows);
  }
  return llvm::SmallVector<int64_t>(heights.begin(), heights.end());
}

/// Widths in panels; a piece of three panels or more is one wide tile.
llvm::SmallVector<int64_t> MatmulLowering::registerWidths() {
  if (!wide())
    return {1};
  std::optional<int64_t> columns = getConstantIntValue(columnCount);
  if (!columns)
    return {2, 4};
  int64_t tail = *columns % Blocks::piece;
  bool narrowTail = tail > 0 && tail <= 2 * kernelLanes;
  if (!narrowTail)
    return {4};
  return *columns < Blocks::piece ? llvm::SmallVector<int64_t>{2}
                                  : llvm::SmallVector<int64_t>{2, 4};
}

/// The part of the next block of K that a register tile fetches: all of them
/// together fetch all of it.
void MatmulLowering::fetchAhead(const TilePlace &at, Value column, Value tile,
                                Value tileCount) {
  Value next = k.add(at.firstK, at.depth);
  k.ifThen(k.less(next, depthCount), [&] {
    Value pieces = k.ceilDiv(at.columns, Blocks::piece);
    Value all = k.mul(pieces, tileCount);
    Value number = k.add(k.mul(k.div(column, Blocks::piece), tileCount), tile);
    auto part = [&](Value i) {
      Value k0 = k.add(next, k.div(k.mul(i, blocks.depth), all));
      return k.min(k0, depthCount);
    };
    k.call(*ahead, {at.firstRow, at.rows, at.firstColumn, at.columns,
                    part(number), part(k.add(number, 1))});
  });
}

/// All register tiles of a block of K; all (width, height) behind one switch.
void MatmulLowering::emitProducts(const TilePlace &at, Value isFirst,
                                  Value isLast) {
  constexpr int64_t heights = Blocks::registerRows + 2;
  llvm::SmallVector<int64_t> bodies;
  for (int64_t w : registerWidths())
    for (int64_t h : registerHeights())
      bodies.push_back(w * heights + h);
  BalancedRows tiles = balanceRows(k, at.rows, k.index(Blocks::registerRows));
  Value sumsStart = k.index(Blocks::registerRows * Blocks::piece);
  k.forLoop(k.index(0), at.columns, Blocks::piece, [&](Value column) {
    Value columns = k.min(k.sub(at.columns, column), Blocks::piece);
    Value panels = k.ceilDiv(columns, kernelLanes);
    Value width =
        wide() ? k.select(k.less(panels, k.index(3)), k.index(2), k.index(4))
               : k.index(1);
    k.forLoop(k.index(0), tiles.count, 1, [&](Value tile) {
      Value row = tiles.start(k, tile), height = tiles.height(k, tile);
      Value sums = sumsStart;
      if (!blocks.isOneBlock())
        sums = k.add(
            sums, k.add(k.mul(column, blocks.rows), k.mul(row, Blocks::piece)));
      Value key = k.add(k.mul(width, heights), height);
      if (ahead)
        fetchAhead(at, column, tile, tiles.count);
      Value first = k.add(k.add(k.mul(at.matrix, rowCount), at.firstRow), row);
      Value firstColumn = k.add(at.firstColumn, column);
      k.ifThen(isLast, [&] {
        k.call(*fetchResult, {first, height, firstColumn, columns});
      });
      k.forLoop(k.index(0), k.ceilDiv(panels, width), 1, [&](Value part) {
        Value inner = k.mul(part, width);
        Value panel = k.add(k.div(column, kernelLanes), inner);
        Value shift = k.mul(inner, kernelLanes);
        Value own = k.add(sums, shift);
        Value from = k.select(isFirst, k.index(0), own);
        k.indexSwitch(key, bodies, [&](int64_t body) {
          emitRegisterTile(body % heights, body / heights, row, panel, at, from,
                           own);
        });
      });
      k.ifThen(isLast, [&] {
        k.call(*finish,
               {first, height, firstColumn, columns, k.sub(sums, sumsStart)});
      });
    });
  });
}

void MatmulLowering::emitDepthBlock(const TilePlace &at, Value mustPackB,
                                    Value isFirst, Value isLast) {
  if (packA)
    k.call(*packA, {at.matrix, at.firstRow, at.rows, at.firstK, at.depth});
  auto pack = [&] {
    k.call(*packB,
           {at.matrix, at.firstColumn, at.columns, at.firstK, at.depth, at.b});
  };
  if (packB)
    mustPackB ? k.ifThen(mustPackB, pack) : pack();
  emitProducts(at, isFirst, isLast);
}

void MatmulLowering::emitTile(Value tile) {
  BalancedRows rowBlocks = balanceRows(k, rowCount, k.index(blocks.rows));
  Value columnBlocks = k.ceilDiv(columnCount, blocks.columns);
  Value rowBlock = k.rem(tile, rowBlocks.count),
        outer = k.div(tile, rowBlocks.count);
  TilePlace at;
  at.matrix = k.div(outer, columnBlocks);
  at.firstRow = rowBlocks.start(k, rowBlock);
  at.rows = rowBlocks.height(k, rowBlock);
  at.firstColumn = k.mul(k.rem(outer, columnBlocks), blocks.columns);
  at.columns = k.min(k.sub(columnCount, at.firstColumn), blocks.columns);

  auto equal = [&](Value x, Value y) {
    return k.cmp(arith::CmpIPredicate::eq, x, y);
  };
  Value mustPackB;
  if (blocks.keptBlocks > 0)
    mustPackB = arith::OrIOp::create(k.op(), equal(tile, k.firstTile()),
                                     equal(rowBlock, k.index(0)));
  // Without any k there is one empty block: the sums are zero.
  Value count = k.max(k.ceilDiv(depthCount, blocks.depth), 1);
  std::optional<int64_t> known = getConstantIntValue(depthCount);
  bool even = known && (*known % blocks.depth == 0 || *known < blocks.depth);
  k.forLoop(k.index(0), count, 1, [&](Value block) {
    at.firstK = k.mul(block, blocks.depth);
    at.depth = even ? k.index(std::min(*known, blocks.depth))
                    : k.min(k.sub(depthCount, at.firstK), blocks.depth);
    at.b = blocks.keptBlocks > 0 ? k.mul(block, blocks.bSize()) : k.index(0);
    emitDepthBlock(at, mustPackB, equal(block, k.index(0)),
                   equal(block, k.sub(count, 1)));
  });
}

LogicalResult MatmulLowering::lower() {
  readSizes();
  MatmulPacking packing(kernel, matmul, blocks);
  std::optional<KernelBuilder> helperA, helperB, helperAhead;
  aInPlace = findAInPlace(body, matmul);
  if (blocks.keptBlocks == 0)
    bInPlace = findBInPlace(body, matmul);
  // A narrow tile reads one line of each k: long strides would leave no other
  // column of them in the first-level cache.
  constexpr int64_t longestNarrowStride = 256;
  if (bInPlace && !wide() && bInPlace->kStride > longestNarrowStride)
    bInPlace.reset();
  if (!aInPlace) {
    packA = &helperA.emplace(k, "pack_a", 5);
    aByColumns = packing.buildA(*packA);
  }
  if (!bInPlace) {
    packB = &helperB.emplace(k, "pack_b", 6);
    packing.buildB(*packB);
  }
  if (blocks.keptBlocks == 0 &&
      packing.buildAhead(helperAhead.emplace(k, "ahead", 6)))
    ahead = &*helperAhead;
  KernelBuilder helperFetch(k, "fetch_result", 4), helperC(k, "finish", 5);
  buildFetchResult(helperFetch);
  fetchResult = &helperFetch;
  finish = &helperC;
  bool finished = buildFinish(helperC);
  Value zeros = k.scratch(blocks.zeroOffset(), k.f32());
  k.forLoop(k.index(0), k.index(Blocks::registerRows * Blocks::piece),
            kernelLanes, [&](Value at) { k.storeV(k.splat(0), zeros, at); });
  k.forTiles([&](Value tile) { emitTile(tile); });
  return failure(!finished || packing.failed() || body.failed());
}

LogicalResult dragoman::lowerMatmul(plan::KernelOp kernel, KernelBuilder &k) {
  auto matmuls = kernel.getBody().front().getOps<xf::MatmulOp>();
  if (!llvm::hasSingleElement(matmuls))
    return kernel.emitOpError("expected one xf.matmul as the root");
  xf::MatmulOp matmul = *matmuls.begin();
  for (Value value : {matmul.getA(), matmul.getB(), matmul.getC()})
    if (!cast<RankedTensorType>(value.getType()).getElementType().isF32())
      return matmul.emitOpError("expected float32 on the CPU, found ")
             << value.getType();
  if (!RootEpilogue::result(kernel, matmul.getC()))
    return failure();
  return MatmulLowering(kernel, matmul, k).lower();
}
