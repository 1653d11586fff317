//===- TrainProgress.h - Where a run stands ---------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TRAIN_TRAINPROGRESS_H
#define DRAGOMAN_RUNTIME_TRAIN_TRAINPROGRESS_H

#include "runtime/train/TrainModel.h"

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace dragoman {

/// What was seen since the last line of the log.
struct LogWindow {
  LossSums sums;
  int64_t labels = 0;
  int64_t sourceTokens = 0;
  int64_t cells = 0; ///< source and target cells, padding included
  int64_t updates = 0;
  int64_t clipped = 0;
  int64_t skipped = 0;
  double normSum = 0;
  double learningRate = 0; ///< of the last update
};

/// The best value of a metric so far.
struct BestValue {
  double value = 0;
  int64_t update = 0;
  int64_t stalled = 0; ///< validations since then
};

/// Everything beside tensors that a run needs to go on.
struct TrainProgress {
  int64_t update = 0;    ///< updates made
  int64_t optimStep = 0; ///< the same since the optimiser was reset
  int64_t labels = 0;    ///< labels seen
  int64_t epoch = 0;     ///< of the next batch, from 0
  int64_t batch = 0;     ///< of the next batch in its epoch, from 0
  int64_t skippedInRow = 0;
  int64_t halvings = 0; ///< of the rate, at plateaus
  int64_t plateauStalled = 0;
  bool pendingValidation = false; ///< one was stopped and must come again
  LogWindow window;
  std::map<std::string, BestValue> best; ///< by metric
  int64_t logBytes = 0;                  ///< length of train.jsonl
  /// Checksums of what must not change between two parts of a run.
  std::map<std::string, std::string> hashes;

  nlohmann::ordered_json toJson() const;
  static Result<TrainProgress> fromJson(const nlohmann::ordered_json &json);
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TRAIN_TRAINPROGRESS_H
