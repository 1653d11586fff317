//===- TrainRun.h - Small runs for tests ------------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TEST_TRAIN_TRAINRUN_H
#define DRAGOMAN_TEST_TRAIN_TRAINRUN_H

#include "runtime/train/Trainer.h"
#include "test/train/LogLinearModel.h"
#include "test/train/TrainData.h"

#include <gmock/gmock.h>

namespace dragoman::test {

/// A corpus, a configuration and what becomes of them.
struct SmallRun {
  SmallCorpus small;
  Mixture mixture;
  TrainConfig config;
  std::vector<std::string> lines, warnings;
  std::atomic<bool> stop = false;

  SmallRun() {
    Result<Corpus> corpus = small.load();
    EXPECT_TRUE(corpus.isOk()) << corpus.status().toString();
    mixture.add(std::move(*corpus), 1);
    config.run.out = small.folder / "out";
    config.data.batchTokens = 64;
    config.data.poolBatches = 4;
    config.optim.lr = 0.05;
    config.optim.warmup = {10, 'u'};
    config.optim.ema = 0.01;
    config.run.stopUpdates = {60, 'u'};
    config.run.logEvery = {7, 'u'};
    config.run.saveEvery = {5, 'u'};
    config.run.validEvery = {20, 'u'};
    config.run.metrics = {"nll"};
    config.run.keep = 3;
  }

  TrainParts parts(TrainModel &model) {
    TrainConsole console;
    console.info = [this](const std::string &text) { lines.push_back(text); };
    console.warning = [this](const std::string &text) {
      warnings.push_back(text);
    };
    return {model,   config,  mixture, &mixture, small.layout(),
            nullptr, console, &stop,   "words"};
  }

  std::string file(const std::string &name) const {
    return bytesOf(config.run.out + "/" + name);
  }
  /// The bytes of a state in a checkpoint of this run.
  std::string checkpointFile(int64_t update, const std::string &name) const {
    return file(checkpointName(update) + "/" + name);
  }
};

/// A model for the words of SmallCorpus.
inline LogLinearModel smallModel(Pool &pool) {
  return LogLinearModel(16, /*average=*/true, pool);
}

} // namespace dragoman::test

#endif // DRAGOMAN_TEST_TRAIN_TRAINRUN_H
