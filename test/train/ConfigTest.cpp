//===- ConfigTest.cpp - The settings of a training run --------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/TrainConfig.h"

#include <gtest/gtest.h>

using namespace dragoman;

namespace {

const char *const sample = R"(model:
  d_model: 256
  heads: 4
data:
  train: [{src: a.en.gz, tgt: a.de.gz, weight: 2}, {tsv: b.tsv}]
  valid: {src: v.en, tgt: v.de}
  vocab: {type: sentencepiece, src: joint.model}
  batch_tokens: 2048
optim:
  lr: 5.0e-3
  betas: [0.9, 0.997]
  warmup: 2000u
run:
  out: runs/x
  stop: {updates: 6000u, epochs: 0e}
  save_every: 2e
  metrics: [bleu, nll]
)";

std::string failure(const std::string &text,
                    const std::vector<std::string> &overrides = {}) {
  Result<TrainConfig> config = parseTrainConfig(text, "train.yaml", overrides);
  return config ? "" : config.status().toString();
}

TEST(TrainConfig, ReadsFileAndOverrides) {
  Result<TrainConfig> config = parseTrainConfig(
      sample, "train.yaml",
      {"optim.lr=1e-3", "run.log_every=50", "run.metrics=[chrf]"});
  ASSERT_TRUE(config.isOk()) << config.status().toString();
  EXPECT_EQ(config->model.dModel, 256);
  ASSERT_EQ(config->data.train.size(), 2u);
  EXPECT_EQ(config->data.train[0].target, "a.de.gz");
  EXPECT_EQ(config->data.train[0].weight, 2);
  EXPECT_EQ(config->data.train[1].source, "b.tsv");
  EXPECT_EQ(config->data.targetVocabulary, "joint.model");
  EXPECT_EQ(config->optim.lr, 1e-3);
  EXPECT_EQ(config->optim.beta2, 0.997);
  EXPECT_EQ(config->run.saveEvery, (Period{2, 'e'}));
  EXPECT_EQ(config->run.logEvery, (Period{50, 'u'}));
  EXPECT_EQ(config->run.metrics, std::vector<std::string>{"chrf"});
  EXPECT_TRUE(checkTrainConfig(*config).isOk());
}

TEST(TrainConfig, UnknownKeys) {
  EXPECT_EQ(failure("optim:\n  lrate: 1\n"),
            "train.yaml:2: unknown key 'optim.lrate'; did you mean optim.lr?");
  EXPECT_EQ(failure("optim:\n  batch_tokens: 1\n"),
            "train.yaml:2: unknown key 'optim.batch_tokens'; did you mean "
            "data.batch_tokens?");
  EXPECT_EQ(failure("", {"run.sed=1"}),
            "run.sed=1: unknown key 'run.sed'; did you mean run.seed?");
  EXPECT_EQ(failure("qqqqqqqqqqqq: 1\n"),
            "train.yaml:1: unknown key 'qqqqqqqqqqqq'");
}

TEST(TrainConfig, WrongValues) {
  EXPECT_EQ(failure("model:\n  dropout: high\n"),
            "train.yaml:2: model.dropout: expected a number in [0, 0.99], "
            "found 'high'");
  EXPECT_EQ(failure("", {"optim.lr=0"}),
            "optim.lr=0: optim.lr: expected a number above 0, found '0'");
  EXPECT_EQ(failure("", {"optim.lr=nan"}),
            "optim.lr=nan: optim.lr: expected a number above 0, found 'nan'");
  EXPECT_EQ(failure("model: {heads: 2.5}"),
            "train.yaml:1: model.heads: expected an integer in [1, 1024], "
            "found '2.5'");
  EXPECT_EQ(failure("model: {norm: both}"),
            "train.yaml:1: model.norm: expected post or pre, found 'both'");
  EXPECT_EQ(failure("run: {save_every: 5x}"),
            "train.yaml:1: run.save_every: expected a number of updates "
            "(100u), epochs (2e) or labels (5000t), found '5x'");
  EXPECT_EQ(failure("optim: {warmup: 4e}"),
            "train.yaml:1: optim.warmup: expected a number of updates (100u), "
            "found '4e'");
  EXPECT_EQ(failure("optim: {betas: [0.9]}"),
            "train.yaml:1: optim.betas: expected two numbers in [0, 1), found "
            "[0.9]");
  EXPECT_EQ(failure("data: {train: [{src: a}]}"),
            "train.yaml:1: data.train: expected a list of {src: FILE, tgt: "
            "FILE, weight: NUMBER} or {tsv: FILE, weight: NUMBER}, found "
            "[{src: a}]");
  EXPECT_EQ(failure("run: {metrics: [nll, nll]}"),
            "train.yaml:1: run.metrics: expected a list of nll, ppl, accuracy, "
            "bleu or chrf, found [nll, nll]");
}

TEST(TrainConfig, BrokenFiles) {
  EXPECT_EQ(failure("model:\n  heads: [1\n"),
            "train.yaml:3: expected YAML: end of sequence flow not found");
  EXPECT_EQ(failure("model: 5\n"),
            "train.yaml:1: model: expected keys of a section, found '5'");
  EXPECT_EQ(failure("- a\n"), "train.yaml: expected sections such as model and "
                              "data, found - a");
  EXPECT_EQ(failure("run:\n  seed: 1\n  seed: 2\n"),
            "train.yaml:3: expected every key once, found 'run.seed' again");
  EXPECT_EQ(failure("", {"seed"}),
            "expected KEY=VALUE such as optim.lr=1e-3, found 'seed'");
}

TEST(TrainConfig, InconsistentSettings) {
  auto check = [](const std::vector<std::string> &overrides) {
    Result<TrainConfig> config =
        parseTrainConfig(sample, "train.yaml", overrides);
    return config ? checkTrainConfig(*config).toString()
                  : config.status().toString();
  };
  EXPECT_EQ(check({"model.heads=3"}), "model.heads: expected a divisor of "
                                      "d_model (256), found 3");
  EXPECT_EQ(check({"run.out=null"}), "run.out: expected a folder, found none");
  EXPECT_EQ(check({"data.vocab.tgt=de.model"}),
            "model.tie_embeddings: expected target or none for two "
            "vocabularies (joint.model, de.model), found all");
  EXPECT_EQ(check({"optim.schedule=cosine", "run.stop.updates=0"}),
            "optim.schedule: cosine needs run.stop.updates, found 0u");
}

TEST(TrainConfig, DumpsReadBack) {
  Result<TrainConfig> config = parseTrainConfig(sample, "train.yaml", {});
  ASSERT_TRUE(config.isOk());
  std::string minimal = dumpTrainConfig(*config, /*full=*/false);
  EXPECT_EQ(minimal, R"(model:
  d_model: 256
  heads: 4
data:
  train: [{src: a.en.gz, tgt: a.de.gz, weight: 2}, {tsv: b.tsv, weight: 1}]
  valid: {src: v.en, tgt: v.de}
  vocab:
    src: joint.model
    tgt: joint.model
  batch_tokens: 2048
optim:
  lr: 0.005
  betas: [0.9, 0.997]
  warmup: 2000u
run:
  out: runs/x
  stop:
    updates: 6000u
  save_every: 2e
  metrics: [bleu, nll]
)");
  std::string full = dumpTrainConfig(*config, /*full=*/true);
  Result<TrainConfig> again = parseTrainConfig(full, "full.yaml", {});
  ASSERT_TRUE(again.isOk()) << again.status().toString();
  EXPECT_EQ(dumpTrainConfig(*again, true), full);
  EXPECT_EQ(configHash(*again, "model"), configHash(*config, "model"));
}

TEST(TrainConfig, HashesOfParts) {
  TrainConfig a, b;
  b.optim.lr = 1;
  b.run.threads = 7;
  EXPECT_EQ(configHash(a, "optim"), configHash(b, "optim"));
  b.data.batchTokens = 1;
  EXPECT_NE(configHash(a, "data"), configHash(b, "data"));
  EXPECT_EQ(configHash(a, "model"), configHash(b, "model"));
  b.run.seed = 7;
  b.data.batchTokens = a.data.batchTokens;
  EXPECT_NE(configHash(a, "data"), configHash(b, "data"));
}

} // namespace
