//===- LoadModel.h - Whatever a user names, as a module ---------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TOOLS_DRIVER_LOADMODEL_H
#define DRAGOMAN_TOOLS_DRIVER_LOADMODEL_H

#include "compiler/pipeline/Stage.h"
#include "tools/driver/EmitArtifact.h"

#include "mlir/IR/OwningOpRef.h"

namespace dragoman {

/// A module, the stage that it has reached, and what its artifact gets beside
/// what follows from it.
struct LoadedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Stage stage = Stage::Import;
  ArtifactExtras extras;
  std::vector<std::string> notes; ///< what the user should know, a line each
};

/// Loads a folder of an exported translator, one .onnx file, the description of
/// a model of the DSL in .json (frontends/dsl/ModelFile.h), or IR in .mlir or
/// .mlirbc. Importers report through diagnostics of the context; the Status
/// then says only that they did.
Result<LoadedModel> loadModel(const std::string &path,
                              mlir::MLIRContext &context);

} // namespace dragoman

#endif // DRAGOMAN_TOOLS_DRIVER_LOADMODEL_H
