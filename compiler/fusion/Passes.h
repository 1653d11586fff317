//===- Passes.h - Stage 3: from functions to entries and kernels ----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_FUSION_PASSES_H
#define DRAGOMAN_COMPILER_FUSION_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dragoman::fusion {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/fusion/Passes.h.inc"

} // namespace dragoman::fusion

#endif // DRAGOMAN_COMPILER_FUSION_PASSES_H
