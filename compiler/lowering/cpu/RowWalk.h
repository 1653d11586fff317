//===- RowWalk.h - Walks over the rows of a rowwise root ------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops that norms, softmax and the gradients of norms share: 16 elements
// of a row at a time, values carried along it, and where the elements lie.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_ROWWALK_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_ROWWALK_H

#include "compiler/lowering/cpu/PullEvaluator.h"
#include "compiler/tiling/RowAxes.h"

namespace dragoman {

class RowWalk {
public:
  using Value = mlir::Value;
  using Values = KernelBuilder::Values;

  RowWalk(KernelBody &body, PullEvaluator &pull, const RowAxes &axes)
      : body(body), k(body.k), pull(pull), axes(axes) {}

  /// Computes sizes, in the entry block of the kernel.
  void prepare();
  /// Begins row number `row`.
  void start(Value row);

  /// Loops over the row's elements with carried values; `step` gets the first
  /// column, the mask of the lanes (null: all) and the carried values.
  Values carry(mlir::ValueRange init,
               llvm::function_ref<Values(Value, Value, mlir::ValueRange)> step);
  /// Loops over the row; `step` gets the first column and the mask.
  void each(llvm::function_ref<void(Value, Value)> step);

  /// Indices of the current 16 elements, one per axis of the root's result.
  llvm::ArrayRef<Lanes> at() const { return indices; }
  /// Those of the axes that the root works along.
  llvm::ArrayRef<Lanes> inner() const {
    return llvm::ArrayRef(indices).slice(axes.first, axes.count);
  }
  /// Where the current elements lie in a dense tensor of the root's shape.
  Lanes offset();
  /// Elements of a row, as index.
  Value columns;

private:
  void setColumn(Value column);

  KernelBody &body;
  KernelBuilder &k;
  PullEvaluator &pull;
  const RowAxes &axes;
  llvm::SmallVector<Lanes> indices;
  llvm::SmallVector<Value> columnSizes, rowSizes;
  llvm::SmallVector<DimExpr> strides;
};

/// The results of a kernel as tensors of the root's shape: reshapes undone.
/// Null where no such tensor is behind a result.
llvm::SmallVector<mlir::Value> resultsOfShape(KernelBody &body,
                                              llvm::ArrayRef<DimExpr> dims);

/// True if `tensor` is computed from `root`.
bool dependsOn(mlir::Value tensor, mlir::Operation *root);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_ROWWALK_H
