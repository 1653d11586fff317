//===- KernelBody.h - Reading the tensor body of a kernel -------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every lowering of a plan.kernel needs: the numbers of the slots, sizes
// as index values, and where the elements of a view lie. Failures are recorded
// as diagnostics and building goes on; the lowering asks `failed()` at its end.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_KERNELBODY_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_KERNELBODY_H

#include "compiler/lowering/cpu/KernelBuilder.h"
#include "dialects/plan/Plan.h"
#include "dialects/xf/DimAnalysis.h"

#include <optional>

namespace dragoman {

/// Elements of a tensor that lie in a kernel argument:
/// address(i) = offset + sum over axes of i[axis] * strides[axis].
struct StridedView {
  mlir::BlockArgument argument;
  int64_t slot = 0;
  mlir::Type element;
  DimExpr offset;
  llvm::SmallVector<DimExpr> strides;
};

class KernelBody {
public:
  /// `k` must stand in the entry block of the kernel, before its loops: sizes
  /// are computed there, once.
  KernelBody(plan::KernelOp kernel, KernelBuilder &k);

  plan::KernelOp kernel;
  KernelBuilder &k;
  xf::DimAnalysis analysis;

  plan::YieldOp yield();
  /// Slots are the arguments in order, then the results that alias none.
  int64_t resultSlot(unsigned result);

  /// The expression as an index value; its names are the kernel's dims.
  mlir::Value value(const DimExpr &expr);
  mlir::Value size(mlir::Value tensor, unsigned axis) {
    return value(analysis.dimOf(tensor, axis));
  }
  /// The number of elements.
  DimExpr elements(mlir::Value tensor);
  /// Dense row-major strides of the tensor's sizes.
  llvm::SmallVector<DimExpr> denseStrides(mlir::Value tensor);

  /// Where a chain of reshapes, slices and transposes of an argument lies, or
  /// nothing if the tensor is computed or its bytes are in panels.
  std::optional<StridedView> view(mlir::Value tensor);

  /// The schedule's number of that name, or `otherwise`.
  int64_t param(llvm::StringRef name, int64_t otherwise);

  mlir::InFlightDiagnostic error(mlir::Operation *op);
  bool failed() const { return failure; }
  llvm::LogicalResult status() const { return mlir::failure(failure); }

private:
  class ExpressionParser;
  std::optional<StridedView> sliceView(mlir::Operation *op);
  std::optional<StridedView> reshapeView(mlir::Operation *op);

  mlir::Operation *anchor;
  llvm::StringMap<mlir::Value> values;
  bool failure = false;
};

/// The layout attribute of a kernel argument: "rows" or "panel16".
llvm::StringRef argumentLayout(mlir::BlockArgument argument);

/// Memory holds i1 as bytes; every other type as itself.
mlir::Type memoryType(mlir::Type element);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_KERNELBODY_H
