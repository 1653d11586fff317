//===- HubFolder.cpp - What lies in the folder of an exported model -------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/hub/HubFolder.h"

#include "runtime/base/MappedFile.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <set>

using namespace dragoman;
using namespace dragoman::onnx;
using nlohmann::json;
namespace fs = std::filesystem;

static Status invalid(std::string message, std::string place) {
  return Status(StatusCode::InvalidData, std::move(message), std::move(place));
}

/// The object in FOLDER/NAME; an empty one if the file is missing and optional.
static Result<json> readObject(const fs::path &folder, const std::string &name,
                               bool required) {
  fs::path path = folder / name;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    if (!required)
      return json::object();
    return Status(StatusCode::NotFound, "no " + name + " found in the folder",
                  folder.string());
  }
  Result<std::string> text = readFile(path.string());
  if (!text)
    return text.status();
  json value = json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded() || !value.is_object())
    return invalid("expected a JSON object", path.string());
  return value;
}

/// The graphs of the folder: in it or in onnx/.
static Status findGraphs(const fs::path &folder, HubFolder &hub) {
  std::error_code ignored;
  std::string found;
  for (std::string prefix : {"", "onnx/"}) {
    auto has = [&](const char *name) {
      bool exists = fs::exists(folder / (prefix + name), ignored);
      if (exists)
        found += (found.empty() ? "" : ", ") + prefix + name;
      return exists;
    };
    bool encoder = has("encoder_model.onnx"),
         decoder = has("decoder_model.onnx");
    bool past = has("decoder_with_past_model.onnx");
    bool merged = has("decoder_model_merged.onnx");
    if (encoder && decoder && past) {
      hub.encoder = prefix + "encoder_model.onnx";
      hub.decoder = prefix + "decoder_model.onnx";
      hub.decoderWithPast = prefix + "decoder_with_past_model.onnx";
      if (merged)
        hub.notes.push_back(
            "using decoder_model.onnx with "
            "decoder_with_past_model.onnx, not the merged decoder");
      return Status::ok();
    }
    if (encoder && merged)
      return Status(StatusCode::Unsupported,
                    "merged decoders are not supported: export "
                    "decoder_model.onnx and decoder_with_past_model.onnx "
                    "with --no-post-process",
                    folder.string());
  }
  bool hasEncoder = found.find("encoder_model.onnx") != std::string::npos;
  return Status(StatusCode::NotFound,
                (hasEncoder ? std::string("no decoder found: expected "
                                          "decoder_model.onnx with "
                                          "decoder_with_past_model.onnx")
                            : std::string("no encoder found: expected "
                                          "encoder_model.onnx")) +
                    "; found " +
                    (found.empty() ? "no graph" : found + " only") +
                    "; export with --task text2text-generation-with-past",
                folder.string());
}

static Status findText(const fs::path &folder, const json &tokenizer,
                       HubText &text) {
  bool separate = tokenizer.value("separate_vocabs", false);
  text.sourceModel = "source.spm";
  text.targetModel = "target.spm";
  text.sourceVocab = "vocab.json";
  text.targetVocab = separate ? "target_vocab.json" : "vocab.json";
  std::error_code ignored;
  for (const std::string &name :
       {text.sourceModel, text.targetModel, text.sourceVocab, text.targetVocab})
    if (!fs::exists(folder / name, ignored))
      return Status(StatusCode::NotFound, "no " + name + " found in the folder",
                    folder.string());
  auto token = [&](const char *key, std::string &out) {
    auto value = tokenizer.find(key);
    if (value == tokenizer.end())
      return;
    if (value->is_string())
      out = value->get<std::string>();
    else if (value->is_object() && value->contains("content") &&
             (*value)["content"].is_string())
      out = (*value)["content"].get<std::string>();
  };
  token("eos_token", text.eosToken);
  token("unk_token", text.unkToken);
  token("pad_token", text.padToken);
  auto cleanUp = tokenizer.find("clean_up_tokenization_spaces");
  text.cleanUpSpaces = cleanUp != tokenizer.end() && cleanUp->is_boolean() &&
                       cleanUp->get<bool>();
  return Status::ok();
}

/// An integer of config.json of at least 1.
static Status readSize(const json &config, const char *key, int64_t &out,
                       const std::string &place) {
  auto value = config.find(key);
  if (value == config.end())
    return invalid(std::string("expected the key '") + key + "'", place);
  if (!value->is_number_integer() || value->get<int64_t>() < 1)
    return invalid(std::string("expected '") + key +
                       "' to be an integer of at least 1, found " +
                       value->dump(),
                   place);
  out = value->get<int64_t>();
  return Status::ok();
}

Result<HubFolder> onnx::readHubFolder(const std::string &path) {
  HubFolder hub;
  hub.path = path;
  fs::path folder(path);
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    return Status(StatusCode::NotFound, "expected a folder", path);
  DRAGOMAN_RETURN_IF_ERROR(findGraphs(folder, hub));
  Result<json> config = readObject(folder, "config.json", true);
  if (!config)
    return config.status();
  Result<json> generation = readObject(folder, "generation_config.json", false);
  if (!generation)
    return generation.status();
  Result<json> tokenizer = readObject(folder, "tokenizer_config.json", false);
  if (!tokenizer)
    return tokenizer.status();
  if (generation->empty())
    hub.notes.push_back("no generation_config.json; settings come from "
                        "config.json");

  std::string place = (folder / "config.json").string();
  auto type = config->find("model_type");
  if (type == config->end() || !type->is_string())
    return invalid("expected the key 'model_type'", place);
  hub.modelType = type->get<std::string>();
  if (hub.modelType != "marian")
    return Status(StatusCode::Unsupported,
                  "model_type '" + hub.modelType +
                      "' is not supported (marian is)",
                  place);
  DRAGOMAN_RETURN_IF_ERROR(
      readSize(*config, "vocab_size", hub.vocabulary, place));
  DRAGOMAN_RETURN_IF_ERROR(
      readSize(*config, "decoder_layers", hub.layers, place));
  hub.decoderVocabulary = hub.vocabulary;
  if (config->contains("decoder_vocab_size") &&
      !(*config)["decoder_vocab_size"].is_null())
    DRAGOMAN_RETURN_IF_ERROR(
        readSize(*config, "decoder_vocab_size", hub.decoderVocabulary, place));
  DRAGOMAN_RETURN_IF_ERROR(findText(folder, *tokenizer, hub.text));

  std::set<std::string> known;
  for (auto &[name, value] : generation->items())
    if (known.insert(name).second)
      hub.settings.push_back({name, value.dump(), "generation_config.json"});
  for (auto &[name, value] : config->items())
    if (known.insert(name).second)
      hub.settings.push_back({name, value.dump(), "config.json"});
  return hub;
}
