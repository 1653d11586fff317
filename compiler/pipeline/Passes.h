//===- Passes.h - Contracts of the stages -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_PIPELINE_PASSES_H
#define DRAGOMAN_COMPILER_PIPELINE_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dragoman::pipeline {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/pipeline/Passes.h.inc"

} // namespace dragoman::pipeline

#endif // DRAGOMAN_COMPILER_PIPELINE_PASSES_H
