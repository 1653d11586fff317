//===- LinearSchedule.cpp - How linear divides into tiles -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/Schedule.h"

#include "dialects/xf/Xf.h"

using namespace dragoman;

// A tile is one chunk of columns times one block of rows; the tiles of a block
// read the weights once, in file order.
llvm::FailureOr<KernelSchedule>
dragoman::scheduleLinear(plan::KernelOp kernel, mlir::Operation *root,
                         const TargetInfo &target) {
  static constexpr int64_t chunk = 64;
  auto linear = llvm::cast<xf::LinearOp>(root);
  int64_t rowBlock = target.number(kernel, "row_block", target.rowBlock);
  DimExpr blocks = DimExpr::ceilDiv(rowCount(linear.getY()), DimExpr(rowBlock));
  DimExpr chunks = DimExpr::ceilDiv(axisSize(linear.getW(), 0), DimExpr(chunk));
  // The sums of a last panel of fewer than 16 columns pass through scratch.
  std::optional<int64_t> columns = axisSize(linear.getW(), 0).constant();
  int64_t scratch = columns && *columns % 16 == 0 ? 0 : 32 * 16 * 4;
  return KernelSchedule{
      makeSchedule(kernel, {{"row_block", rowBlock}, {"columns", chunk}}),
      blocks * chunks, scratch};
}
