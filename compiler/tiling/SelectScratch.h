//===- SelectScratch.h - Scratch of the select kernel -----------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_TILING_SELECTSCRATCH_H
#define DRAGOMAN_COMPILER_TILING_SELECTSCRATCH_H

#include <cstdint>

namespace dragoman {

/// Groups of elements whose maxima bound the k-th best; at least the largest k.
inline constexpr int64_t selectGroups = 128;

/// Byte offsets of a thread's scratch.
struct SelectScratch {
  explicit SelectScratch(int64_t vocabulary) {
    row = 4 * 1024;
    bytes = row + (vocabulary * 4 + 63) / 64 * 64;
  }
  int64_t groups = 0;   ///< f32 [128]
  int64_t values = 512; ///< f32 [128]
  int64_t ids = 1024;   ///< i32 [128]
  int64_t count = 1536; ///< i64
  int64_t bound = 1600; ///< f32 [16]: all lanes equal
  int64_t row;          ///< f32 [V]: the edited row
  int64_t bytes;
};

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_TILING_SELECTSCRATCH_H
