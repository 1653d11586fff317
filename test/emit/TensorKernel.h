//===- TensorKernel.h - Kernels from their tensor form, in tests ----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test states a plan.kernel as text; it is scheduled, lowered, loaded and run
// the way the product does it, at every level that this machine runs.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TEST_EMIT_TENSORKERNEL_H
#define DRAGOMAN_TEST_EMIT_TENSORKERNEL_H

#include "test/emit/KernelTestHarness.h"

#include "compiler/tiling/Schedule.h"

#include <map>

namespace dragoman::test {

/// Lowers one kernel body; the functions named lower<Root>.
using LowerFunction = llvm::LogicalResult (*)(plan::KernelOp, KernelBuilder &);

/// A context with the dialects that kernels may hold. Diagnostics go to stderr.
std::unique_ptr<mlir::MLIRContext> kernelContext();

/// A scheduled and compiled kernel.
class TensorKernel {
public:
  /// Null after a diagnostic.
  static std::unique_ptr<TensorKernel> compile(mlir::MLIRContext &context,
                                               const std::string &text,
                                               LowerFunction lower,
                                               const CpuTarget &target);

  /// Runs on `slots`, with the kernel's dims by name; the tiles run in `parts`
  /// calls. Returns the error block.
  ErrorBlock run(std::vector<void *> slots,
                 const std::map<std::string, int64_t> &dims,
                 int64_t parts = 1) const;

  const LoadedCode &code() const { return *loaded; }

private:
  std::unique_ptr<LoadedCode> loaded;
  std::vector<std::string> dimNames;
  DimExpr tiles;
  size_t scratchBytes = 0;
};

/// `compile` at every level of this machine.
std::vector<std::unique_ptr<TensorKernel>>
compileTensorKernel(mlir::MLIRContext &context, const std::string &text,
                    LowerFunction lower);

} // namespace dragoman::test

#endif // DRAGOMAN_TEST_EMIT_TENSORKERNEL_H
