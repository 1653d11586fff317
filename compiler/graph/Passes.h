//===- Passes.h - Stage 1: the graph passes ---------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_GRAPH_PASSES_H
#define DRAGOMAN_COMPILER_GRAPH_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dragoman {

#define GEN_PASS_DECL
#include "compiler/graph/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/graph/Passes.h.inc"

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_GRAPH_PASSES_H
