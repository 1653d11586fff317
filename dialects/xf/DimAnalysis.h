//===- DimAnalysis.h - Named dimensions of every value of a function ------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_DIMANALYSIS_H
#define DRAGOMAN_DIALECTS_XF_DIMANALYSIS_H

#include "dialects/xf/Interfaces.h"

#include "llvm/ADT/DenseMap.h"

namespace dragoman::xf {

/// Finds the expression of any tensor axis, and of any index or integer scalar
/// that follows from dimensions, by walking back to the arguments' `xf.dims`.
/// A value that does not follow gets a fresh name ("d0", "d1", ...), so equal
/// expressions always mean equal sizes. A loop's values keep their sizes, and its
/// attribute `dim` names the number of the iteration. Results are cached: make a
/// new analysis after changing the IR.
class DimAnalysis {
public:
  /// The size of `axis` of a ranked tensor.
  DimExpr dimOf(mlir::Value tensor, unsigned axis);
  /// All axes of a ranked tensor.
  llvm::SmallVector<DimExpr> dimsOf(mlir::Value tensor);
  /// The value of an index or integer scalar (tensor.dim, arith on those, ...),
  /// or nothing if it does not follow from dimensions.
  std::optional<DimExpr> scalar(mlir::Value value);

  /// States the dimensions of a value that has no defining op or attribute, for
  /// example a kernel argument.
  void setDims(mlir::Value tensor, llvm::ArrayRef<DimExpr> dims);

private:
  DimExpr compute(mlir::Value tensor, unsigned axis);
  DimExpr argumentDim(mlir::BlockArgument argument, unsigned axis);
  DimExpr fresh();

  llvm::DenseMap<std::pair<mlir::Value, unsigned>, DimExpr> cache;
  unsigned freshNames = 0;
};

/// Reads and writes an array of expression texts, e.g. ["B", "S", "128"].
mlir::ArrayAttr dimsToAttr(mlir::MLIRContext *context,
                           llvm::ArrayRef<DimExpr> dims);
/// Asserts that the texts parse (the verifiers check them).
llvm::SmallVector<DimExpr> dimsFromAttr(mlir::ArrayAttr attr);

} // namespace dragoman::xf

#endif // DRAGOMAN_DIALECTS_XF_DIMANALYSIS_H
