//===- FunctionExport.h - A function of xf ops as a graph -------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_ONNX_EXPORT_FUNCTIONEXPORT_H
#define DRAGOMAN_FRONTENDS_ONNX_EXPORT_FUNCTIONEXPORT_H

#include "frontends/onnx/OnnxModel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>

namespace dragoman::onnx {

/// The operator set that exported graphs are written in.
inline constexpr int64_t exportOpset = 17;

/// A graph and the bytes of its tensors.
struct ExportedGraph {
  Graph graph;
  std::deque<std::string> storage;
};

/// The elements of a weight, f32 and row-major.
using WeightValues = std::function<Result<std::string>(llvm::StringRef weight)>;

/// `function` at the stage of import: xf ops without states, elementwise
/// generics, views. Values are named after xf.name at the border; initializers
/// are named after their weights. `dimNames` replaces names of dimensions.
/// Emits an error at an op that has no form in the operator set.
mlir::FailureOr<ExportedGraph>
exportFunction(mlir::func::FuncOp function, const WeightValues &weights,
               const std::map<std::string, std::string> &dimNames);

} // namespace dragoman::onnx

#endif // DRAGOMAN_FRONTENDS_ONNX_EXPORT_FUNCTIONEXPORT_H
