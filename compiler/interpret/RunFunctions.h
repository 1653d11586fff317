//===- RunFunctions.h - Evaluates the op tests of a module ------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_INTERPRET_RUNFUNCTIONS_H
#define DRAGOMAN_COMPILER_INTERPRET_RUNFUNCTIONS_H

#include "compiler/interpret/Interpreter.h"

#include "mlir/Pass/Pass.h"

namespace dragoman::interpret {

/// Runs every public func.func without arguments. Failing check ops and failing
/// runs are emitted as errors at their location; a function with `check.fails`
/// must fail with that text.
mlir::LogicalResult runFunctions(mlir::ModuleOp module, Options options);

/// The same as a pass on modules, for dragoman-opt.
std::unique_ptr<mlir::Pass> createRunFunctionsPass(Options options);

} // namespace dragoman::interpret

#endif // DRAGOMAN_COMPILER_INTERPRET_RUNFUNCTIONS_H
