//===- TrainConfig.h - The settings of a training run -----------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One struct, filled from a YAML file and `key=value` overrides. Every key has
// a default; docs/training.md lists them.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TRAIN_TRAINCONFIG_H
#define DRAGOMAN_RUNTIME_TRAIN_TRAINCONFIG_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

/// A number of updates (u), epochs (e) or target labels (t): "4000u", "10e".
/// 0 = never.
struct Period {
  int64_t count = 0;
  char unit = 'u';
  std::string text() const { return std::to_string(count) + unit; }
  bool operator==(const Period &) const = default;
};

struct TrainConfig {
  struct ModelSection {
    std::string type = "transformer";
    int64_t dModel = 512;
    int64_t encoderLayers = 6;
    int64_t decoderLayers = 6;
    int64_t heads = 8;
    int64_t ffn = 2048;
    std::string activation = "relu";   ///< relu gelu swish
    std::string norm = "post";         ///< post pre
    std::string position = "sinusoid"; ///< sinusoid learned rotary alibi
    double dropout = 0.1;
    double attentionDropout = 0;
    double activationDropout = 0;
    std::string tieEmbeddings = "all"; ///< all target none
    std::string initFrom;              ///< "" = random
  };

  struct CorpusEntry {
    std::string source, target; ///< target empty: a table
    double weight = 1;
  };

  struct DataSection {
    std::vector<CorpusEntry> train;
    CorpusEntry valid; ///< source empty: no validation
    std::string vocabularyType = "sentencepiece"; ///< sentencepiece words
    std::string sourceVocabulary, targetVocabulary;
    std::string sampleAlpha = "0"; ///< pieces are not sampled
    int64_t maxLength = 256;
    double maxRatio = 0;
    bool dropCopies = false;
    bool dropDuplicates = false;
    int64_t batchTokens = 4096;
    std::string count = "padded"; ///< padded labels
    int64_t accumulate = 1;
    int64_t poolBatches = 100;
    std::string cache; ///< folder of the ids; "" = OUT/cache
  };

  struct OptimSection {
    std::string name = "adam"; ///< adam adamw sgd adagrad adadelta
    double lr = 7e-4;
    double beta1 = 0.9, beta2 = 0.98;
    double eps = 1e-9;
    double weightDecay = 0;
    double momentum = 0; ///< sgd
    bool nesterov = false;
    double rho = 0.95; ///< adadelta
    std::string schedule = "inverse_sqrt";
    Period warmup{4000, 'u'};
    double initialLr = 0;
    double finalLr = 0;
    double plateauFactor = 0.5;
    int64_t plateauPatience = 1; ///< validations without improvement
    double clipNorm = 1;
    double labelSmoothing = 0.1;
    double ema = 0;
  };

  struct RunSection {
    std::string out;
    int64_t seed = 1;
    std::string precision = "f32"; ///< f32 bf16
    std::string device = "cpu";
    int64_t threads = 0;
    Period stopUpdates{100000, 'u'};
    Period stopEpochs{0, 'e'};
    Period stopTokens{0, 't'};
    Period logEvery{100, 'u'};
    Period saveEvery{2000, 'u'};
    Period validEvery{2000, 'u'};
    int64_t keep = 5;
    std::vector<std::string> metrics = {"nll", "bleu"};
    int64_t patience = 10; ///< 0 = never stop early
    double minDelta = 0;
    std::string bleuTokens = "13a"; ///< 13a none zh char
    bool bleuLowercase = false;
    int64_t samples = 3; ///< validation lines that are shown
    int64_t beam = 1;
    double decodeMaxRatio = 2;
    int64_t decodeMaxAdd = 50;
  };

  ModelSection model;
  DataSection data;
  OptimSection optim;
  RunSection run;
};

/// Reads a file and applies overrides of the form "optim.lr=1e-3" in order. An
/// unknown key is refused with the nearest name, a value of wrong type or range
/// with what was expected and found; the place is "FILE:LINE" or the override.
Result<TrainConfig> readTrainConfig(const std::string &path,
                                    const std::vector<std::string> &overrides);

/// The same from text; `name` stands for the file in messages.
Result<TrainConfig> parseTrainConfig(const std::string &text,
                                     const std::string &name,
                                     const std::vector<std::string> &overrides);

/// Everything that makes no sense together: data.train missing, heads that do
/// not divide d_model, run.out missing.
Status checkTrainConfig(const TrainConfig &config);

/// The settings as YAML: all keys, or those that differ from their defaults.
std::string dumpTrainConfig(const TrainConfig &config, bool full);

/// Checksum of the settings that a resumed run must share: model, data that
/// decides batches, seed. `part` is "model", "data" or "optim".
std::string configHash(const TrainConfig &config, const std::string &part);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TRAIN_TRAINCONFIG_H
