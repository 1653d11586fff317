//===- AttentionGradBlocks.h - Blocks and scratch of attention_grad -------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of the launch is one batch row and key head: everything that adds into
// a row of dk or dv. Inside it keys are walked in blocks of 256, and for each
// block the queries of the group's heads in tiles.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_TILING_ATTENTIONGRADBLOCKS_H
#define DRAGOMAN_COMPILER_TILING_ATTENTIONGRADBLOCKS_H

#include "compiler/tiling/AttentionBlocks.h"

namespace dragoman {

/// Rows of a tile of queries, unless a schedule says otherwise.
inline constexpr int64_t attentionGradQueryTile = 32;

/// Byte offsets of a thread's scratch; every part starts at a cache line.
struct AttentionGradScratch {
  AttentionGradScratch(int64_t queryTile, int64_t headSize, int64_t valueSize);

  /// Elements from one row of scores to the next: a block and a cache line, so
  /// that columns spread over the cache's sets.
  static constexpr int64_t stride = attentionKeyBlock + 16;

  int64_t headLanes, valueLanes; ///< sizes rounded up to 16
  int64_t weights;               ///< f32 [queryTile][stride]
  int64_t scores;                ///< f32 [queryTile][stride]
  int64_t keys;                  ///< f32 [16 panels][headSize][16]
  int64_t values;                ///< f32 [16 panels][valueSize][16]
  int64_t keyRows;               ///< f32 [256][headLanes], if sizes are ragged
  int64_t queryRows;             ///< f32 [queryTile][headLanes], likewise
  int64_t doutRows;              ///< f32 [queryTile][valueLanes], likewise
  int64_t means, shifts;         ///< f32 [queryTile]
  int64_t first, last;           ///< i64 [queryTile]: the keys that a row sees
  int64_t bytes;
};

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_TILING_ATTENTIONGRADBLOCKS_H
