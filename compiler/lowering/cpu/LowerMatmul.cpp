//===- LowerMatmul.cpp - Lowering of kernels around xf.matmul -------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// c[...,M,N] = alpha a b with two activations. A tile is one block of rows
// times one block of 64 columns of one matrix. For every block of K both
// operands are packed into the thread's scratch, where the micro-kernel finds
// them with static strides whatever their layout, and the sums wait in the
// scratch too, so a chain runs on over the blocks:
//   a [rowBlock][kBlock] or [kBlock][rowBlock], as its bytes lie;
//   b [4][kBlock][16]; c [rowBlock][64].
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/GemmEmitter.h"
#include "compiler/lowering/cpu/Lowering.h"
#include "compiler/lowering/cpu/RootEpilogue.h"
#include "compiler/tiling/MatmulBlocks.h"
#include "dialects/xf/Xf.h"

using namespace mlir;
using namespace dragoman;

using Values = KernelBuilder::Values;
using Blocks = MatmulBlocks;

namespace {

/// One operand, as the packing helpers read it: element (row, column) of the
/// matrix it stands for, `transposed` if the tensor holds (column, row).
struct Operand {
  Value tensor;
  bool transposed;
};

/// Reads an operand inside one helper function.
class OperandReader {
public:
  OperandReader(plan::KernelOp kernel, xf::MatmulOp matmul, Operand operand,
                KernelBuilder &k)
      : body(kernel, k), pull(body), operand(operand) {
    auto result = cast<RankedTensorType>(matmul.getC().getType());
    for (int64_t axis = 0; axis + 2 < result.getRank(); ++axis)
      batches.push_back(body.size(matmul.getC(), axis));
  }

  /// True if neighbours in memory are neighbours in a column of the matrix.
  bool columnsLie();
  /// Splits the number of the matrix, once per call.
  void setBatch(Value batch) {
    batchAt.clear();
    if (!batches.empty())
      batchAt = pull.delinearize(pull.uniform(batch, false, true), batches);
  }
  /// Sixteen elements from (row, column) on along a row, or down a column.
  Value read(Value row, Value column, bool down, Value mask);

  bool failed() const { return body.failed(); }

private:
  KernelBody body;
  PullEvaluator pull;
  Operand operand;
  llvm::SmallVector<Value> batches;
  llvm::SmallVector<Lanes> batchAt;
};

class MatmulLowering {
public:
  MatmulLowering(plan::KernelOp kernel, xf::MatmulOp matmul, KernelBuilder &k)
      : kernel(kernel), matmul(matmul), k(k), body(kernel, k),
        a{matmul.getA(), matmul.getTransposeA()},
        b{matmul.getB(), matmul.getTransposeB()} {}

  LogicalResult lower();

private:
  void buildPackA(KernelBuilder &h);
  void buildPackB(KernelBuilder &h);
  void buildFinish(KernelBuilder &h);
  void emitBlock(Value batch, Value firstRow, Value firstColumn);
  void emitProducts(Value rows, Value panels, Value depth);
  void emitTile(int64_t height, int64_t width, Value row, Value panel,
                Value depth);
  void clearSums(Value rows);

  Value rowCount() { return body.size(matmul.getC(), rank() - 2); }
  Value columnCount() { return body.size(matmul.getC(), rank() - 1); }
  Value depth() {
    int64_t axes = cast<RankedTensorType>(a.tensor.getType()).getRank();
    return body.size(a.tensor, axes - (a.transposed ? 2 : 1));
  }
  int64_t rank() {
    return cast<RankedTensorType>(matmul.getC().getType()).getRank();
  }

  plan::KernelOp kernel;
  xf::MatmulOp matmul;
  KernelBuilder &k;
  KernelBody body;
  Operand a, b;
  bool aByColumns = false, failedInHelper = false;
  KernelBuilder *packA = nullptr, *packB = nullptr, *finish = nullptr;
};

} // namespace

bool OperandReader::columnsLie() {
  int64_t rank = cast<RankedTensorType>(operand.tensor.getType()).getRank();
  int64_t down = operand.transposed ? rank - 1 : rank - 2;
  int64_t along = operand.transposed ? rank - 2 : rank - 1;
  std::optional<StridedView> view = body.view(operand.tensor);
  if (!view)
    return down == rank - 1;
  return view->strides[down].isConstant(1) &&
         !view->strides[along].isConstant(1);
}

Value OperandReader::read(Value row, Value column, bool down, Value mask) {
  auto type = cast<RankedTensorType>(operand.tensor.getType());
  llvm::SmallVector<Lanes> at;
  // Batch axes count from the right; a static 1 is read for every matrix.
  int64_t own = type.getRank() - 2, all = batchAt.size();
  for (int64_t axis = 0; axis < own; ++axis)
    at.push_back(type.getDimSize(axis) == 1 ? pull.constant(0)
                                            : batchAt[all - own + axis]);
  Lanes i = down ? pull.ramp(row, 1, false) : pull.uniform(row, false, true);
  Lanes j =
      down ? pull.uniform(column, false, true) : pull.ramp(column, 1, false);
  at.push_back(operand.transposed ? j : i);
  at.push_back(operand.transposed ? i : j);
  pull.newElements();
  return pull.readVector(operand.tensor, at, mask);
}

/// Calls `body(at, mask)` for 16 numbers at a time; only the last call has a
/// mask.
static void forSixteens(KernelBuilder &k, Value count,
                        llvm::function_ref<void(Value, Value)> body) {
  Value whole = k.sub(count, k.rem(count, kernelLanes));
  k.forLoop(k.index(0), whole, kernelLanes,
            [&](Value at) { body(at, Value()); });
  k.ifThen(k.less(whole, count),
           [&] { body(whole, k.tailMask(k.sub(count, whole))); });
}

/// (batch, first row, rows, first k, depth): a's block into the scratch.
void MatmulLowering::buildPackA(KernelBuilder &h) {
  OperandReader reader(kernel, matmul, a, h);
  aByColumns = reader.columnsLie();
  reader.setBatch(h.parameter(0));
  Value rows = h.parameter(2), depth = h.parameter(4);
  Value to = h.scratch(Blocks::aOffset, h.f32());
  Value outer = aByColumns ? depth : rows, inner = aByColumns ? rows : depth;
  int64_t stride = aByColumns ? Blocks::rows : Blocks::depth;
  h.forLoop(h.index(0), outer, 1, [&](Value i) {
    forSixteens(h, inner, [&](Value j, Value mask) {
      Value row = h.add(h.parameter(1), aByColumns ? j : i);
      Value at = h.add(h.parameter(3), aByColumns ? i : j);
      h.storeV(reader.read(row, at, aByColumns, mask), to,
               h.add(h.mul(i, stride), j));
    });
  });
  failedInHelper |= reader.failed();
  h.finish();
}

/// (batch, first column, columns, first k, depth): b's block into panels.
void MatmulLowering::buildPackB(KernelBuilder &h) {
  OperandReader reader(kernel, matmul, b, h);
  bool transposes = reader.columnsLie();
  reader.setBatch(h.parameter(0));
  Value columns = h.parameter(2), depth = h.parameter(4);
  Value to = h.scratch(Blocks::bOffset, h.f32());
  auto place = [&](Value column, Value at) {
    // Columns come in sixteens: panel column / 16 starts at column * depth.
    return h.add(h.mul(column, Blocks::depth), h.mul(at, kernelLanes));
  };
  if (!transposes)
    h.forLoop(h.index(0), depth, 1, [&](Value at) {
      forSixteens(h, columns, [&](Value column, Value mask) {
        Value v = reader.read(h.add(h.parameter(3), at),
                              h.add(h.parameter(1), column), false, mask);
        h.storeV(v, to, place(column, at));
      });
    });
  else
    h.forLoop(h.index(0), columns, kernelLanes, [&](Value column) {
      forSixteens(h, depth, [&](Value at, Value mask) {
        Values lines;
        for (int64_t lane = 0; lane < kernelLanes; ++lane) {
          // Behind the last column the last one is read again.
          Value own = h.min(h.add(column, lane), h.sub(columns, 1));
          lines.push_back(reader.read(h.add(h.parameter(3), at),
                                      h.add(h.parameter(1), own), true, mask));
        }
        for (auto [line, values] : llvm::enumerate(h.transpose16(lines)))
          h.storeV(values, to, place(column, h.add(at, line)));
      });
    });
  failedInHelper |= reader.failed();
  h.finish();
}

/// (first row over all matrices, rows, first column, columns): alpha, epilogue
/// and the store of the sums.
void MatmulLowering::buildFinish(KernelBuilder &h) {
  RootEpilogue epilogue(kernel, matmul.getC(), h);
  KernelBody own(kernel, h);
  Value width = own.size(matmul.getC(), rank() - 1);
  float alpha = static_cast<float>(matmul.getAlpha().convertToDouble());
  Value sums = h.scratch(Blocks::cOffset, h.f32());
  Value out = h.slot(own.resultSlot(0), h.f32());
  h.forLoop(h.index(0), h.parameter(1), 1, [&](Value r) {
    Value row = h.add(h.parameter(0), r);
    forSixteens(h, h.parameter(3), [&](Value c, Value mask) {
      Value value = h.loadV(sums, h.add(h.mul(r, Blocks::columns), c));
      if (alpha != 1)
        value = h.mulF(value, h.splat(alpha));
      Value column = h.add(h.parameter(2), c);
      value = epilogue.apply(row, column, mask, value);
      Value at = h.add(h.mul(row, width), column);
      mask ? h.storeMasked(value, out, at, mask) : h.storeV(value, out, at);
    });
  });
  failedInHelper |= epilogue.failed() || own.failed();
  h.finish();
}

void MatmulLowering::clearSums(Value rows) {
  Value sums = k.scratch(Blocks::cOffset, k.f32());
  k.forLoop(k.index(0), k.mul(rows, Blocks::columns), kernelLanes,
            [&](Value at) { k.storeV(k.splat(0), sums, at); });
}

/// One register tile over one block of K, from the sums and back.
void MatmulLowering::emitTile(int64_t height, int64_t width, Value row,
                              Value panel, Value depth) {
  Value aBlock = k.scratch(Blocks::aOffset, k.f32());
  Value bBlock = k.scratch(Blocks::bOffset, k.f32());
  Value cBlock = k.scratch(Blocks::cOffset, k.f32());
  constexpr int64_t panelSize = Blocks::depth * kernelLanes;
  Value av = aByColumns ? k.view(aBlock, row, {height, Blocks::depth},
                                 {1, Blocks::rows})
                        : k.view(aBlock, k.mul(row, Blocks::depth),
                                 {height, Blocks::depth}, {Blocks::depth, 1});
  Value bv =
      k.view(bBlock, k.mul(panel, panelSize),
             {width, Blocks::depth, kernelLanes}, {panelSize, kernelLanes, 1});
  Value cv = k.view(
      cBlock, k.add(k.mul(row, Blocks::columns), k.mul(panel, kernelLanes)),
      {height, width * kernelLanes}, {Blocks::columns, 1});
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
  auto place = [&](int64_t r, int64_t p) -> Values {
    return {k.index(r), k.index(p * kernelLanes)};
  };
  Values sums;
  for (int64_t r = 0; r < height; ++r)
    for (int64_t p = 0; p < width; ++p)
      sums.push_back(k.loadV(cv, place(r, p)));
  sums = emitMicroKernel(k, micro, depth, sums);
  for (int64_t r = 0; r < height; ++r)
    for (int64_t p = 0; p < width; ++p)
      k.storeV(sums[r * width + p], cv, place(r, p));
}

/// All register tiles of a block; all (width, height) behind one switch.
void MatmulLowering::emitProducts(Value rows, Value panels, Value depth) {
  constexpr int64_t height = 6, heights = 8;
  bool wide = k.target().vectorRegisters >= 32;
  Value width =
      wide ? k.select(k.less(panels, k.index(3)), k.index(2), k.index(4))
           : k.index(1);
  llvm::SmallVector<int64_t> widths = {1}, bodies;
  if (wide)
    widths = {2, 4};
  for (int64_t w : widths)
    for (int64_t h = 1; h <= height; ++h)
      bodies.push_back(w * heights + h);
  BalancedRows tiles = balanceRows(k, rows, k.index(height));
  k.forLoop(k.index(0), k.ceilDiv(panels, width), 1, [&](Value piece) {
    k.forLoop(k.index(0), tiles.count, 1, [&](Value tile) {
      Value key = k.add(k.mul(width, heights), tiles.height(k, tile));
      Value row = tiles.start(k, tile), panel = k.mul(piece, width);
      k.indexSwitch(key, bodies, [&](int64_t body) {
        emitTile(body % heights, body / heights, row, panel, depth);
      });
    });
  });
}

void MatmulLowering::emitBlock(Value batch, Value firstRow, Value firstColumn) {
  Value rows = k.min(k.sub(rowCount(), firstRow), Blocks::rows);
  Value columns = k.min(k.sub(columnCount(), firstColumn), Blocks::columns);
  clearSums(rows);
  k.forLoop(k.index(0), depth(), Blocks::depth, [&](Value first) {
    Value count = k.min(k.sub(depth(), first), Blocks::depth);
    k.call(*packA, {batch, firstRow, rows, first, count});
    k.call(*packB, {batch, firstColumn, columns, first, count});
    emitProducts(rows, k.ceilDiv(columns, kernelLanes), count);
  });
  Value row = k.add(k.mul(batch, rowCount()), firstRow);
  k.call(*finish, {row, rows, firstColumn, columns});
}

LogicalResult MatmulLowering::lower() {
  KernelBuilder helperA(k, "pack_a", 5), helperB(k, "pack_b", 5),
      helperC(k, "finish", 4);
  buildPackA(helperA);
  buildPackB(helperB);
  buildFinish(helperC);
  packA = &helperA;
  packB = &helperB;
  finish = &helperC;
  Value rowBlocks = k.ceilDiv(rowCount(), Blocks::rows);
  Value columnBlocks = k.ceilDiv(columnCount(), Blocks::columns);
  Value perMatrix = k.mul(rowBlocks, columnBlocks);
  k.forTiles([&](Value tile) {
    Value batch = k.div(tile, perMatrix), inside = k.rem(tile, perMatrix);
    emitBlock(batch, k.mul(k.div(inside, columnBlocks), Blocks::rows),
              k.mul(k.rem(inside, columnBlocks), Blocks::columns));
  });
  return failure(failedInHelper || body.failed());
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
