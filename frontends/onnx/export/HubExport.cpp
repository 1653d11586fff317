//===- HubExport.cpp - A model of the DSL as a translator's folder --------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/export/HubExport.h"

#include "dialects/plan/InitialValues.h"
#include "dialects/plan/Plan.h"
#include "frontends/dsl/ModelFile.h"
#include "frontends/onnx/export/FunctionExport.h"
#include "frontends/onnx/export/ModelWriter.h"
#include "runtime/base/AtomicFile.h"

#include "mlir/IR/MLIRContext.h"

#include <nlohmann/json.hpp>

#include <cstring>
#include <filesystem>

using namespace dragoman;
using namespace dragoman::onnx;
using nlohmann::ordered_json;

namespace {

class HubExport {
public:
  HubExport(const Artifact &artifact, std::span<const float> parameters,
            const std::string &folder)
      : artifact(artifact), parameters(parameters), folder(folder) {}

  Status run();

private:
  Status write(const std::string &name, const std::string &bytes) {
    return writeFileAtomically(folder + "/" + name, bytes);
  }
  Status writeJson(const std::string &name, const ordered_json &value) {
    return write(name, value.dump(2) + "\n");
  }
  Result<std::string> weight(llvm::StringRef name);
  Status writeGraphs();
  Status writeGraph(mlir::func::FuncOp function);
  Status writeConfig();
  Status writeText();

  const Artifact &artifact;
  std::span<const float> parameters;
  const std::string &folder;
  dsl::ModelFile file;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace

/// A trained weight by its parameter, another by its initial values.
Result<std::string> HubExport::weight(llvm::StringRef name) {
  const TrainingDesc &training = *artifact.manifest().training;
  if (const ParameterDesc *parameter =
          training.parameter({name.data(), name.size()}))
    return std::string(
        reinterpret_cast<const char *>(&parameters[parameter->offset]),
        parameter->elements() * sizeof(float));
  auto op = mlir::SymbolTable(*module).lookup<plan::WeightOp>(name);
  auto type = llvm::cast<mlir::RankedTensorType>(op.getType());
  std::string bytes(type.getNumElements() * sizeof(float), '\0');
  plan::forInitialValues(
      op.getSourceAttr(), type.getShape(), [&](int64_t i, double value) {
        float rounded = static_cast<float>(value);
        std::memcpy(&bytes[i * sizeof(float)], &rounded, sizeof rounded);
      });
  return bytes;
}

Status HubExport::writeGraph(mlir::func::FuncOp function) {
  bool encoder = function.getSymName().starts_with("encoder");
  std::map<std::string, std::string> dims = {
      {"B", "batch_size"},
      {"S", "encoder_sequence_length"},
      {"T", "decoder_sequence_length"},
      {"P", "past_decoder_sequence_length"},
      {"P + T", "past_decoder_sequence_length + decoder_sequence_length"}};
  mlir::FailureOr<ExportedGraph> graph = exportFunction(
      function, [&](llvm::StringRef name) { return weight(name); }, dims);
  if (failed(graph))
    return Status(StatusCode::Unsupported,
                  "the " + std::string(encoder ? "encoder" : "decoder") +
                      " has no ONNX form",
                  folder);
  Result<std::string> bytes = serializeModel(graph->graph, exportOpset);
  if (!bytes)
    return bytes.status();
  return write(function.getSymName().str() + ".onnx", *bytes);
}

Status HubExport::writeGraphs() {
  module = dsl::makeTransformerGraphs(context, file.transformer);
  for (auto function : module->getOps<mlir::func::FuncOp>())
    DRAGOMAN_RETURN_IF_ERROR(writeGraph(function));
  return Status::ok();
}

/// The sizes in the names of Marian's configuration, then generation settings.
Status HubExport::writeConfig() {
  const dsl::TransformerConfig &model = file.transformer;
  bool tied = model.tie != dsl::Tie::None;
  int64_t sourceVocab = model.sourceVocab ? model.sourceVocab : model.vocab;
  ordered_json config = {
      {"architectures", {"MarianMTModel"}},
      {"model_type", "marian"},
      {"is_encoder_decoder", true},
      {"vocab_size", sourceVocab},
      {"decoder_vocab_size", model.vocab},
      {"d_model", model.dModel},
      {"encoder_layers", model.encoderLayers},
      {"decoder_layers", model.decoderLayers},
      {"num_hidden_layers", model.encoderLayers},
      {"encoder_attention_heads", model.heads},
      {"decoder_attention_heads", model.heads},
      {"encoder_ffn_dim", model.ffn},
      {"decoder_ffn_dim", model.ffn},
      {"activation_function", model.activation},
      {"normalize_before", model.norm == dsl::NormPlace::Pre},
      {"add_final_layer_norm", model.norm == dsl::NormPlace::Pre},
      {"normalize_embedding", false},
      {"scale_embedding", true},
      {"static_position_embeddings", !model.learnedPositions},
      {"max_position_embeddings", model.maxPositions},
      {"tie_word_embeddings", tied},
      {"share_encoder_decoder_embeddings", model.tie == dsl::Tie::All},
      {"dropout", model.dropout},
      {"attention_dropout", model.attentionDropout},
      {"activation_dropout", model.activationDropout},
      {"decoder_start_token_id", model.start},
      {"eos_token_id", model.end},
      {"pad_token_id", model.pad},
      {"use_cache", true},
      {"torch_dtype", "float32"}};
  ordered_json generation = {{"max_length", model.maxPositions}};
  for (const Setting &setting : artifact.manifest().settings)
    if (!config.contains(setting.name) || setting.name.ends_with("_token_id"))
      generation[setting.name] = ordered_json::parse(setting.value);
  DRAGOMAN_RETURN_IF_ERROR(writeJson("config.json", config));
  return writeJson("generation_config.json", generation);
}

Status HubExport::writeText() {
  const std::optional<TextDesc> &text = artifact.manifest().text;
  if (!text)
    return Status::ok();
  bool separate = text->sourceVocab != text->targetVocab;
  std::pair<std::string, std::string> files[] = {
      {text->sourceModel, "source.spm"},
      {text->targetModel, "target.spm"},
      {text->sourceVocab, "vocab.json"},
      {text->targetVocab, separate ? "target_vocab.json" : "vocab.json"}};
  for (const auto &[member, name] : files) {
    Result<std::string_view> bytes = artifact.member(member);
    if (!bytes)
      return bytes.status();
    DRAGOMAN_RETURN_IF_ERROR(write(name, std::string(*bytes)));
  }
  return writeJson("tokenizer_config.json",
                   {{"tokenizer_class", "MarianTokenizer"},
                    {"separate_vocabs", separate},
                    {"eos_token", text->eosToken},
                    {"unk_token", text->unkToken},
                    {"pad_token", text->padToken}});
}

Status HubExport::run() {
  Result<std::string_view> description = artifact.member(descriptionMember);
  if (!artifact.manifest().training || !description)
    return Status(StatusCode::InvalidArgument,
                  "expected the artifact of a described model to train",
                  artifact.path());
  if (static_cast<int64_t>(parameters.size()) !=
      artifact.manifest().training->elements())
    return Status(StatusCode::InvalidArgument,
                  "expected " +
                      std::to_string(artifact.manifest().training->elements()) +
                      " parameters, found " + std::to_string(parameters.size()),
                  artifact.path());
  Result<dsl::ModelFile> parsed = dsl::parseModelFile(*description);
  if (!parsed)
    return parsed.status();
  file = std::move(*parsed);
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure)
    return Status(StatusCode::InvalidArgument, failure.message(), folder);
  DRAGOMAN_RETURN_IF_ERROR(writeGraphs());
  DRAGOMAN_RETURN_IF_ERROR(writeConfig());
  return writeText();
}

Status onnx::exportHubFolder(const Artifact &artifact,
                             std::span<const float> parameters,
                             const std::string &folder) {
  return HubExport(artifact, parameters, folder).run();
}
