//===- MatmulBlocks.h - Blocks of a matmul and their scratch ----*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_TILING_MATMULBLOCKS_H
#define DRAGOMAN_COMPILER_TILING_MATMULBLOCKS_H

#include <cstdint>

namespace dragoman {

namespace xf {
class MatmulOp;
} // namespace xf

/// A tile of xf.matmul is at most `rows` x `columns` of one matrix, and K is
/// taken in blocks of `depth`. Both operands are packed into the thread's
/// scratch (a only where its rows do not lie as the micro-kernel reads them),
/// beside zeros that the first chains start from and the sums of a tile:
///   a     [rows][depth] or [depth][rows], as its bytes lie
///   b     [keptBlocks][columns / 16][depth + 1][16]
///   zeros [registerRows][piece]
///   sums  [columns / piece][rows][piece]
struct MatmulBlocks {
  static constexpr int64_t piece = 64, registerRows = 6;

  int64_t rows = 96;
  int64_t columns = 64; ///< a multiple of `piece`
  int64_t depth = 256;
  /// Blocks of depth in K if b is kept whole, so that the next tile of the same
  /// columns need not pack it again; else 0.
  int64_t keptBlocks = 0;

  /// True if K is known to have one block: then one register tile of sums is
  /// enough.
  bool isOneBlock() const { return keptBlocks == 1; }
  /// Floats of a panel of b, and of a block of panels. A line behind each panel
  /// keeps equal k of all panels out of one set of the cache.
  int64_t panelSize() const { return (depth + 1) * 16; }
  int64_t bSize() const { return columns / 16 * panelSize(); }

  int64_t aOffset() const { return 0; }
  int64_t bOffset() const { return rows * depth * 4; }
  int64_t zeroOffset() const {
    return bOffset() + (keptBlocks > 0 ? keptBlocks : 1) * bSize() * 4;
  }
  int64_t sumOffset() const { return zeroOffset() + registerRows * piece * 4; }
  int64_t scratchBytes() const {
    return sumOffset() +
           (isOneBlock() ? registerRows * piece : rows * columns) * 4;
  }
};

/// True if all matrices of `a` meet the same b, so that the rows of all of them
/// are the rows of one product.
bool foldsBatch(xf::MatmulOp matmul);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_TILING_MATMULBLOCKS_H
