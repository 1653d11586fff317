//===- Trainer.h - The training loop ----------------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TRAIN_TRAINER_H
#define DRAGOMAN_RUNTIME_TRAIN_TRAINER_H

#include "runtime/train/Checkpoint.h"
#include "runtime/train/EpochPlan.h"
#include "runtime/train/Schedule.h"
#include "runtime/train/TrainConfig.h"
#include "runtime/train/TrainLog.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace dragoman {

/// Decodes the validation set with the model's parameters as they are, and
/// fills the decoded part of the result.
using DecodeValidation = std::function<Status(ValidationResult &)>;

/// What a run works on. All of it outlives the trainer.
struct TrainParts {
  TrainModel &model;
  const TrainConfig &config;
  const Mixture &train;
  const Mixture *valid = nullptr; ///< null = no validation
  BatchLayout layout;
  DecodeValidation decode; ///< empty = the metrics bleu and chrf are refused
  TrainConsole console;
  /// Set to stop: the update in progress is finished and saved.
  const std::atomic<bool> *stop = nullptr;
  /// Checksum of the vocabularies.
  std::string vocabularyHash;
};

/// How a configuration cuts batches.
BatchSettings trainBatchSettings(const TrainConfig &config);

/// What to take from the checkpoint in run.out.
struct ResumeOptions {
  bool resume = true;          ///< false: begin anew; the old run is set aside
  bool resetOptimizer = false; ///< moments and schedule begin anew
  bool resetData = false;      ///< begins with epoch 1; data may have changed
  bool resetAll = false;       ///< keeps only the parameters
};

/// Why a run ended.
enum class TrainEnd { Finished, Patience, Stopped };

/// Passes over `batches` of the validation set. Sums in order.
Result<ValidationResult> validate(TrainModel &model, const Mixture &valid,
                                  const BatchSettings &settings,
                                  const BatchLayout &layout,
                                  const std::atomic<bool> *stop);

class Trainer {
public:
  explicit Trainer(TrainParts parts);

  /// Makes run.out, takes over the newest whole checkpoint there, says which.
  /// Refused if model, data or settings are not those of the checkpoint and
  /// were not reset. Without a checkpoint the model's values are kept.
  Status resume(const ResumeOptions &options);

  /// Trains until a stop rule applies. A checkpoint is saved at the end.
  Result<TrainEnd> run();

  /// Trains `updates` times on the first batch and saves nothing.
  Status overfit(int64_t updates);

  const TrainProgress &progress() const { return state; }
  /// The newest checkpoint that was saved or resumed from; "" if none.
  const std::string &lastSaved() const { return saved; }

private:
  using Clock = std::chrono::steady_clock;
  /// Where a batch came from.
  struct Source {
    int64_t epoch, batch;
    std::vector<uint32_t> items;
  };

  Status checkHashes(const TrainProgress &found, const ResumeOptions &options,
                     const std::string &checkpoint) const;
  void applyResets(const ResumeOptions &options);
  Status setAside();
  TrainBatch nextBatch(std::vector<Source> &sources);
  Result<bool> updateOnce();
  Status afterSkip(const std::vector<Source> &sources);
  std::string describeSources(const std::vector<Source> &sources) const;
  bool isDue(const Period &period, const TrainProgress &before) const;
  bool isFinished() const;
  bool isStopped() const;
  Status afterUpdate(const TrainProgress &before, bool &stalled);
  Status runValidation(bool &stalled);
  std::vector<std::string> takeMetrics(const ValidationResult &result);
  void save();

  TrainParts parts;
  const TrainConfig &config;
  TrainModel &model;
  Schedule schedule;
  TrainProgress state;
  std::optional<EpochPlan> plan;
  std::unique_ptr<TrainLog> log;
  std::string saved;
  int64_t savedUpdate = -1;
  Clock::time_point started, lineStarted;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TRAIN_TRAINER_H
