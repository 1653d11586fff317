//===- InitialValues.h - The values of random weights -----------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one definition of the weights that no file holds, #plan.normal,
// #plan.uniform, #plan.splat and #plan.sinusoid, shared by the interpreter and
// the writer of weights. Each element follows from the attribute and its
// position alone.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_PLAN_INITIALVALUES_H
#define DRAGOMAN_DIALECTS_PLAN_INITIALVALUES_H

#include "mlir/IR/Attributes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>

namespace dragoman::plan {

/// Calls `store(i, value)` once per element of a weight of `shape`, in
/// row-major order, with the value before rounding to the weight's type.
/// `source` is one of the four attributes.
void forInitialValues(mlir::Attribute source, llvm::ArrayRef<int64_t> shape,
                      llvm::function_ref<void(int64_t, double)> store);

} // namespace dragoman::plan

#endif // DRAGOMAN_DIALECTS_PLAN_INITIALVALUES_H
