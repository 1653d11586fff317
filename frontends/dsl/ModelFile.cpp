//===- ModelFile.cpp - A model of the DSL by its description --------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/dsl/ModelFile.h"

#include "mlir/IR/Builders.h"

#include <nlohmann/json.hpp>

using namespace dragoman;
using namespace dragoman::dsl;
using nlohmann::json;

namespace {

/// Takes the keys of an object one by one and keeps the first problem.
class KeyReader {
public:
  explicit KeyReader(const json &object) : object(object) {}

  Status status;

  void number(const char *key, int64_t low, int64_t &out) {
    const json *value = take(key);
    if (!value)
      return;
    if (!value->is_number_integer() || value->get<int64_t>() < low)
      return fail(key, "an integer >= " + std::to_string(low), *value);
    out = value->get<int64_t>();
  }
  void probability(const char *key, double &out) {
    const json *value = take(key);
    if (!value)
      return;
    if (!value->is_number() || !(value->get<double>() >= 0) ||
        !(value->get<double>() < 1))
      return fail(key, "a number from 0 to below 1", *value);
    out = value->get<double>();
  }
  void positive(const char *key, double &out) {
    const json *value = take(key);
    if (!value)
      return;
    if (!value->is_number() || !(value->get<double>() > 0))
      return fail(key, "a number above 0", *value);
    out = value->get<double>();
  }
  void flag(const char *key, bool &out) {
    const json *value = take(key);
    if (!value)
      return;
    if (!value->is_boolean())
      return fail(key, "true or false", *value);
    out = value->get<bool>();
  }
  void text(const char *key, std::string &out) {
    const json *value = take(key);
    if (!value)
      return;
    if (!value->is_string())
      return fail(key, "a text", *value);
    out = value->get<std::string>();
  }
  /// One of the words; `out` is its number.
  void choice(const char *key, std::initializer_list<const char *> words,
              int &out) {
    const json *value = take(key);
    if (!value)
      return;
    std::string expected;
    int number = 0;
    for (const char *word : words) {
      if (value->is_string() && value->get<std::string>() == word) {
        out = number;
        return;
      }
      expected += (number++ ? ", " : "one of ") + std::string(word);
    }
    fail(key, expected, *value);
  }
  const json *take(const char *key) {
    known.push_back(key);
    auto found = object.find(key);
    return status && found != object.end() ? &*found : nullptr;
  }
  void fail(const std::string &key, const std::string &expected,
            const json &found) {
    failWith(key, expected, found.dump());
  }
  void failWith(const std::string &key, const std::string &expected,
                const std::string &found) {
    if (status)
      status = Status(StatusCode::InvalidArgument,
                      "expected " + expected + ", found " + found, key);
  }
  /// Refuses keys that nobody took.
  void finish() {
    for (const auto &[key, value] : object.items())
      if (std::find(known.begin(), known.end(), key) == known.end())
        failWith(key, "a known key", "'" + key + "'");
  }

private:
  const json &object;
  std::vector<std::string> known;
};

} // namespace

static void readModel(KeyReader &keys, TransformerConfig &config) {
  keys.number("vocab", 1, config.vocab);
  keys.number("source_vocab", 1, config.sourceVocab);
  keys.number("d_model", 2, config.dModel);
  keys.number("heads", 1, config.heads);
  keys.number("ffn", 1, config.ffn);
  keys.number("encoder_layers", 1, config.encoderLayers);
  keys.number("decoder_layers", 1, config.decoderLayers);
  keys.number("max_positions", 1, config.maxPositions);
  static constexpr const char *activations[] = {"relu", "gelu", "silu", "silu"};
  int number = 0;
  keys.choice("activation", {"relu", "gelu", "swish", "silu"}, number);
  config.activation = activations[number];
  number = 0;
  keys.choice("norm", {"post", "pre"}, number);
  config.norm = number ? NormPlace::Pre : NormPlace::Post;
  number = 0;
  keys.choice("position", {"sinusoid", "learned"}, number);
  config.learnedPositions = number == 1;
  number = 0;
  keys.choice("tie_embeddings", {"all", "target", "none"}, number);
  config.tie = static_cast<Tie>(number);
  keys.flag("biases", config.biases);
  keys.flag("output_bias", config.outputBias);
  keys.positive("norm_eps", config.eps);
  keys.probability("dropout", config.dropout);
  keys.probability("attention_dropout", config.attentionDropout);
  keys.probability("activation_dropout", config.activationDropout);
  keys.probability("label_smoothing", config.labelSmoothing);
  keys.number("start", 0, config.start);
  keys.number("end", 0, config.end);
  keys.number("pad", 0, config.pad);
  int64_t seed = 1;
  keys.number("seed", 0, seed);
  config.seed = static_cast<uint64_t>(seed);
}

/// Relations between keys.
static void checkModel(KeyReader &keys, TransformerConfig &config) {
  auto number = [](int64_t value) { return std::to_string(value); };
  if (config.dModel % config.heads != 0)
    keys.failWith("heads",
                  "a divisor of d_model (" + number(config.dModel) + ")",
                  number(config.heads));
  if (!config.learnedPositions && config.dModel % 2 != 0)
    keys.failWith("d_model", "an even number for sinusoids",
                  number(config.dModel));
  if (config.tie == Tie::All && config.sourceVocab != 0 &&
      config.sourceVocab != config.vocab)
    keys.failWith("source_vocab",
                  "vocab (" + number(config.vocab) + ") with tied embeddings",
                  number(config.sourceVocab));
  std::pair<const char *, int64_t> ids[] = {
      {"start", config.start}, {"end", config.end}, {"pad", config.pad}};
  for (auto &[key, id] : ids)
    if (id < 0 || id >= config.vocab)
      keys.failWith(key, "an id below vocab (" + number(config.vocab) + ")",
                    id < 0 ? "nothing" : number(id));
  if (config.end == config.pad)
    keys.failWith("pad", "another id than end", number(config.pad));
}

static void readText(KeyReader &outer, TextDesc &text) {
  text.kind.clear();
  const json *object = outer.take("text");
  if (!object)
    return;
  if (!object->is_object())
    return outer.fail("text", "an object", *object);
  KeyReader keys(*object);
  text.kind = "marian";
  keys.text("kind", text.kind);
  keys.text("source_model", text.sourceModel);
  keys.text("target_model", text.targetModel);
  keys.text("source_vocab", text.sourceVocab);
  keys.text("target_vocab", text.targetVocab);
  keys.text("eos_token", text.eosToken);
  keys.text("unk_token", text.unkToken);
  keys.text("pad_token", text.padToken);
  keys.finish();
  if (outer.status && !keys.status)
    outer.status = keys.status.at("text");
}

/// Settings that follow from the model, under those that the file states.
static void readSettings(KeyReader &keys, ModelFile &file) {
  const TransformerConfig &config = file.transformer;
  json settings = {{"vocab_size", config.vocab},
                   {"d_model", config.dModel},
                   {"max_position_embeddings", config.maxPositions},
                   {"decoder_start_token_id", config.start},
                   {"eos_token_id", config.end},
                   {"pad_token_id", config.pad},
                   {"renormalize_logits", true}};
  json banned = json::array({json::array({config.pad})});
  if (config.start != config.end && config.start != config.pad)
    banned.push_back(json::array({config.start}));
  settings["bad_words_ids"] = banned;
  if (const json *given = keys.take("settings")) {
    if (!given->is_object())
      return keys.fail("settings", "an object", *given);
    settings.update(*given);
  }
  for (const auto &[name, value] : settings.items())
    file.settings.push_back({name, value.dump(), "model description"});
}

Result<ModelFile> dsl::parseModelFile(std::string_view text) {
  json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object())
    return Status(StatusCode::InvalidArgument,
                  "expected a JSON object that describes a model");
  KeyReader keys(object);
  int type = -1;
  keys.choice("type", {"transformer"}, type);
  if (type < 0)
    keys.failWith("type", "transformer", "nothing");
  ModelFile file;
  file.transformer.outputBias = false;
  readModel(keys, file.transformer);
  checkModel(keys, file.transformer);
  if (const json *training = keys.take("training")) {
    if (!training->is_object())
      keys.fail("training", "an object", *training);
    file.training = training->dump();
    file.transformer.training = true;
  }
  readText(keys, file.text);
  readSettings(keys, file);
  keys.finish();
  if (!keys.status)
    return keys.status;
  return file;
}

/// A JSON number, text or truth value as an attribute.
static mlir::Attribute toAttribute(mlir::Builder &b, const json &value) {
  if (value.is_boolean())
    return b.getBoolAttr(value.get<bool>());
  if (value.is_number_integer())
    return b.getI64IntegerAttr(value.get<int64_t>());
  if (value.is_number())
    return b.getF64FloatAttr(value.get<double>());
  return b.getStringAttr(value.is_string() ? value.get<std::string>()
                                           : value.dump());
}

mlir::OwningOpRef<mlir::ModuleOp> dsl::makeModel(mlir::MLIRContext &context,
                                                 const ModelFile &file) {
  mlir::OwningOpRef<mlir::ModuleOp> module =
      makeTransformer(context, file.transformer);
  if (file.training.empty())
    return module;
  mlir::Builder b(&context);
  llvm::SmallVector<mlir::NamedAttribute> options;
  json training = json::parse(file.training);
  for (const auto &[key, value] : training.items())
    options.push_back(b.getNamedAttr(key, toAttribute(b, value)));
  (*module)->setAttr("xf.training", b.getDictionaryAttr(options));
  return module;
}
