//===- EmitArtifact.h - From a planned module to a .dgm ---------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TOOLS_DRIVER_EMITARTIFACT_H
#define DRAGOMAN_TOOLS_DRIVER_EMITARTIFACT_H

#include "runtime/artifact/Artifact.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <utility>
#include <vector>

namespace dragoman {

/// What an artifact holds beside what follows from the module.
struct ArtifactExtras {
  std::string family;      ///< "marian", or "" for a plain module
  std::string modelFolder; ///< what #plan.file paths are relative to
  std::string sourceHash;  ///< of the files it was made from, or ""
  std::vector<Setting> settings;
  std::optional<TextDesc> text;
  /// Further members: (path in the artifact, bytes).
  std::vector<std::pair<std::string, std::string>> members;
  /// Of a model that can be trained: the segments of its states, and the
  /// options that its training entries are made for, as a JSON object.
  std::vector<ParameterDesc> parameters;
  std::string trainingOptions = "{}";
};

/// One feature level's shared object.
struct LevelCode {
  std::string level;
  std::string bytes;
};

/// Lowers and assembles the kernels of a planned module (stage 5a) for a level.
/// Failures are diagnostics of the module's context.
mlir::FailureOr<LevelCode> emitLevel(mlir::ModuleOp module,
                                     const std::string &level);

/// The manifest's record of a code object.
CodeDesc describeCode(const std::string &level);

/// Writes the artifact of a planned module: manifest, command tables, code,
/// weights, IR and the extras. The path holds the old bytes or the whole file.
Status writeArtifact(mlir::ModuleOp module, const std::vector<LevelCode> &code,
                     const ArtifactExtras &extras, const std::string &path);

/// Writes `artifact` again with other code objects.
Status rewriteArtifact(const Artifact &artifact,
                       const std::vector<LevelCode> &code,
                       const std::string &path);

} // namespace dragoman

#endif // DRAGOMAN_TOOLS_DRIVER_EMITARTIFACT_H
