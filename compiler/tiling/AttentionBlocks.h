//===- AttentionBlocks.h - Block sizes and scratch of attention -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys are walked in blocks of 256 counted from key 0, whatever the lengths, so
// a query's sums divide the same way in any batch. Query rows divide into
// blocks, for which a packed block of keys is used while it is in cache, and
// these into tiles whose scores stay in the first-level cache.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_TILING_ATTENTIONBLOCKS_H
#define DRAGOMAN_COMPILER_TILING_ATTENTIONBLOCKS_H

#include "dialects/plan/Plan.h"
#include "dialects/xf/Xf.h"
#include "runtime/artifact/DimExpr.h"

namespace dragoman {

/// Keys of a block; a constant of the algorithm.
inline constexpr int64_t attentionKeyBlock = 256;

struct AttentionBlocks {
  int64_t queryTile = 32;
  int64_t queryBlock = 1024;
  /// Adjacent batch rows that may be taken through one source's keys together
  /// (`rows` of one column); 0 if rows stand alone.
  int64_t rowGroup = 0;
};

/// Byte offsets of a thread's scratch; every part starts at a cache line.
struct AttentionScratch {
  AttentionScratch(const AttentionBlocks &blocks, int64_t headSize,
                   int64_t valueSize);

  int64_t valueLanes;  ///< values rounded up to 16
  int64_t scores;      ///< f32 [queryTile][256]
  int64_t keys;        ///< f32 [16 panels][headSize][16]
  int64_t values;      ///< f32 [256][valueLanes]
  int64_t out;         ///< f32 [queryBlock][valueLanes]
  int64_t sums;        ///< f32 [queryBlock][16]
  int64_t maxima;      ///< f32 [queryBlock + 16]
  int64_t tileMaxima;  ///< f32 [queryTile + 16]
  int64_t shifts;      ///< f32 [queryTile + 16]
  int64_t decay;       ///< f32 [queryTile + 16]
  int64_t first, last; ///< i64 [queryBlock]: the keys that a row sees
  int64_t panels;      ///< i64 [16]: addresses of key panels
  int64_t valueRows;   ///< i64 [256]: offsets of value rows
  int64_t flags;       ///< i32 [16], then one vector f32 [16]
  int64_t bytes;
};

/// Keys and values by row: `rows` of one column, shared by neighbours.
bool sharesSources(xf::AttentionOp op);

/// What tiling decides for `op`.
AttentionBlocks attentionBlocks(xf::AttentionOp op);

/// Tiles of a launch: (batch row, query head, query block), or (batch row,
/// query head) where neighbours share sources.
DimExpr attentionTiles(xf::AttentionOp op, const AttentionBlocks &blocks);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_TILING_ATTENTIONBLOCKS_H
