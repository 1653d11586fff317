//===- ElementGroups.h - Walks over a kernel's results ----------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cluster without a root computes each result row by row, 16 lanes along its
// last axis of more than one element. Results of one shape are walked together.
//
// A tile is some rows times some columns of one group of results; the tiles of
// the groups follow each other.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_TILING_ELEMENTGROUPS_H
#define DRAGOMAN_COMPILER_TILING_ELEMENTGROUPS_H

#include "dialects/plan/Plan.h"
#include "dialects/xf/DimAnalysis.h"

namespace dragoman {

/// Results that are walked together: sizes in memory order, and the tensors
/// whose elements they hold (reshapes of the results undone).
struct ElementGroup {
  llvm::SmallVector<DimExpr> dims;
  unsigned laneAxis = 0;
  llvm::SmallVector<std::pair<unsigned, mlir::Value>> results;

  /// Elements along the lanes, and rows around them.
  DimExpr columns() const;
  DimExpr rows() const;

  /// Rows and columns of a tile; columns are a multiple of 16.
  int64_t tileRows = 1, tileColumns = 16;
  DimExpr tiles() const;
};

/// The groups of a kernel's results, in order of their first result, with tiles
/// of about `elements` elements.
llvm::SmallVector<ElementGroup> elementGroups(plan::KernelOp kernel,
                                              xf::DimAnalysis &analysis,
                                              int64_t elements);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_TILING_ELEMENTGROUPS_H
