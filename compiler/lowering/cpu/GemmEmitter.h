//===- GemmEmitter.h - The one contraction micro-kernel ---------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every contraction on the CPU (linear, QK^T, PV, matmul) is built from one
// register tile: `height` rows of A times `panels` columns of 16 of B. Each
// output is one chain of fused multiply-adds over k = 0 .. K-1, starting from
// the given accumulators; nothing else touches it. So tile shapes, prefetches
// and threads never change a bit.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_GEMMEMITTER_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_GEMMEMITTER_H

#include "compiler/lowering/cpu/KernelBuilder.h"

#include <functional>
#include <set>

namespace dragoman {

/// A register tile and where its operands come from.
struct MicroTile {
  int64_t height;
  int64_t panels;
  int64_t unroll = 2;

  /// A[row][k] as a scalar. Rows are constants, so that a view with static
  /// strides makes them displacements of one register.
  std::function<mlir::Value(int64_t row, mlir::Value k)> loadA;
  /// B[k][16 * panel .. + 15] as a vector.
  std::function<mlir::Value(int64_t panel, mlir::Value k)> loadB;
  /// Called once per loop step with its first k, before the loads; may be null.
  std::function<void(mlir::Value k)> prefetch;
};

/// The accumulators of a tile, [height][panels], as +0.
KernelBuilder::Values zeroAccumulators(KernelBuilder &k, int64_t height,
                                       int64_t panels);

/// Runs the chains of `tile` over k in [0, count) from `init` and returns the
/// accumulators [height][panels]. `count` may be dynamic.
KernelBuilder::Values emitMicroKernel(KernelBuilder &k, const MicroTile &tile,
                                      mlir::Value count, mlir::ValueRange init);

/// How `rows` rows divide into tiles of at most `height` rows whose heights
/// differ by at most one: the first `tall` of the `count` tiles have base + 1
/// rows, the others `base`.
struct BalancedRows {
  mlir::Value count, base, tall;

  /// Height of tile t.
  mlir::Value height(KernelBuilder &k, mlir::Value t) const;
  /// First row of tile t: t * base + min(t, tall).
  mlir::Value start(KernelBuilder &k, mlir::Value t) const;
};
/// `rows` >= 1; `height` may be a constant or a value.
BalancedRows balanceRows(KernelBuilder &k, mlir::Value rows,
                         mlir::Value height);

/// The heights that `balanceRows` gives for some row count in [from, to].
std::set<int64_t> balancedHeights(int64_t from, int64_t to, int64_t height);

/// How the panels [from, to) of a block of `all` panels are taken in strips of
/// 4 and at last 2: 3 panels count as one strip of 4. Strips may take panels
/// around, never any outside the block.
struct PanelStrips {
  mlir::Value from, end;      ///< strips of 4 over [from, end)
  mlir::Value narrow, isOpen; ///< a strip of 2 from `narrow` on, if `isOpen`
};
PanelStrips splitPanels(KernelBuilder &k, mlir::Value from, mlir::Value to,
                        int64_t all);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_GEMMEMITTER_H
