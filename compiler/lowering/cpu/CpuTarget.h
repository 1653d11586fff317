//===- CpuTarget.h - What kernels know about a CPU level --------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A feature level is a compile-time choice from a named list. It fixes what the
// backend may use and the register tiles that the kernels are built from; it
// never changes a result: kernels compute on 16 virtual lanes at every level.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_CPUTARGET_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_CPUTARGET_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// Columns of a weight panel and lanes of every kernel vector, at all levels.
inline constexpr int64_t kernelLanes = 16;

/// One row of a tile table: from `minRows` rows on (until the next row of the
/// table), tiles are `panels` * 16 columns wide and at most `height` rows high.
/// Rows divide into ceil(M / height) tiles whose heights differ by at most one.
struct TileRule {
  int64_t minRows;
  int64_t panels;
  int64_t height;
};

/// A feature level and its tile tables. The register budget of a tile is
/// height * panels accumulators, `panels` columns of B and one broadcast.
struct CpuTarget {
  std::string level;    ///< name in the artifact, "x86-64-v4"
  std::string cpu;      ///< LLVM's -mcpu
  std::string features; ///< LLVM's -mattr
  int64_t vectorRegisters = 16;
  int64_t registerLanes = 8; ///< float32 lanes of one register

  int64_t spareRegisters = 4;

  /// Tiles of a 64-column chunk by its row count, ascending from minRows = 1.
  std::vector<TileRule> chunkTiles;
  /// Tiles of the columns behind the last whole chunk, of 1 and 2 panels.
  TileRule narrowTile;
  TileRule halfTile;

  /// The rule of `chunkTiles` for `rows` rows.
  const TileRule &chunkTile(int64_t rows) const;

  /// Steps of K that a register tile of height x panels unrolls. A tile that
  /// leaves fewer than `spareRegisters` free is not unrolled: the scheduler
  /// would move loads ahead and spill every accumulator.
  int64_t unrollFor(int64_t height, int64_t panels) const;

  /// The level of that name; an error lists the known ones.
  static Result<CpuTarget> parse(std::string_view level);
  /// All levels, lowest first.
  static std::vector<std::string> levels();
};

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_CPUTARGET_H
