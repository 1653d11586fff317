//===- RowwiseSchedule.cpp - How norms and softmax divide into tiles ------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/RowAxes.h"
#include "compiler/tiling/Schedule.h"

using namespace dragoman;

// A tile is `rows` rows, of about half an elementwise tile together.
llvm::FailureOr<KernelSchedule>
dragoman::scheduleRowwise(plan::KernelOp kernel, mlir::Operation *,
                          const TargetInfo &target) {
  xf::DimAnalysis analysis;
  RowAxes axes = rowwiseRoot(kernel, analysis);
  int64_t rows = 16;
  if (std::optional<int64_t> columns = axes.columns.constant())
    rows = std::max<int64_t>(
        target.elementBlock / 2 / std::max<int64_t>(*columns, 1), 1);
  rows = target.number(kernel, "rows", rows);
  return KernelSchedule{makeSchedule(kernel, {{"rows", rows}}),
                        DimExpr::ceilDiv(axes.rows, DimExpr(rows))};
}
