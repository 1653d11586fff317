//===- CompiledModel.h - A module, compiled and loaded, for tests ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TEST_PIPELINE_COMPILEDMODEL_H
#define DRAGOMAN_TEST_PIPELINE_COMPILEDMODEL_H

#include "dialects/xf/reference/Tensor.h"
#include "runtime/execute/Session.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace dragoman::test {

/// The module through every stage for one level, loaded from an artifact in
/// the test's temporary folder. The module is cloned.
std::shared_ptr<const Model> compileAndLoad(mlir::ModuleOp module,
                                            const std::string &modelFolder,
                                            const std::string &level);

/// Runs an entry on interpreter tensors; outputs are float32 as doubles.
std::vector<interpret::Tensor>
runEntry(Session &session, const std::string &entry,
         std::vector<interpret::Tensor> inputs,
         const std::map<std::string, int64_t> &outputDims = {});

/// Largest absolute difference, and NaN or shape mismatch as infinity.
double largestDifference(const interpret::Tensor &a,
                         const interpret::Tensor &b);

} // namespace dragoman::test

#endif // DRAGOMAN_TEST_PIPELINE_COMPILEDMODEL_H
