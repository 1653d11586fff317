//===- AttentionGradKernel.h - The gradient of attention on the CPU -------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One tile of the launch is one batch row and key head:
//
//   dq, dk, dv of the tile = 0
//   for each block of 256 keys below the row's count
//     keys and values in panels of 16
//     for each query head of the group, for each tile of queries
//       scores = q . k and dw = dout . v, one chain over d each
//       w = 2^((score - lse) * log2 e), ds = w * (dw - mean) * scale
//       dv += w^T . dout and dk += ds^T . q, one chain over heads and queries
//       dq += ds . k, one chain over keys
//
// with mean = sum_c dout * out - dlse. Nothing of the size queries x keys
// leaves the thread's scratch. What is hidden holds -0 in w and ds, which
// nothing else gives; where q, k or dout holds a NaN or infinity, the products
// leave these out one by one.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_ATTENTIONGRADKERNEL_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_ATTENTIONGRADKERNEL_H

#include "compiler/lowering/cpu/AttentionKernel.h"
#include "compiler/tiling/AttentionGradBlocks.h"

namespace dragoman {

struct AttentionGradSpec {
  int64_t heads = 1, keyHeads = 1, headSize = 0, valueSize = 0;
  mlir::Value queries, keys; ///< sizes T and S
  AttentionOperand q, k, v, out, dout;
  /// Results that nobody asks for are absent.
  std::optional<AttentionOperand> dq, dk, dv;
  int64_t queryTile = attentionGradQueryTile;
  double scale = 1;

  /// The keys that exist for a batch row.
  std::function<mlir::Value(mlir::Value batch)> keyLimit;
  /// [first, last) of the keys that a query may see.
  std::function<std::pair<mlir::Value, mlir::Value>(const AttentionQuery &)>
      visible;
  bool hasFirst = false; ///< false: the first visible key is always key 0
  /// lse and dlse of a query; dlse may be null.
  std::function<mlir::Value(const AttentionQuery &)> lse, dlse;
  /// Final scores of 16 products from key j on, hidden lanes -inf; null if they
  /// are scaled products. `mask` (null = all) are the lanes that may be read.
  std::function<mlir::Value(const AttentionQuery &, mlir::Value j,
                            mlir::Value products, mlir::Value mask)>
      score;
  /// The gradient of the scaled products from that of final scores; null if
  /// they are the same. `mask` are the lanes that may be read, `shown` those
  /// that take part (null = all). Adds the gradients of captured tensors.
  std::function<mlir::Value(const AttentionQuery &, mlir::Value j,
                            mlir::Value products, mlir::Value dscores,
                            mlir::Value mask, mlir::Value shown)>
      reverse;
  /// Zeroes the gradients of captured tensors of a tile; null if there are
  /// none.
  std::function<void(mlir::Value batch, mlir::Value keyHead)> clearCaptures;
  /// Drops some of 16 weights, or of their gradients, from key j on; null if
  /// none is.
  std::function<mlir::Value(const AttentionQuery &, mlir::Value j,
                            mlir::Value weights)>
      drop;
};

/// Builds the body of the kernel that `k` has opened.
void emitAttentionGrad(KernelBuilder &k, const AttentionGradSpec &spec);

/// Reads a kernel around xf.attention_grad and emits it.
llvm::LogicalResult lowerAttentionGrad(plan::KernelOp kernel, KernelBuilder &k);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_ATTENTIONGRADKERNEL_H
