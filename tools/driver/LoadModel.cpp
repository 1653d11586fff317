//===- LoadModel.cpp - Whatever a user names, as a module -------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/driver/LoadModel.h"

#include "dialects/plan/Plan.h"
#include "frontends/onnx/OnnxImport.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <filesystem>

using namespace dragoman;
namespace fs = std::filesystem;

/// The latest stage whose form the module's ops have.
static Stage stageOf(mlir::ModuleOp module) {
  auto entries = module.getOps<plan::EntryOp>();
  if (entries.empty())
    return Stage::Import;
  if ((*entries.begin()).getArena())
    return Stage::Lowering;
  auto kernels = module.getOps<plan::KernelOp>();
  bool scheduled = !kernels.empty() && (*kernels.begin()).getSchedule();
  return scheduled ? Stage::Tiling : Stage::Fusion;
}

Result<LoadedModel> dragoman::loadModel(const std::string &path,
                                        mlir::MLIRContext &context) {
  std::error_code failure;
  LoadedModel model;
  std::string extension = fs::path(path).extension();
  if (extension == ".onnx") {
    auto module = onnx::importOnnxFile(path, context);
    if (failed(module))
      return Status(StatusCode::InvalidData, "cannot be imported", path);
    model.module = std::move(*module);
    model.extras.modelFolder = fs::path(path).parent_path();
    return model;
  }
  if (extension == ".mlir" || extension == ".mlirbc") {
    model.module = mlir::parseSourceFile<mlir::ModuleOp>(path, &context);
    if (!model.module)
      return Status(StatusCode::InvalidData, "cannot be read", path);
    model.stage = stageOf(*model.module);
    model.extras.modelFolder = fs::path(path).parent_path();
    return model;
  }
  if (fs::is_directory(path, failure))
    return Status(StatusCode::Unsupported, "folders are not wired", path);
  return Status(StatusCode::InvalidArgument,
                "expected a model folder or a file .onnx, .mlir, .mlirbc or "
                ".dgm",
                path);
}
