//===- AttentionSchedule.cpp - How attention divides into tiles -----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/AttentionBlocks.h"
#include "compiler/tiling/Schedule.h"

using namespace dragoman;

AttentionScratch::AttentionScratch(const AttentionBlocks &blocks,
                                   int64_t headSize, int64_t valueSize) {
  valueLanes = (valueSize + 15) / 16 * 16;
  bytes = 0;
  auto part = [&](int64_t elements, int64_t width) {
    int64_t offset = bytes;
    bytes += (elements * width + 63) / 64 * 64;
    return offset;
  };
  scores = part(blocks.queryTile * attentionKeyBlock, 4);
  keys = part(attentionKeyBlock * headSize, 4);
  values = part(attentionKeyBlock * valueLanes, 4);
  out = part(blocks.queryBlock * valueLanes, 4);
  sums = part(blocks.queryBlock * 16, 4);
  maxima = part(blocks.queryBlock + 16, 4);
  tileMaxima = part(blocks.queryTile + 16, 4);
  shifts = part(blocks.queryTile + 16, 4);
  decay = part(blocks.queryTile + 16, 4);
  first = part(blocks.queryBlock, 8);
  last = part(blocks.queryBlock, 8);
  panels = part(16, 8);
  valueRows = part(attentionKeyBlock, 8);
  flags = part(32, 4);
}

bool dragoman::sharesSources(xf::AttentionOp op) {
  return op.getRows() &&
         llvm::cast<mlir::RankedTensorType>(op.getRows().getType())
                 .getDimSize(1) == 1;
}

AttentionBlocks dragoman::attentionBlocks(xf::AttentionOp op) {
  AttentionBlocks blocks;
  // The unnormalised output of a block stays within 256 KiB.
  int64_t width = std::max<int64_t>((op.valueSize() + 15) / 16 * 16, 16);
  blocks.queryBlock =
      std::max<int64_t>(65536 / width / blocks.queryTile, 1) * blocks.queryTile;
  if (sharesSources(op))
    blocks.rowGroup = 16;
  return blocks;
}

DimExpr dragoman::attentionTiles(xf::AttentionOp op,
                                 const AttentionBlocks &blocks) {
  DimExpr heads = axisSize(op.getLse(), 0) * DimExpr(op.queryHeads());
  if (sharesSources(op))
    return heads;
  return heads * DimExpr::ceilDiv(axisSize(op.getLse(), 2), blocks.queryBlock);
}

llvm::FailureOr<KernelSchedule>
dragoman::scheduleAttention(plan::KernelOp kernel, mlir::Operation *root,
                            const TargetInfo &) {
  auto op = llvm::cast<xf::AttentionOp>(root);
  AttentionBlocks blocks = attentionBlocks(op);
  AttentionScratch scratch(blocks, op.headSize(), op.valueSize());
  return KernelSchedule{
      makeSchedule(kernel, {{"query_tile", blocks.queryTile},
                            {"query_block", blocks.queryBlock},
                            {"row_group", blocks.rowGroup}}),
      attentionTiles(op, blocks), scratch.bytes};
}
