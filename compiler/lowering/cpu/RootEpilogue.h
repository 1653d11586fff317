//===- RootEpilogue.h - Elementwise work behind a contraction ---*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel does with the result of its contraction root before the result
// leaves: elementwise ops with identity maps and reshapes. The root's value is
// substituted, and the kernel's result pulled from it (PullEvaluator.h).
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_ROOTEPILOGUE_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_ROOTEPILOGUE_H

#include "compiler/lowering/cpu/PullEvaluator.h"

#include <memory>

namespace dragoman {

/// The epilogue of a kernel with one result, built into a function opened by
/// `k`, whose insertion point stands in the entry block.
class RootEpilogue {
public:
  RootEpilogue(plan::KernelOp kernel, mlir::Value root, KernelBuilder &k);

  /// The kernel's result at (row, column .. column + 15), when the root there
  /// is `value`. Rows number all axes of the root but the last.
  mlir::Value apply(mlir::Value row, mlir::Value column, mlir::Value mask,
                    mlir::Value value) {
    startRow(row);
    return apply(column, mask, value);
  }
  /// The same in two steps: what only the row decides is built by `startRow`.
  void startRow(mlir::Value row);
  mlir::Value apply(mlir::Value column, mlir::Value mask, mlir::Value value);

  bool failed() const { return body.failed(); }

  /// True if `kernel` returns the root as it is.
  static bool isTrivial(plan::KernelOp kernel, mlir::Value root);
  /// The kernel's only result behind reshapes, which may divide the root's
  /// rows otherwise; null after a diagnostic.
  static mlir::Value result(plan::KernelOp kernel, mlir::Value root);

private:
  bool followsRows(mlir::Value tensor);

  KernelBody body;
  PullEvaluator pull;
  mlir::Value root, tensor;
  int64_t rank = 0;                       ///< of the result
  llvm::SmallVector<mlir::Value> leading; ///< sizes, if rows must be split
  llvm::SmallVector<Lanes> rowAt;
};

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_ROOTEPILOGUE_H
