//===- VerifySemantics.h - Names the pass that changes a result -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates the entries of a module on seeded inputs before the first pass and
// behind every pass that changed it, in typed mode. What comes behind a pass is
// compared with what came before it, within the tolerance table; and where it is
// beyond, with the wide evaluation of the first module, within `ratio` times the
// error of the decomposed graph. It is a tool for small models; it knows stages
// 0 to 4.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_INTERPRET_VERIFYSEMANTICS_H
#define DRAGOMAN_COMPILER_INTERPRET_VERIFYSEMANTICS_H

#include "compiler/interpret/Compare.h"
#include "compiler/interpret/Interpreter.h"

#include "mlir/Pass/PassManager.h"

namespace dragoman::interpret {

struct VerifyOptions {
  ToleranceTable tolerances = ToleranceTable::builtIn();
  std::string modelFolder;
  uint64_t seed = 1;
  /// Decomposes every op of a clone of the module.
  std::function<mlir::LogicalResult(mlir::ModuleOp)> decompose;
};

/// Adds the verification to a pass manager; disables threading. `failed`
/// becomes true when a pass changed a result: an error names the pass and the
/// value. Entries whose argument list a pass changes are skipped with a remark.
void verifySemantics(mlir::PassManager &manager, VerifyOptions options,
                     bool &failed);

} // namespace dragoman::interpret

#endif // DRAGOMAN_COMPILER_INTERPRET_VERIFYSEMANTICS_H
