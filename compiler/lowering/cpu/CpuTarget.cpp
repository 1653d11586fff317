//===- CpuTarget.cpp - The CPU levels and their tile tables ---------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/CpuTarget.h"

#include <cassert>

using namespace dragoman;

/// 16 registers of 8 lanes: 6x16 is 12 accumulators; one or two rows run over
/// more columns, or their few chains would wait for each other.
static CpuTarget makeV3() {
  CpuTarget target;
  target.level = "x86-64-v3";
  target.cpu = "x86-64-v3";
  target.vectorRegisters = 16;
  target.registerLanes = 8;
  target.chunkTiles = {{1, 4, 1}, {2, 2, 2}, {3, 1, 6}};
  target.narrowTile = {1, 1, 6};
  target.halfTile = {1, 2, 2};
  return target;
}

/// 32 registers of 16 lanes. Up to 6 rows are one tile of 64 columns. From 7
/// rows on there are two tiles of 32 columns or more: while the first ones run,
/// the next columns are fetched (measured on weights out of memory: 12 rows as
/// 6 + 6 reach 0.93 of the peak, as one tile 0.78). Many rows use 6x64, the
/// tile with the fewest loads per FMA.
static CpuTarget makeV4() {
  CpuTarget target;
  target.level = "x86-64-v4";
  target.cpu = "x86-64-v4";
  target.vectorRegisters = 32;
  target.registerLanes = 16;
  target.spareRegisters = 2;
  target.chunkTiles = {
      {1, 4, 6}, {7, 2, 6}, {13, 2, 7}, {15, 2, 13}, {48, 4, 6}};
  target.narrowTile = {1, 1, 8};
  target.halfTile = {1, 2, 13};
  return target;
}

const TileRule &CpuTarget::chunkTile(int64_t rows) const {
  assert(rows >= 1 && "a tile table starts at one row");
  const TileRule *rule = &chunkTiles.front();
  for (const TileRule &next : chunkTiles)
    if (next.minRows <= rows)
      rule = &next;
  return *rule;
}

int64_t CpuTarget::unrollFor(int64_t height, int64_t panels) const {
  int64_t perVector = kernelLanes / registerLanes;
  int64_t used = (height + 1) * panels * perVector + 1;
  return used + spareRegisters > vectorRegisters ? 1 : 2;
}

Result<CpuTarget> CpuTarget::parse(std::string_view level) {
  if (level == "x86-64-v3")
    return makeV3();
  if (level == "x86-64-v4")
    return makeV4();
  return Status(StatusCode::InvalidArgument,
                "unknown CPU level '" + std::string(level) +
                    "', expected x86-64-v3 or x86-64-v4");
}

std::vector<std::string> CpuTarget::levels() {
  return {"x86-64-v3", "x86-64-v4"};
}
