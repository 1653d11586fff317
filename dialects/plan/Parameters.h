//===- Parameters.h - The parameters of a module ----------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_PLAN_PARAMETERS_H
#define DRAGOMAN_DIALECTS_PLAN_PARAMETERS_H

#include "runtime/artifact/TrainingDesc.h"

#include "mlir/IR/BuiltinOps.h"

namespace dragoman {

/// The trainable weights as segments of the flat states: those with decay
/// first, then the others, each in the order of the module.
std::vector<ParameterDesc> listParameters(mlir::ModuleOp module);

} // namespace dragoman

#endif // DRAGOMAN_DIALECTS_PLAN_PARAMETERS_H
