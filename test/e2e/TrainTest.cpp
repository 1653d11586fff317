//===- TrainTest.cpp - A translator from text to translation --------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `dragoman train` compiles a small Transformer, trains it on eight pairs until
// it knows them, and the exported translator says them back.
//
//===----------------------------------------------------------------------===//

#include "test/e2e/Process.h"
#include "test/runtime/TestFiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace dragoman::test;
using testing::ContainsRegex;
using testing::HasSubstr;

namespace {

const char *const source = "a dog runs\n"
                           "two men sit on a bench\n"
                           "the woman reads a book\n"
                           "a child plays\n"
                           "people walk in the street\n"
                           "a man in a hat\n"
                           "the sun shines\n"
                           "three birds fly over the water\n";
const char *const target = "ein hund rennt\n"
                           "zwei maenner sitzen auf einer bank\n"
                           "die frau liest ein buch\n"
                           "ein kind spielt\n"
                           "leute gehen auf der strasse\n"
                           "ein mann mit hut\n"
                           "die sonne scheint\n"
                           "drei voegel fliegen ueber das wasser\n";

const char *const config = R"(model:
  d_model: 32
  encoder_layers: 1
  decoder_layers: 1
  heads: 2
  ffn: 64
  dropout: 0
  tie_embeddings: all
data:
  train: [{src: s, tgt: t}]
  valid: {src: s, tgt: t}
  vocab: {type: words, src: words}
  batch_tokens: 256
optim:
  lr: 0.01
  warmup: 50u
  schedule: constant
  label_smoothing: 0
run:
  out: out
  stop: {updates: 300u}
  log_every: 50u
  save_every: 100u
  valid_every: 150u
  bleu: {tok: none}
)";

struct Train : testing::Test {
  TemporaryFolder folder;

  Train() {
    writeBytes(folder / "s", source);
    writeBytes(folder / "t", target);
    writeBytes(folder / "c.yaml", config);
    run({"train", "vocab", "s", "t", "-o", "words", "--type", "words"});
  }
  ProcessResult run(const std::vector<std::string> &arguments,
                    const std::string &input = "") {
    ProcessOptions options;
    options.folder = folder.path;
    options.input = input;
    ProcessResult result = dragomanProgram(arguments, options);
    EXPECT_EQ(result.code, 0) << arguments[0] << ": " << result.err;
    return result;
  }
  /// Gives a run the model that another one of this program has compiled.
  void shareModel(const std::string &out, bool compiled) {
    static TemporaryFolder shared;
    std::string from = compiled ? folder / out + "/model" : shared / "model";
    std::string to = compiled ? shared / "model" : folder / out + "/model";
    if (!std::filesystem::exists(from))
      return;
    std::filesystem::create_directories(to);
    std::filesystem::copy(from, to,
                          std::filesystem::copy_options::overwrite_existing);
  }
  std::vector<nlohmann::json> records(const std::string &out) {
    std::vector<nlohmann::json> result;
    for (const std::string &line :
         linesOf(bytesOf(folder / out + "/train.jsonl")))
      result.push_back(nlohmann::json::parse(line));
    return result;
  }
};

TEST_F(Train, EightPairsAreLearntByHeart) {
  ProcessResult dry = run({"train", "c.yaml", "--dry-run"});
  EXPECT_THAT(dry.err, HasSubstr("data train 8 pairs: kept 8"));
  EXPECT_THAT(dry.err, ContainsRegex("params [0-9,]+ .embeddings [0-9,]+, "
                                     "encoder [0-9,]+, decoder [0-9,]+.; peak "
                                     "memory [0-9.]+ [KMG]iB at 256 tokens"));
  ProcessResult trained = run({"train", "c.yaml"});
  EXPECT_THAT(trained.err, HasSubstr("finished; out/ckpt-300"));
  nlohmann::json last = records("out").back();
  EXPECT_EQ(last["type"], "valid");
  EXPECT_LT(last["nll"].get<double>(), 0.02);
  EXPECT_NEAR(last["bleu"].get<double>(), 100, 1e-6);

  run({"train", "export", "out/best-nll", "-o", "m.dgm"});
  EXPECT_EQ(run({"translate", "m.dgm"}, source).out, target);
  EXPECT_THAT(bytesOf(folder / "out/report.html"), HasSubstr("<svg"));
}

TEST_F(Train, GoesOnWithTheSameBits) {
  shareModel("out", false);
  run({"train", "c.yaml", "run.stop.updates=60", "run.threads=1",
       "model.dropout=0.1"});
  shareModel("out", true);
  shareModel("two", false);
  run({"train", "c.yaml", "run.stop.updates=25", "run.threads=2",
       "model.dropout=0.1", "run.out=two"});
  ProcessResult second =
      run({"train", "c.yaml", "run.stop.updates=60", "run.threads=1",
           "model.dropout=0.1", "run.out=two"});
  EXPECT_THAT(second.err, HasSubstr("resume from ckpt-25: epoch 26, pool 1, "
                                    "batch 1, lr "));
  for (const char *file : {"ckpt-60/parameters.safetensors",
                           "ckpt-60/optimizer.safetensors", "train.jsonl"})
    EXPECT_EQ(bytesOf(folder / "out/" + file), bytesOf(folder / "two/" + file))
        << file;
}

// One update of all pairs equals one of four accumulated batches.
TEST_F(Train, AccumulationIsOneUpdate) {
  std::vector<std::string> common = {"train",
                                     "c.yaml",
                                     "run.log_every=1",
                                     "run.valid_every=0",
                                     "run.stop.updates=8",
                                     "model.dropout=0.1"};
  std::vector<std::string> once = common, parts = common;
  shareModel("out", false);
  run(once);
  shareModel("out", true);
  shareModel("parts", false);
  parts.insert(parts.end(), {"run.out=parts", "data.batch_tokens=14",
                             "data.pool_batches=0", "data.accumulate=4"});
  run(parts);
  std::vector<nlohmann::json> a = records("out"), b = records("parts");
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(a[i]["nll"].get<double>(), b[i]["nll"].get<double>(),
                1e-5 * a[i]["nll"].get<double>())
        << i;
}

} // namespace
