//===- NormGradSchedule.cpp - How gradients of norms divide into tiles ----===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/RowAxes.h"
#include "compiler/tiling/Schedule.h"

using namespace dragoman;

// A tile is `rows` rows, as of the norms; scratch holds a row of each operand,
// `row_bytes` long.
llvm::FailureOr<KernelSchedule>
dragoman::scheduleNormGrad(plan::KernelOp kernel, mlir::Operation *,
                           const TargetInfo &target) {
  xf::DimAnalysis analysis;
  RowAxes axes = rowwiseRoot(kernel, analysis);
  int64_t columns = axes.columns.constant().value_or(1); // static by C3
  int64_t rows = std::max<int64_t>(
      target.elementBlock / 4 / std::max<int64_t>(columns, 1), 1);
  int64_t bytes = (columns + 15) / 16 * 16 * int64_t(sizeof(float));
  KernelSchedule schedule{
      makeSchedule(kernel, {{"row_bytes", bytes}, {"rows", rows}}),
      DimExpr::ceilDiv(axes.rows, DimExpr(rows))};
  schedule.scratchBytes = 2 * bytes;
  return schedule;
}
