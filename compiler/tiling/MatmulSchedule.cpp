//===- MatmulSchedule.cpp - How matmul divides into tiles -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/MatmulBlocks.h"
#include "compiler/tiling/Schedule.h"

#include "dialects/xf/Xf.h"

#include <algorithm>

using namespace dragoman;

bool dragoman::foldsBatch(xf::MatmulOp matmul) {
  auto b = llvm::cast<mlir::RankedTensorType>(matmul.getB().getType());
  return b.getRank() > 2 && !matmul.getTransposeA() &&
         llvm::all_of(b.getShape().drop_back(2),
                      [](int64_t size) { return size == 1; });
}

static int64_t roundUp(int64_t number, int64_t multiple) {
  return (number + multiple - 1) / multiple * multiple;
}

/// `size` in equal parts of at most `most`, rounded up to a multiple.
static int64_t equalParts(int64_t size, int64_t most, int64_t multiple) {
  int64_t parts = std::max<int64_t>((size + most - 1) / most, 1);
  return std::max(roundUp((size + parts - 1) / parts, multiple), multiple);
}

/// Packing costs a share of about 5/columns for a and 5/rows for b, unless b is
/// kept; the blocks stay in a second-level cache of 1 MiB.
static MatmulBlocks chooseBlocks(std::optional<int64_t> rows,
                                 std::optional<int64_t> columns,
                                 std::optional<int64_t> depth) {
  constexpr int64_t keptFloats = 512 * 1024, mostDepth = 512;
  // Whole vectors, and whole register tiles.
  constexpr int64_t depthStep = 16, rowStep = 48;
  MatmulBlocks blocks;
  if (!columns)
    return blocks;
  blocks.rows = 192;
  blocks.columns = equalParts(*columns, 512, MatmulBlocks::piece);
  blocks.depth = 128;
  if (depth) {
    int64_t size = equalParts(*depth, mostDepth, depthStep),
            count = std::max<int64_t>((*depth + size - 1) / size, 1),
            width = equalParts(*columns, 256, MatmulBlocks::piece);
    if (count * size * width <= keptFloats) {
      blocks.rows = 96;
      blocks.columns = width;
      blocks.depth = size;
      blocks.keptBlocks = count;
    }
  }
  if (rows) {
    // A small result gives both of two threads something to do.
    int64_t most =
        *columns > blocks.columns
            ? blocks.rows
            : std::clamp<int64_t>((*rows + 1) / 2, rowStep, blocks.rows);
    blocks.rows = equalParts(*rows, most, rowStep);
  }
  return blocks;
}

// Operands are activations or values of a state, packed inside the tile.
llvm::FailureOr<KernelSchedule> dragoman::scheduleMatmul(plan::KernelOp kernel,
                                                         mlir::Operation *root,
                                                         const TargetInfo &) {
  auto matmul = llvm::cast<xf::MatmulOp>(root);
  unsigned rank =
      llvm::cast<mlir::RankedTensorType>(matmul.getC().getType()).getRank();
  DimExpr rows = axisSize(matmul.getC(), rank - 2),
          columns = axisSize(matmul.getC(), rank - 1),
          depth =
              axisSize(matmul.getA(), rank - (matmul.getTransposeA() ? 2 : 1)),
          matrices = rowCount(matmul.getC(), /*inner=*/2);
  if (foldsBatch(matmul)) {
    rows *= matrices;
    matrices = DimExpr(1);
  }
  MatmulBlocks blocks =
      chooseBlocks(rows.constant(), columns.constant(), depth.constant());
  return KernelSchedule{
      makeSchedule(kernel, {{"rows", blocks.rows},
                            {"columns", blocks.columns},
                            {"depth", blocks.depth},
                            {"kept_blocks", blocks.keptBlocks}}),
      matrices * DimExpr::ceilDiv(rows, DimExpr(blocks.rows)) *
          DimExpr::ceilDiv(columns, DimExpr(blocks.columns)),
      blocks.scratchBytes()};
}
