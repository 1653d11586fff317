//===- TrainerTest.cpp - The training loop --------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Trainer.h"
#include "test/train/TrainRun.h"

#include <cmath>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/resource.h>

using namespace dragoman;
using namespace dragoman::test;
using testing::HasSubstr;

namespace {

struct TrainerTest : testing::Test {
  SmallRun run;
  InlinePool pool;
  LogLinearModel model = smallModel(pool);

  /// Resumes and runs to the end.
  TrainEnd train(const ResumeOptions &options = {}) {
    Trainer trainer(run.parts(model));
    Status status = trainer.resume(options);
    EXPECT_TRUE(status.isOk()) << status.toString();
    Result<TrainEnd> end = trainer.run();
    EXPECT_TRUE(end.isOk()) << end.status().toString();
    return end ? *end : TrainEnd::Stopped;
  }
  std::vector<nlohmann::json> records() {
    std::vector<nlohmann::json> result;
    std::istringstream text(run.file("train.jsonl"));
    for (std::string line; std::getline(text, line);)
      result.push_back(nlohmann::json::parse(line));
    return result;
  }
};

TEST_F(TrainerTest, LearnsAndLogs) {
  EXPECT_EQ(train(), TrainEnd::Finished);
  std::vector<nlohmann::json> found = records();
  ASSERT_EQ(found.size(), 8u + 3u);
  EXPECT_EQ(found[0]["update"], 7);
  EXPECT_NEAR(found[0]["nll"].get<double>(), std::log(16.0), 0.2);
  EXPECT_LT(found.back()["nll"].get<double>(), 1.2);
  EXPECT_EQ(found.back()["type"], "valid");
  EXPECT_THAT(
      run.lines[1],
      testing::ContainsRegex("^ep 1 up 7 . loss [0-9.]+ nll [0-9.]+ ppl "
                             "[0-9.]+ acc [0-9.]+% . gnorm [0-9.]+ clip "
                             "[0-9]+% lr 3.50e-02 . [0-9.]+[kM]?/[0-9.]+[kM]? "
                             "tok/s pad [0-9]+% . 00:0[0-9]$"));
  EXPECT_THAT(run.lines, testing::Contains(testing::ContainsRegex(
                             "^valid up 20 . nll [0-9.]+ ppl [0-9.]+ acc "
                             "[0-9.]+% . new best . [0-9.]+ s$")));
  EXPECT_THAT(run.lines, testing::Contains(testing::ContainsRegex(
                             "^saved ckpt-60 .[0-9.]+ MB, [0-9.]+ s.$")));
  EXPECT_TRUE(run.warnings.empty()) << run.warnings[0];
}

TEST_F(TrainerTest, KeepsTheNewestAndTheBest) {
  train();
  // 50, 55, 60 and the best, which is 60 too.
  EXPECT_EQ(listCheckpoints(run.config.run.out),
            (std::vector<int64_t>{60, 55, 50}));
  EXPECT_EQ(std::filesystem::read_symlink(run.config.run.out + "/best-nll"),
            "ckpt-60");
}

TEST_F(TrainerTest, ResumingIsExact) {
  train();
  SmallRun other;
  std::swap(other.config.run.stopUpdates.count,
            run.config.run.stopUpdates.count);
  // Stops at odd places, with a new model every time.
  for (int64_t stop : {3, 8, 20, 33, 60}) {
    LogLinearModel again = smallModel(pool);
    other.config.run.stopUpdates.count = stop;
    Trainer trainer(other.parts(again));
    ASSERT_TRUE(trainer.resume({}).isOk());
    ASSERT_TRUE(trainer.run().isOk());
  }
  for (const char *name : {parametersFile, averageFile, optimizerFile})
    EXPECT_EQ(run.checkpointFile(60, name), other.checkpointFile(60, name))
        << name;
  EXPECT_EQ(run.file("train.jsonl"), other.file("train.jsonl"));
  EXPECT_THAT(other.lines, testing::Contains(testing::ContainsRegex(
                               "^resume from ckpt-8: epoch 1, pool [0-9]+, "
                               "batch [0-9]+, lr 4.5e-02$")));
}

TEST_F(TrainerTest, AccumulatedBatchesAreOneUpdate) {
  run.config.data.poolBatches = 0;
  run.config.data.batchTokens = 4000;
  run.config.run.stopUpdates = {3, 'u'};
  run.config.optim.ema = 0;
  train();
  std::vector<float> once(model.state(parametersState).begin(),
                          model.state(parametersState).end());
  // The same pairs in smaller batches: one update still sees them all.
  SmallRun other;
  other.config = run.config;
  other.config.run.out = other.small.folder / "out";
  other.config.data.batchTokens = 300;
  EpochPlan plan(other.mixture, {.tokens = 300, .poolBatches = 0, .seed = 1},
                 0);
  EpochPlan whole(other.mixture, {.tokens = 4000, .poolBatches = 0, .seed = 1},
                  0);
  ASSERT_EQ(whole.batches(), 1);
  other.config.data.accumulate = plan.batches();
  LogLinearModel second = smallModel(pool);
  Trainer trainer(other.parts(second));
  ASSERT_TRUE(trainer.resume({}).isOk());
  ASSERT_TRUE(trainer.run().isOk());
  for (size_t i = 0; i < once.size(); ++i)
    ASSERT_NEAR(once[i], second.state(parametersState)[i], 2e-4) << i;
}

TEST_F(TrainerTest, PaddingChangesNothing) {
  std::vector<uint32_t> items = {3, 5, 8};
  BatchLayout wide = run.small.layout();
  wide.extraPadding = 50;
  LogLinearModel second = smallModel(pool);
  LossSums plain =
      *model.backward(makeBatch(run.mixture, items, 1, run.small.layout()), 1);
  LossSums padded = *second.backward(makeBatch(run.mixture, items, 1, wide), 1);
  EXPECT_EQ(plain.nll, padded.nll);
  EXPECT_TRUE(std::ranges::equal(model.state(gradientsState),
                                 second.state(gradientsState)));
}

TEST_F(TrainerTest, LostGradientsAreSkipped) {
  model.brokenUpdates = {4, 5};
  train();
  EXPECT_EQ(model.updateCalls, 62);
  ASSERT_EQ(run.warnings.size(), 2u);
  EXPECT_THAT(run.warnings[0],
              testing::ContainsRegex(
                  "^the gradient is not finite at update 4 .batch 4 of epoch "
                  "1, lines .*t.txt:[0-9]+, .* and [0-9]+ more.; skipped$"));
  EXPECT_EQ(records()[0]["skipped"], 2);
}

TEST_F(TrainerTest, TwentyLostInARowEndTheRun) {
  for (int64_t i = 13; i < 40; ++i)
    model.brokenUpdates.push_back(i);
  Trainer trainer(run.parts(model));
  ASSERT_TRUE(trainer.resume({}).isOk());
  Result<TrainEnd> end = trainer.run();
  ASSERT_FALSE(end.isOk());
  EXPECT_THAT(end.status().message(),
              testing::ContainsRegex(
                  "^loss is not finite at update 13 .batch [0-9]+ of epoch "
                  "[0-9]+, lines .*, 20 times in a row; last good checkpoint: "
                  "ckpt-10$"));
  EXPECT_EQ(model.updateCalls, 32);
}

TEST_F(TrainerTest, PatienceEndsTheRun) {
  run.config.run.patience = 2;
  run.config.run.minDelta = 100;
  run.config.run.stopUpdates = {0, 'u'};
  EXPECT_EQ(train(), TrainEnd::Patience);
  EXPECT_EQ(listCheckpoints(run.config.run.out)[0], 60);
  // The first validation is the best one, and its checkpoint stays.
  EXPECT_EQ(listCheckpoints(run.config.run.out).back(), 20);
}

TEST_F(TrainerTest, EpochsAndLabelsAsPeriods) {
  run.config.run.stopUpdates = {0, 'u'};
  run.config.run.stopEpochs = {2, 'e'};
  run.config.run.logEvery = {1, 'e'};
  run.config.run.saveEvery = {0, 'u'};
  run.config.run.validEvery = {1000, 't'};
  EXPECT_EQ(train(), TrainEnd::Finished);
  std::vector<nlohmann::json> found = records();
  int64_t labels = run.mixture.counts().targetTokens;
  size_t trained = 0;
  for (const nlohmann::json &record : found)
    if (record["type"] == "train")
      EXPECT_EQ(record["labels"], labels * int64_t(++trained));
  EXPECT_EQ(trained, 2u);
  EXPECT_EQ(found.size() - trained, size_t(2 * labels / 1000));
}

TEST_F(TrainerTest, StopFinishesTheUpdateAndSaves) {
  run.config.run.saveEvery = {0, 'u'};
  run.config.run.validEvery = {0, 'u'};
  TrainParts parts = run.parts(model);
  parts.console.progress = [&](const std::string &text) {
    run.stop = text.starts_with("update 9 ");
  };
  Trainer trainer(parts);
  ASSERT_TRUE(trainer.resume({}).isOk());
  EXPECT_EQ(*trainer.run(), TrainEnd::Stopped);
  EXPECT_EQ(listCheckpoints(run.config.run.out), std::vector<int64_t>{9});
}

TEST_F(TrainerTest, AStoppedValidationComesAgain) {
  train();
  SmallRun other;
  LogLinearModel second = smallModel(pool);
  TrainParts parts = other.parts(second);
  parts.decode = [&](ValidationResult &) {
    other.stop = true;
    return Status(StatusCode::Cancelled, "stopped");
  };
  {
    Trainer trainer(parts);
    ASSERT_TRUE(trainer.resume({}).isOk());
    EXPECT_EQ(*trainer.run(), TrainEnd::Stopped);
    EXPECT_EQ(trainer.progress().update, 20);
  }
  other.stop = false;
  LogLinearModel third = smallModel(pool);
  Trainer trainer(other.parts(third));
  ASSERT_TRUE(trainer.resume({}).isOk());
  EXPECT_EQ(*trainer.run(), TrainEnd::Finished);
  EXPECT_EQ(run.file("train.jsonl"), other.file("train.jsonl"));
  EXPECT_EQ(run.checkpointFile(60, parametersFile),
            other.checkpointFile(60, parametersFile));
}

TEST_F(TrainerTest, OtherSettingsNeedAReset) {
  run.config.run.stopUpdates = {10, 'u'};
  train();
  auto refusal = [&](const ResumeOptions &options) {
    LogLinearModel second = smallModel(pool);
    Trainer trainer(run.parts(second));
    return trainer.resume(options).toString();
  };
  TrainConfig before = run.config;
  run.config.data.batchTokens = 100;
  EXPECT_EQ(refusal({}),
            "ckpt-10: the run in " + run.config.run.out +
                " has other training data, seed or batch settings; pass "
                "--reset data, or choose another run.out, or begin anew with "
                "--no-resume");
  EXPECT_EQ(refusal({.resetData = true}), "");
  run.config = before;
  run.config.optim.eps = 1e-3;
  EXPECT_THAT(refusal({}), HasSubstr("has other settings of the optimiser; "
                                     "pass --reset optim"));
  EXPECT_EQ(refusal({.resetOptimizer = true}), "");
  run.config = before;
  run.config.model.ffn = 7;
  EXPECT_THAT(refusal({}), HasSubstr("has other settings of the model; choose "
                                     "another run.out"));
}

TEST_F(TrainerTest, Resets) {
  run.config.run.stopUpdates = {10, 'u'};
  train();
  auto resumed = [&](const ResumeOptions &options) {
    LogLinearModel second = smallModel(pool);
    Trainer trainer(run.parts(second));
    EXPECT_TRUE(trainer.resume(options).isOk());
    EXPECT_EQ(std::ranges::equal(second.state(parametersState),
                                 model.state(parametersState)),
              options.resume);
    bool moments =
        std::ranges::equal(second.state("moment1"), model.state("moment1"));
    EXPECT_EQ(moments,
              options.resume && !options.resetOptimizer && !options.resetAll);
    return trainer.progress();
  };
  EXPECT_EQ(resumed({}).batch, 10);
  EXPECT_EQ(resumed({.resetOptimizer = true}).optimStep, 0);
  EXPECT_EQ(resumed({.resetOptimizer = true}).update, 10);
  EXPECT_EQ(resumed({.resetData = true}).batch, 0);
  EXPECT_EQ(resumed({.resetAll = true}).update, 0);
  // The old run is set aside.
  EXPECT_TRUE(listCheckpoints(run.config.run.out).empty());
  EXPECT_EQ(listCheckpoints(run.config.run.out + "/before-1")[0], 10);
  EXPECT_EQ(resumed({.resume = false}).update, 0);
}

TEST_F(TrainerTest, OverfitsOneBatch) {
  Trainer trainer(run.parts(model));
  ASSERT_TRUE(trainer.overfit(40).isOk());
  EXPECT_EQ(run.lines.size(), 11u);
  EXPECT_THAT(run.lines.back(), HasSubstr("overfit up 40 | loss 0."));
  EXPECT_FALSE(std::filesystem::exists(run.config.run.out));
}

TEST_F(TrainerTest, FullDiskLeavesTheOldCheckpoint) {
  run.config.run.stopUpdates = {12, 'u'};
  rlimit old;
  getrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, SIG_IGN);
  TrainParts parts = run.parts(model);
  parts.console.progress = [&](const std::string &text) {
    if (text.starts_with("update 7 ")) {
      rlimit small = {4096, old.rlim_max};
      setrlimit(RLIMIT_FSIZE, &small);
    }
  };
  Trainer trainer(parts);
  ASSERT_TRUE(trainer.resume({}).isOk());
  Result<TrainEnd> end = trainer.run();
  setrlimit(RLIMIT_FSIZE, &old);
  ASSERT_TRUE(end.isOk()) << end.status().toString();
  EXPECT_EQ(listCheckpoints(run.config.run.out), std::vector<int64_t>{5});
  ASSERT_FALSE(run.warnings.empty());
  EXPECT_THAT(run.warnings[0],
              testing::ContainsRegex("^not saved: .*/ckpt-10.tmp/[a-z]+.safet"
                                     "ensors: cannot write: file too large$"));
  EXPECT_TRUE(Checkpoint::open(run.config.run.out + "/ckpt-5").status().isOk());
}

} // namespace
