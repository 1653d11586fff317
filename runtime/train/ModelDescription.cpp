//===- ModelDescription.cpp - A configuration as the compiler sees it -----===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/ModelDescription.h"

#include "runtime/base/AtomicFile.h"
#include "runtime/base/MappedFile.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

using namespace dragoman;
using Json = nlohmann::ordered_json;

/// Positions that a model can take beyond its longest training pair: a
/// translation may be longer than any reference.
static constexpr int64_t leastPositions = 512;

/// The options that the optimiser of that name knows.
static Json optimizerOptions(const TrainConfig::OptimSection &optim) {
  Json options = {{"optimizer", optim.name}};
  if (optim.name == "adam" || optim.name == "adamw") {
    options["beta1"] = optim.beta1;
    options["beta2"] = optim.beta2;
  }
  if (optim.name == "sgd") {
    options["momentum"] = optim.momentum;
    options["nesterov"] = optim.nesterov;
  } else {
    options["eps"] = optim.eps;
  }
  if (optim.name == "adadelta")
    options["rho"] = optim.rho;
  options["weight_decay"] = optim.weightDecay;
  options["average"] = optim.ema > 0;
  return options;
}

Result<ModelDescription> dragoman::describeModel(const TrainConfig &config,
                                                 const IdCoder &source,
                                                 const IdCoder &target) {
  ModelDescription result;
  const TrainConfig::ModelSection &model = config.model;
  bool shared = config.data.sourceVocabulary == config.data.targetVocabulary;
  Json json = {
      {"type", model.type},
      {"vocab", target.tokens().size()},
      {"source_vocab", source.tokens().size()},
      {"start", target.special().start},
      {"end", target.special().end},
      {"pad", target.special().pad},
      {"d_model", model.dModel},
      {"encoder_layers", model.encoderLayers},
      {"decoder_layers", model.decoderLayers},
      {"heads", model.heads},
      {"ffn", model.ffn},
      {"activation", model.activation},
      {"norm", model.norm},
      {"position", model.position},
      {"max_positions", std::max(leastPositions, config.data.maxLength + 1)},
      {"dropout", model.dropout},
      {"attention_dropout", model.attentionDropout},
      {"activation_dropout", model.activationDropout},
      {"tie_embeddings", model.tieEmbeddings},
      {"label_smoothing", config.optim.labelSmoothing},
      {"seed", config.run.seed},
      {"training", optimizerOptions(config.optim)}};
  bool words = config.data.vocabularyType == "words";
  std::string suffix = words ? ".txt" : ".spm";
  std::string targetName = shared ? "source" : "target";
  json["text"] = {{"kind", words ? "words" : "marian"},
                  {"source_model", "source" + suffix},
                  {"target_model", targetName + suffix},
                  {"source_vocab", "source.vocab.json"},
                  {"target_vocab", targetName + ".vocab.json"}};
  result.files.push_back({"model.json", json.dump(1) + "\n"});
  auto add = [&](const std::string &name, const std::string &path,
                 const IdCoder &coder) -> Status {
    Result<std::string> bytes = readFile(path);
    if (!bytes)
      return bytes.status();
    result.files.push_back({name + suffix, std::move(*bytes)});
    result.files.push_back({name + ".vocab.json", coder.vocabularyJson()});
    return Status::ok();
  };
  DRAGOMAN_RETURN_IF_ERROR(add("source", config.data.sourceVocabulary, source));
  if (!shared)
    DRAGOMAN_RETURN_IF_ERROR(
        add("target", config.data.targetVocabulary, target));
  return result;
}

Result<bool>
dragoman::writeModelDescription(const ModelDescription &description,
                                const std::string &folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  bool isNew = false;
  for (size_t i = description.files.size(); i-- > 0;) {
    const ModelDescription::File &file = description.files[i];
    std::string path = folder + "/" + file.name;
    Result<std::string> old = readFile(path);
    if (old && *old == file.bytes)
      continue;
    isNew = true;
    DRAGOMAN_RETURN_IF_ERROR(writeFileAtomically(path, file.bytes));
  }
  return isNew;
}
