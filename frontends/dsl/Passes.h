//===- Passes.h - Models of the DSL as passes -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_DSL_PASSES_H
#define DRAGOMAN_FRONTENDS_DSL_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dragoman::dsl {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "frontends/dsl/Passes.h.inc"

} // namespace dragoman::dsl

#endif // DRAGOMAN_FRONTENDS_DSL_PASSES_H
