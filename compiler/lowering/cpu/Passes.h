//===- Passes.h - Stage 5b: kernels to loops on the CPU ---------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_PASSES_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dragoman::lowering {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/lowering/cpu/Passes.h.inc"

} // namespace dragoman::lowering

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_PASSES_H
