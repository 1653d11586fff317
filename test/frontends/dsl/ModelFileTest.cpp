//===- ModelFileTest.cpp - Descriptions of models, and attention changed --===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/dsl/ModelFile.h"

#include "dialects/xf/Xf.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

using namespace dragoman;
using namespace dragoman::dsl;
using testing::HasSubstr;

namespace {

nlohmann::json small() {
  return {{"type", "transformer"},
          {"vocab", 20},
          {"d_model", 8},
          {"heads", 2},
          {"ffn", 16},
          {"encoder_layers", 1},
          {"decoder_layers", 1},
          {"max_positions", 32},
          {"start", 1},
          {"end", 2},
          {"pad", 1}};
}

std::string refusal(const std::string &key, const nlohmann::json &value) {
  nlohmann::json object = small();
  object[key] = value;
  Result<ModelFile> file = parseModelFile(object.dump());
  return file ? "accepted" : file.status().toString();
}

std::string textOf(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

} // namespace

TEST(ModelFile, SaysEverythingAboutAModel) {
  nlohmann::json object = small();
  object["activation"] = "swish";
  object["norm"] = "pre";
  object["position"] = "learned";
  object["tie_embeddings"] = "target";
  object["source_vocab"] = 30;
  object["dropout"] = 0.25;
  object["label_smoothing"] = 0.1;
  object["seed"] = 7;
  object["training"] = {{"optimizer", "adam"}, {"beta1", 0.9}};
  object["settings"] = {{"num_beams", 5}};
  object["text"] = {{"source_model", "a.spm"}, {"target_model", "a.spm"}};
  Result<ModelFile> file = parseModelFile(object.dump());
  ASSERT_TRUE(file) << file.status().toString();
  const TransformerConfig &config = file->transformer;
  EXPECT_EQ(config.activation, "silu");
  EXPECT_EQ(config.norm, NormPlace::Pre);
  EXPECT_TRUE(config.learnedPositions);
  EXPECT_EQ(config.tie, Tie::Target);
  EXPECT_EQ(config.sourceVocab, 30);
  EXPECT_EQ(config.dropout, 0.25);
  EXPECT_EQ(config.labelSmoothing, 0.1);
  EXPECT_EQ(config.seed, 7u);
  EXPECT_TRUE(config.training);
  EXPECT_FALSE(config.outputBias);
  EXPECT_EQ(file->text.sourceModel, "a.spm");
  std::map<std::string, std::string> settings;
  for (const Setting &setting : file->settings)
    settings[setting.name] = setting.value;
  EXPECT_EQ(settings["num_beams"], "5");
  EXPECT_EQ(settings["decoder_start_token_id"], "1");
  EXPECT_EQ(settings["bad_words_ids"], "[[1]]");

  mlir::MLIRContext context;
  auto module = makeModel(context, *file);
  EXPECT_TRUE(succeeded(mlir::verify(*module)));
  auto training = (*module)->getAttrOfType<mlir::DictionaryAttr>("xf.training");
  ASSERT_TRUE(training);
  EXPECT_EQ(training.getAs<mlir::StringAttr>("optimizer").getValue(), "adam");
  EXPECT_EQ(training.getAs<mlir::FloatAttr>("beta1").getValueAsDouble(), 0.9);
  EXPECT_TRUE(mlir::SymbolTable(*module).lookup("loss"));
}

TEST(ModelFile, RefusesWhatDoesNotFit) {
  EXPECT_EQ(refusal("seed", 1), "accepted");
  EXPECT_EQ(refusal("type", "lstm"),
            "type: expected one of transformer, found \"lstm\"");
  EXPECT_EQ(refusal("vocab", "many"),
            "vocab: expected an integer >= 1, found \"many\"");
  EXPECT_EQ(refusal("dropout", 1.0),
            "dropout: expected a number from 0 to below 1, found 1.0");
  EXPECT_EQ(refusal("norm_eps", 0),
            "norm_eps: expected a number above 0, found 0");
  EXPECT_EQ(refusal("biases", 1), "biases: expected true or false, found 1");
  EXPECT_EQ(refusal("position", "rotary"),
            "position: expected one of sinusoid, learned, found \"rotary\"");
  EXPECT_EQ(refusal("layers", 2), "layers: expected a known key, found "
                                  "'layers'");
  EXPECT_EQ(refusal("heads", 3),
            "heads: expected a divisor of d_model (8), found 3");
  EXPECT_EQ(refusal("pad", 20),
            "pad: expected an id below vocab (20), found 20");
  EXPECT_EQ(refusal("pad", 2), "pad: expected another id than end, found 2");
  EXPECT_EQ(refusal("source_vocab", 21),
            "source_vocab: expected vocab (20) with tied embeddings, found 21");
  EXPECT_EQ(refusal("training", 1), "training: expected an object, found 1");
  EXPECT_EQ(refusal("text", {{"model", "a"}}),
            "text: model: expected a known key, found 'model'");
  EXPECT_EQ(parseModelFile("[]").status().toString(),
            "expected a JSON object that describes a model");
}

// Scores and probabilities are changed by C++ functions of one element.
TEST(Attention, ChangesScoresByLambdas) {
  mlir::MLIRContext context;
  Model model(context);
  Attention layer(model, "attn", 8, 2, /*bias=*/false, /*dropout=*/0);
  layer.change.score = [](Scalar s, const ScorePlace &at) {
    return s - 0.5 * toFloat(at.query - at.key, s);
  };
  layer.change.prob = [](Scalar p, const ScorePlace &at) {
    return select(at.head == 0.0, p * 2.0, p);
  };
  Entry e = model.entry("main");
  Tensor x = e.input("x", e.f32(), {"B", "T", "8"}, "normal(1.0)");
  e.output("y", layer(x, AttentionMask()) * 0.5 + x);
  e.finish();
  auto module = model.take();
  ASSERT_TRUE(succeeded(mlir::verify(*module)));
  std::string text = textOf(*module);
  EXPECT_THAT(text, HasSubstr("score {"));
  EXPECT_THAT(text, HasSubstr("arith.subi"));
  EXPECT_THAT(text, HasSubstr("prob {"));
  EXPECT_THAT(text, HasSubstr("arith.select"));
}
