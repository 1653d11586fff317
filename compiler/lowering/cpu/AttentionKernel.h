//===- AttentionKernel.h - Attention on the CPU -----------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One algorithm for all lengths, with the same bits for a query in any batch,
// in one pass or step by step (compiler/tiling/AttentionBlocks.h):
//
//   for each block of 256 keys
//     keys in panels of 16, in place or packed; values packed or in place
//     for each tile of query rows
//       scores, one chain over d each; hidden ones become -inf
//       the running maximum m, by compare and select
//       p = 2^(score * c - m), exactly 0 where hidden; l += p in 16 lanes
//       out = out * 2^(m_old - m) + p . v, one chain over keys each
//   out / l + 0
//
// A hidden key's p is -0, which no exponential gives. A NaN or infinity in a
// hidden value would still reach the product; it shows in the tile's sums, and
// such a tile is computed again with hidden keys left out.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_ATTENTIONKERNEL_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_ATTENTIONKERNEL_H

#include "compiler/lowering/cpu/KernelBuilder.h"
#include "compiler/tiling/AttentionBlocks.h"

#include <functional>

namespace dragoman {

/// A tensor in memory by meaning: element (b, h, t, d) lies at
/// offset + b * strides[0] + h * strides[1] + t * strides[2] + d.
struct AttentionOperand {
  int64_t slot = 0;
  mlir::Value offset;
  std::array<mlir::Value, 3> strides;
};

/// Where a query stands.
struct AttentionQuery {
  mlir::Value batch, head, row;
};

/// How keys and values are found from a query's batch row.
enum class AttentionSource { OwnRow, RowOfBatch, RowOfKey };

struct AttentionSpec {
  int64_t heads = 1, keyHeads = 1, headSize = 0, valueSize = 0;
  mlir::Value batch, queries; ///< sizes B and T
  mlir::Value keys;           ///< keys that exist for any row
  mlir::Value keyRows;        ///< batch rows of k and v
  AttentionOperand q, k, v, out;
  bool panels = false;        ///< k lies in panels of 16 (k.strides[2] unused)
  bool valuesInPlace = false; ///< v rows are dense and a multiple of 16
  AttentionBlocks blocks;
  double scale = 1;

  AttentionSource source = AttentionSource::OwnRow;
  /// The row of k and v for batch row b and key j (RowOfBatch: j is null).
  std::function<mlir::Value(mlir::Value b, mlir::Value j)> sourceRow;
  /// 16 of them as i32 lanes from key j on, inside `mask` (RowOfKey).
  std::function<mlir::Value(mlir::Value b, mlir::Value j, mlir::Value mask)>
      sourceRows;
  /// True if q and out run on over (b, t) with one stride, so that neighbours
  /// with one source form one block of queries.
  bool mergesRows = false;

  /// [first, last) of the keys that a query may see.
  std::function<std::pair<mlir::Value, mlir::Value>(const AttentionQuery &)>
      visible;
  bool hasFirst = false; ///< false: the first visible key is always key 0
  /// Applied to 16 scores in natural units from key j on (softcap, bias, score
  /// region, mask: hidden lanes become -inf); null if there is none. `mask`
  /// (null = all) are the lanes that may be read.
  std::function<mlir::Value(const AttentionQuery &, mlir::Value j,
                            mlir::Value scores, mlir::Value mask)>
      score;
  /// Drops some of 16 weights from key j on; null if none is.
  std::function<mlir::Value(const AttentionQuery &, mlir::Value j,
                            mlir::Value weights)>
      drop;
  /// Stores the log-sum-exp of a query; null if it is not used.
  std::function<void(const AttentionQuery &, mlir::Value lse)> storeLse;
};

/// Builds the body of the kernel that `k` has opened.
void emitAttention(KernelBuilder &k, const AttentionSpec &spec);

/// Reads a kernel around xf.attention and emits it.
llvm::LogicalResult lowerAttention(plan::KernelOp kernel, KernelBuilder &k);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_ATTENTIONKERNEL_H
