//===- HubImport.h - From a translator's folder to a module -----*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_ONNX_HUB_HUBIMPORT_H
#define DRAGOMAN_FRONTENDS_ONNX_HUB_HUBIMPORT_H

#include "frontends/onnx/hub/HubFolder.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace dragoman::onnx {

/// A folder as a module, and what else the artifact needs of it.
struct HubImport {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  HubFolder folder;
};

/// Imports the three graphs over one set of weights. `attention_mask` becomes
/// `source_length`. The module holds the entries `encode` and `select`, and the
/// decoder graphs as functions of `xf.role` "first" and "past" whose cache
/// arguments and results carry `xf.cache` ("self_k.0"): xf-raise-cache makes
/// the entries `prepare` and `decode` of them. Failures are emitted as
/// diagnostics.
mlir::FailureOr<HubImport> importHubFolder(const std::string &path,
                                           mlir::MLIRContext &context);

} // namespace dragoman::onnx

#endif // DRAGOMAN_FRONTENDS_ONNX_HUB_HUBIMPORT_H
