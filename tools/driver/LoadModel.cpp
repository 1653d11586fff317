//===- LoadModel.cpp - Whatever a user names, as a module -------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/driver/LoadModel.h"

#include "compiler/emit/TrainingImage.h"
#include "dialects/plan/Plan.h"
#include "frontends/dsl/ModelFile.h"
#include "frontends/onnx/OnnxImport.h"
#include "frontends/onnx/export/HubExport.h"
#include "frontends/onnx/hub/HubImport.h"
#include "runtime/base/MappedFile.h"
#include "runtime/text/Tokenizer.h"
#include "runtime/text/Vocabulary.h"

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

/// Copies a file of the folder to the artifact's text/, once per file.
static Status addTextMember(const std::string &folder, const std::string &file,
                            ArtifactExtras &extras, std::string &member) {
  member = "text/" + file;
  for (const auto &[path, bytes] : extras.members)
    if (path == member)
      return Status::ok();
  Result<std::string> bytes = readFile(folder + "/" + file);
  if (!bytes)
    return bytes.status();
  extras.members.emplace_back(member, std::move(*bytes));
  return Status::ok();
}

/// The columns of the decoder's logits: what `select` chooses from. 0 if they
/// cannot be told.
static int64_t logitsWidth(mlir::ModuleOp module) {
  auto select = module.lookupSymbol<mlir::func::FuncOp>("select");
  if (!select || select.getNumArguments() == 0)
    return 0;
  auto logits =
      llvm::dyn_cast<mlir::RankedTensorType>(select.getArgumentTypes().front());
  bool known = logits && logits.getRank() == 2 && !logits.isDynamicDim(1);
  return known ? logits.getDimSize(1) : 0;
}

/// Refuses tokenizer files that translating would refuse: better now than when
/// the artifact is used. What is only odd becomes a note.
static Status checkText(const onnx::HubFolder &folder, LoadedModel &model) {
  const TextDesc &text = *model.extras.text;
  auto bytesOf = [&](const std::string &member) -> std::string_view {
    for (const auto &[path, bytes] : model.extras.members)
      if (path == member)
        return bytes;
    return {};
  };
  TokenizerFiles files{bytesOf(text.sourceModel), bytesOf(text.targetModel),
                       bytesOf(text.sourceVocab), bytesOf(text.targetVocab)};
  Result<std::unique_ptr<Tokenizer>> tokenizer = Tokenizer::create(text, files);
  if (!tokenizer)
    return tokenizer.status();
  llvm::append_range(model.notes, (*tokenizer)->warnings());
  VocabularyExpectation expected;
  expected.configSize = folder.decoderVocabulary;
  expected.logitsWidth = logitsWidth(*model.module);
  expected.requiredTokens = {text.eosToken, text.unkToken, text.padToken};
  std::string warning;
  if (Status status =
          checkVocabulary((*tokenizer)->targetVocabulary(), expected, warning);
      !status)
    return Status(status.code(), text.targetVocab + ": " + status.message());
  if (!warning.empty())
    model.notes.push_back(text.targetVocab + ": " + warning);
  return Status::ok();
}

/// A translator's folder: three graphs, settings, tokenizer files.
static Result<LoadedModel> loadFolder(const std::string &path,
                                      mlir::MLIRContext &context) {
  mlir::FailureOr<onnx::HubImport> hub = onnx::importHubFolder(path, context);
  if (failed(hub))
    return Status(StatusCode::InvalidData, "cannot be imported", path);
  LoadedModel model;
  model.module = std::move(hub->module);
  const onnx::HubFolder &folder = hub->folder;
  ArtifactExtras &extras = model.extras;
  extras.family = folder.modelType;
  extras.modelFolder = path;
  for (const onnx::HubSetting &setting : folder.settings)
    extras.settings.push_back({setting.name, setting.value, setting.origin});
  TextDesc text;
  text.kind = folder.modelType;
  text.eosToken = folder.text.eosToken;
  text.unkToken = folder.text.unkToken;
  text.padToken = folder.text.padToken;
  text.cleanUpSpaces = folder.text.cleanUpSpaces;
  std::pair<const std::string &, std::string &> files[] = {
      {folder.text.sourceModel, text.sourceModel},
      {folder.text.targetModel, text.targetModel},
      {folder.text.sourceVocab, text.sourceVocab},
      {folder.text.targetVocab, text.targetVocab}};
  for (auto &[file, member] : files)
    DRAGOMAN_RETURN_IF_ERROR(addTextMember(path, file, extras, member));
  extras.text = std::move(text);
  model.notes = folder.notes;
  if (Status status = checkText(folder, model); !status)
    return status.at(path);
  return model;
}

/// A model of the DSL by its description, with the tokenizer files it names.
static Result<LoadedModel> loadDescription(const std::string &path,
                                           mlir::MLIRContext &context) {
  Result<std::string> json = readFile(path);
  if (!json)
    return json.status();
  Result<dsl::ModelFile> file = dsl::parseModelFile(*json);
  if (!file)
    return file.status().at(path);
  LoadedModel model;
  model.module = dsl::makeModel(context, *file);
  ArtifactExtras &extras = model.extras;
  extras.settings = file->settings;
  extras.members.emplace_back(onnx::descriptionMember, *json);
  if (!file->training.empty()) {
    extras.trainingOptions = file->training;
    extras.parameters = listParameters(*model.module);
  }
  if (file->text.kind.empty())
    return model;
  TextDesc text = file->text;
  extras.family = text.kind;
  for (std::string *member : {&text.sourceModel, &text.targetModel,
                              &text.sourceVocab, &text.targetVocab}) {
    fs::path named(*member);
    fs::path folder = fs::path(path).parent_path() / named.parent_path();
    DRAGOMAN_RETURN_IF_ERROR(
        addTextMember(folder.empty() ? "." : folder.string(), named.filename(),
                      extras, *member));
  }
  extras.text = std::move(text);
  return model;
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
  if (extension == ".json")
    return loadDescription(path, context);
  if (extension == ".mlir" || extension == ".mlirbc") {
    model.module = mlir::parseSourceFile<mlir::ModuleOp>(path, &context);
    if (!model.module)
      return Status(StatusCode::InvalidData, "cannot be read", path);
    model.stage = stageOf(*model.module);
    model.extras.modelFolder = fs::path(path).parent_path();
    return model;
  }
  if (fs::is_directory(path, failure))
    return loadFolder(path, context);
  return Status(StatusCode::InvalidArgument,
                "expected a model folder or a file .onnx, .json, .mlir, "
                ".mlirbc or .dgm",
                path);
}
