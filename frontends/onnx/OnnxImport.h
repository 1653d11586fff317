//===- OnnxImport.h - From an ONNX file to a module -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_ONNX_ONNXIMPORT_H
#define DRAGOMAN_FRONTENDS_ONNX_ONNXIMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace dragoman::onnx {

/// Loads the dialects that imported modules use.
void loadDialects(mlir::MLIRContext &context);

/// Imports one file as entry `main` with the names of the graph's inputs and
/// outputs. Failures are emitted as diagnostics of the context; those of nodes
/// name the node.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importOnnxFile(const std::string &path, mlir::MLIRContext &context);

} // namespace dragoman::onnx

#endif // DRAGOMAN_FRONTENDS_ONNX_ONNXIMPORT_H
