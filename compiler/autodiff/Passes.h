//===- Passes.h - Stage 2: the autodiff passes ----------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_AUTODIFF_PASSES_H
#define DRAGOMAN_COMPILER_AUTODIFF_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dragoman::autodiff {

#define GEN_PASS_DECL
#include "compiler/autodiff/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/autodiff/Passes.h.inc"

} // namespace dragoman::autodiff

#endif // DRAGOMAN_COMPILER_AUTODIFF_PASSES_H
