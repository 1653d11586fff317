//===- HubFolder.h - What lies in the folder of an exported model ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_ONNX_HUB_HUBFOLDER_H
#define DRAGOMAN_FRONTENDS_ONNX_HUB_HUBFOLDER_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman::onnx {

/// A value of config.json or generation_config.json, as JSON text.
struct HubSetting {
  std::string name;
  std::string value;
  std::string origin; ///< "generation_config.json" or "config.json"
};

/// The tokenizer's files, relative to the folder, and its special tokens.
struct HubText {
  std::string sourceModel, targetModel, sourceVocab, targetVocab;
  std::string eosToken = "</s>", unkToken = "<unk>", padToken = "<pad>";
  bool cleanUpSpaces = false;
};

/// A folder as Optimum exports it: three graphs beside the settings, or the
/// graphs in the sub-folder onnx/.
struct HubFolder {
  std::string path;
  std::string modelType; ///< "marian"
  /// Graphs, relative to the folder.
  std::string encoder, decoder, decoderWithPast;
  HubText text;
  /// Sizes that config.json states.
  int64_t vocabulary = 0, decoderVocabulary = 0, layers = 0;
  /// All settings, names unique; generation_config.json wins over config.json.
  std::vector<HubSetting> settings;
  /// One line each about what is missing but not needed.
  std::vector<std::string> notes;
};

/// Reads the settings and checks that every needed file is there. A failure
/// names the folder, what was expected and what was found.
Result<HubFolder> readHubFolder(const std::string &path);

} // namespace dragoman::onnx

#endif // DRAGOMAN_FRONTENDS_ONNX_HUB_HUBFOLDER_H
