//===- RowAxes.cpp - What a rowwise root works along ----------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/RowAxes.h"

#include "dialects/xf/Xf.h"

using namespace mlir;
using namespace dragoman;

RowAxes dragoman::rowwiseRoot(plan::KernelOp kernel,
                              xf::DimAnalysis &analysis) {
  RowAxes axes;
  int64_t axis = -1, count = 1;
  for (Operation &op : kernel.getBody().front()) {
    if (auto norm = dyn_cast<xf::LayerNormOp>(op))
      count = norm.getAxes(), axis = -count;
    else if (auto norm = dyn_cast<xf::RmsNormOp>(op))
      count = norm.getAxes(), axis = -count;
    else if (auto norm = dyn_cast<xf::LayerNormGradOp>(op))
      count = norm.getAxes(), axis = -count;
    else if (auto norm = dyn_cast<xf::RmsNormGradOp>(op))
      count = norm.getAxes(), axis = -count;
    else if (auto softmax = dyn_cast<xf::SoftmaxOp>(op))
      axis = softmax.getAxis();
    else if (auto softmax = dyn_cast<xf::LogSoftmaxOp>(op))
      axis = softmax.getAxis();
    else
      continue;
    axes.root = &op;
    break;
  }
  if (!axes.root)
    return axes;
  llvm::SmallVector<DimExpr> dims = analysis.dimsOf(axes.root->getResult(0));
  axes.first = axis < 0 ? axis + int64_t(dims.size()) : axis;
  axes.count = count;
  for (auto [i, dim] : llvm::enumerate(dims))
    (i >= axes.first && i < axes.first + axes.count ? axes.columns
                                                    : axes.rows) *= dim;
  return axes;
}
