//===- RowAxes.h - What a rowwise root works along --------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_TILING_ROWAXES_H
#define DRAGOMAN_COMPILER_TILING_ROWAXES_H

#include "dialects/plan/Plan.h"
#include "dialects/xf/DimAnalysis.h"

namespace dragoman {

/// The axes that a rowwise root works along: [first, first + count) of its
/// result; everything else numbers the rows.
struct RowAxes {
  mlir::Operation *root = nullptr;
  unsigned first = 0, count = 1;
  DimExpr rows = DimExpr(1), columns = DimExpr(1);
};

/// The rowwise root of `kernel`; `root` stays null if it has none.
RowAxes rowwiseRoot(plan::KernelOp kernel, xf::DimAnalysis &analysis);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_TILING_ROWAXES_H
