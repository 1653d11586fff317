//===- Bundled.h - The bundled translator in tests --------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The artifact that the test fixture compiles from models/multi30k-en-de, and
// the reference results that lie beside the model.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TEST_E2E_BUNDLED_H
#define DRAGOMAN_TEST_E2E_BUNDLED_H

#include "runtime/decode/LoadedTranslator.h"

#include <memory>
#include <string>
#include <vector>

namespace dragoman::test {

/// Path of the compiled translator.
std::string bundledArtifact();

/// Path of reference/NAME of the model's folder.
std::string referencePath(const std::string &name);
/// Its lines.
std::vector<std::string> referenceLines(const std::string &name);

/// Loads the artifact; `level` empty = the best. Fails the test and returns
/// null if it cannot.
std::unique_ptr<LoadedTranslator> loadBundled(Pool *pool = nullptr,
                                              const std::string &level = {});

/// The feature levels of the artifact that this processor has.
std::vector<std::string> usableLevels();

/// How to translate some lines in process.
struct JobOptions {
  nlohmann::json settings = nlohmann::json::object();
  TranslatorOptions translator;
  std::vector<std::string> *warnings = nullptr;
  BatchStatistics *statistics = nullptr;
};

std::vector<LineResult> translateLines(LoadedTranslator &translator,
                                       const std::vector<std::string> &lines,
                                       const JobOptions &options = {});

/// Same texts, ids and score bits in every hypothesis.
void expectSameResult(const LineResult &found, const LineResult &expected,
                      const std::string &what);

} // namespace dragoman::test

#endif // DRAGOMAN_TEST_E2E_BUNDLED_H
