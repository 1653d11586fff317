//===- ModelFile.h - A model of the DSL by its description ------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A JSON object that names a model and its sizes, so that `dragoman compile`
// and `dragoman train` make one without C++. docs/training.md lists the keys.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_DSL_MODELFILE_H
#define DRAGOMAN_FRONTENDS_DSL_MODELFILE_H

#include "frontends/dsl/models/Transformer.h"

#include "runtime/artifact/Manifest.h"

namespace dragoman::dsl {

/// What a description says.
struct ModelFile {
  TransformerConfig transformer;
  /// JSON object of the optimiser's options: "" without training.
  std::string training;
  /// What the artifact says about decoding.
  std::vector<Setting> settings;
  /// Tokenizer files as paths; kind "" if none are named.
  TextDesc text;
};

/// Reads and checks a description. An error names the key, what was expected
/// and what was found.
Result<ModelFile> parseModelFile(std::string_view json);

/// The module, with attribute xf.training if the description has training.
mlir::OwningOpRef<mlir::ModuleOp> makeModel(mlir::MLIRContext &context,
                                            const ModelFile &file);

} // namespace dragoman::dsl

#endif // DRAGOMAN_FRONTENDS_DSL_MODELFILE_H
