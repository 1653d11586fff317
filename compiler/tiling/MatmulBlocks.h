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

/// A tile of xf.matmul is `rows` x `columns` of one matrix. For each `depth` of
/// K both operands are packed into the thread's scratch, beside the sums.
struct MatmulBlocks {
  static constexpr int64_t rows = 96, columns = 64, depth = 256;

  static constexpr int64_t aOffset = 0;
  static constexpr int64_t bOffset = aOffset + rows * depth * 4;
  static constexpr int64_t cOffset = bOffset + columns * depth * 4;
  static constexpr int64_t scratchBytes = cOffset + rows * columns * 4;
};

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_TILING_MATMULBLOCKS_H
