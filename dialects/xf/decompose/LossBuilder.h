//===- LossBuilder.h - What decompositions of losses share ---------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_DECOMPOSE_LOSSBUILDER_H
#define DRAGOMAN_DIALECTS_XF_DECOMPOSE_LOSSBUILDER_H

#include "dialects/xf/decompose/TensorBuilder.h"

namespace dragoman::xf {

/// i1: a target (I) is not `ignore`.
mlir::Value buildCounts(ScalarBuilder &scalar, mlir::Value target,
                        int64_t ignore);

/// Sum over the rows of their class weights (1 without), ignored ones 0: a
/// scalar acc.
mlir::Value buildCountedWeight(TensorBuilder &tensors, mlir::Value target,
                               mlir::Value classWeight, int64_t ignore,
                               mlir::Type acc);

/// Sum of acc [N]: a scalar acc.
mlir::Value buildSum(TensorBuilder &tensors, mlir::Value rows);

/// A block of the first axis inside `buildRowChunks`.
struct RowChunk {
  TensorBuilder &tensors;
  mlir::OpFoldResult first, count; ///< null: all rows are one block

  /// These rows of `whole`.
  mlir::Value take(mlir::Value whole);
  /// `whole` with these rows replaced.
  mlir::Value put(mlir::Value rows, mlir::Value whole);
};

/// Calls `body` for each block of at most 256 of the rows of `like` in order,
/// in a scf.for, with the values so far (at first `init`) and returns the last
/// ones. So few rows that they are one block take no loop.
llvm::SmallVector<mlir::Value> buildRowChunks(
    TensorBuilder &tensors, mlir::Value like, mlir::ValueRange init,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(RowChunk,
                                                      mlir::ValueRange)>
        body);

} // namespace dragoman::xf

#endif // DRAGOMAN_DIALECTS_XF_DECOMPOSE_LOSSBUILDER_H
