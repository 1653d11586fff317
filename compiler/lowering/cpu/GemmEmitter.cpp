//===- GemmEmitter.cpp - The one contraction micro-kernel -----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/GemmEmitter.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace dragoman;

using Values = KernelBuilder::Values;

Values dragoman::zeroAccumulators(KernelBuilder &k, int64_t height,
                                  int64_t panels) {
  return Values(height * panels, k.splat(0));
}

/// One k: loads a row of B, then each A, and extends all chains.
static void emitStep(KernelBuilder &k, const MicroTile &tile, Value at,
                     Values &sums) {
  Values columns;
  for (int64_t panel = 0; panel < tile.panels; ++panel)
    columns.push_back(tile.loadB(panel, at));
  for (int64_t row = 0; row < tile.height; ++row) {
    Value a = k.broadcast(tile.loadA(row, at));
    for (int64_t panel = 0; panel < tile.panels; ++panel) {
      Value &sum = sums[row * tile.panels + panel];
      sum = k.fma(a, columns[panel], sum);
    }
  }
}

Values dragoman::emitMicroKernel(KernelBuilder &k, const MicroTile &tile,
                                 Value count, ValueRange init) {
  auto steps = [&](Value from, Value to, int64_t unroll, ValueRange start) {
    return k.forLoop(from, to, unroll, start, [&](Value at, ValueRange sums) {
      Values next(sums);
      if (tile.prefetch)
        tile.prefetch(at);
      for (int64_t u = 0; u < unroll; ++u)
        emitStep(k, tile, k.add(at, u), next);
      return next;
    });
  };
  if (std::optional<int64_t> total = getConstantIntValue(count)) {
    int64_t whole = *total / tile.unroll * tile.unroll;
    Values sums(init);
    if (whole > 0)
      sums = steps(k.index(0), k.index(whole), tile.unroll, sums);
    for (int64_t rest = whole; rest < *total; ++rest)
      emitStep(k, tile, k.index(rest), sums);
    return sums;
  }
  if (tile.unroll == 1)
    return steps(k.index(0), count, 1, init);
  Value whole = k.sub(count, k.rem(count, tile.unroll));
  Values sums = steps(k.index(0), whole, tile.unroll, init);
  return steps(whole, count, 1, sums);
}

Value BalancedRows::height(KernelBuilder &k, Value t) const {
  Value extra = arith::ExtUIOp::create(k.op(), k.i64(), k.less(t, tall));
  return k.add(base, k.toIndex(extra));
}

Value BalancedRows::start(KernelBuilder &k, Value t) const {
  return k.add(k.mul(t, base), k.min(t, tall));
}

BalancedRows dragoman::balanceRows(KernelBuilder &k, Value rows, Value height) {
  // At least one tile: without rows nothing runs, but nothing divides by 0.
  Value count = k.max(k.ceilDiv(rows, height), 1);
  return {count, k.div(rows, count), k.rem(rows, count)};
}

std::set<int64_t> dragoman::balancedHeights(int64_t from, int64_t to,
                                            int64_t height) {
  std::set<int64_t> heights;
  for (int64_t rows = from; rows <= to; ++rows) {
    int64_t count = (rows + height - 1) / height;
    heights.insert(rows / count);
    if (rows % count)
      heights.insert(rows / count + 1);
  }
  return heights;
}

PanelStrips dragoman::splitPanels(KernelBuilder &k, Value from, Value to,
                                  int64_t all) {
  Value wide = k.mul(k.div(k.add(k.sub(to, from), 1), 4), 4);
  Value first = k.min(from, k.sub(k.index(all), wide));
  Value end = k.min(k.add(first, wide), k.add(from, wide));
  return {first, end, k.min(end, k.index(all - 2)), k.less(end, to)};
}
