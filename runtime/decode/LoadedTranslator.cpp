//===- LoadedTranslator.cpp - An artifact ready to translate --------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/decode/LoadedTranslator.h"

#include "runtime/decode/ManifestSettings.h"
#include "runtime/text/Vocabulary.h"

using namespace dragoman;

Result<std::unique_ptr<LoadedTranslator>>
LoadedTranslator::load(const std::string &path, const LoadOptions &load,
                       const SessionOptions &session) {
  Result<std::shared_ptr<const Model>> model = Model::load(path, load);
  if (!model)
    return model.status();
  return create(std::move(*model), session);
}

Result<std::unique_ptr<LoadedTranslator>>
LoadedTranslator::create(std::shared_ptr<const Model> model,
                         const SessionOptions &session) {
  std::unique_ptr<LoadedTranslator> loaded(new LoadedTranslator());
  loaded->compiledModel = std::move(model);
  Result<std::unique_ptr<CompiledStepModel>> stepModel =
      CompiledStepModel::create(loaded->compiledModel, session);
  if (!stepModel)
    return stepModel.status();
  loaded->stepModel = std::move(*stepModel);
  if (Status status = loaded->loadText(); !status.isOk())
    return status.at(loaded->compiledModel->name());
  return loaded;
}

Status LoadedTranslator::loadText() {
  const Manifest &manifest = compiledModel->manifest();
  if (!manifest.text)
    return Status(StatusCode::Unsupported,
                  "expected a translator with a tokenizer, found none");
  const TextDesc &text = *manifest.text;
  TokenizerFiles files;
  struct Part {
    const std::string &path;
    std::string_view &bytes;
  };
  for (Part part : {Part{text.sourceModel, files.sourceModel},
                    Part{text.targetModel, files.targetModel},
                    Part{text.sourceVocab, files.sourceVocab},
                    Part{text.targetVocab, files.targetVocab}}) {
    Result<std::string_view> bytes = compiledModel->source().member(part.path);
    if (!bytes)
      return bytes.status();
    part.bytes = *bytes;
  }
  Result<std::unique_ptr<Tokenizer>> tokenizer = Tokenizer::create(text, files);
  if (!tokenizer)
    return tokenizer.status();
  textTokenizer = std::move(*tokenizer);
  textCodec = std::make_unique<TokenizerCodec>(*textTokenizer);
  loadWarnings = textTokenizer->warnings();

  VocabularyExpectation expected;
  expected.logitsWidth = stepModel->limits().vocabulary;
  expected.requiredTokens = {text.eosToken, text.unkToken};
  std::string warning;
  DRAGOMAN_RETURN_IF_ERROR(
      checkVocabulary(textTokenizer->targetVocabulary(), expected, warning));
  if (!warning.empty())
    loadWarnings.push_back(warning);
  stepModel->setTokenCount(textTokenizer->targetVocabulary().size());
  return Status::ok();
}

Result<GenerationSettings>
LoadedTranslator::settings(const nlohmann::json &commandLine,
                           std::vector<std::string> &notices) const {
  Result<std::vector<SettingLayer>> layers =
      settingLayers(compiledModel->manifest());
  if (!layers)
    return layers.status();
  layers->insert(layers->begin(), {commandLineOrigin, commandLine, false});
  return resolveSettings(*layers, stepModel->limits(), notices);
}
