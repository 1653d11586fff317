//===- TrainLog.h - What a run says and records -----------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines for people, one object a line in OUT/train.jsonl, and TensorBoard
// events. train.jsonl holds no times: an interrupted run that goes on leaves
// the same bytes as one that was never interrupted. Speeds stand in
// OUT/speed.jsonl.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TRAIN_TRAINLOG_H
#define DRAGOMAN_RUNTIME_TRAIN_TRAINLOG_H

#include "runtime/train/EventFile.h"
#include "runtime/train/TrainProgress.h"

#include <atomic>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace dragoman {

/// Where lines for people go. Every function may be empty.
struct TrainConsole {
  std::function<void(const std::string &)> info;
  std::function<void(const std::string &)> warning;
  std::function<void(const std::string &)> progress;
};

/// "18.2k", "950", "1.3M": a rate.
std::string shortRate(double value);

/// The averages of a window, by tag.
struct WindowMeans {
  double loss, nll, ppl, accuracy, gradNorm, clipRate, padShare;
};
WindowMeans meansOf(const LogWindow &window);

/// What a validation found.
struct ValidationResult {
  double nll = 0;      ///< per label, natural logarithm
  double accuracy = 0; ///< share of labels that were the likeliest
  int64_t labels = 0;
  bool decoded = false; ///< the scores below are there
  double bleu = 0, chrf = 0;
  std::string bleuSignature, chrfSignature;
  /// Source, reference and translation of the first lines.
  struct Sample {
    std::string source, reference, hypothesis;
  };
  std::vector<Sample> samples;

  /// A metric by name: nll, ppl, accuracy, bleu, chrf.
  double metric(const std::string &name) const;
};

/// True if larger values of a metric are better.
bool largerIsBetter(const std::string &metric);

class TrainLog {
public:
  /// Opens OUT/train.jsonl, cut to `logBytes`, and an event file in OUT/tb.
  static Result<std::unique_ptr<TrainLog>>
  open(const std::string &folder, int64_t logBytes, TrainConsole console);
  ~TrainLog();
  TrainLog(const TrainLog &) = delete;
  TrainLog &operator=(const TrainLog &) = delete;

  /// The averages since the last line. `seconds` is the time since then,
  /// `elapsed` that of the run so far.
  Status addWindow(const TrainProgress &progress, double seconds,
                   double elapsed);
  Status addValidation(const TrainProgress &progress,
                       const ValidationResult &result,
                       const std::vector<std::string> &newBest, int64_t stalled,
                       double seconds);
  void addSaved(const std::string &name, uint64_t bytes, double seconds);
  Status addConfig(int64_t update, const std::string &yaml);

  /// Waits until train.jsonl is on disk, and returns its length.
  Result<int64_t> sync();

  const TrainConsole &console() const { return lines; }

private:
  TrainLog() = default;
  Status append(const nlohmann::ordered_json &object);
  Status appendSpeed(const nlohmann::ordered_json &object);
  void say(const std::string &text) const {
    if (lines.info)
      lines.info(text);
  }

  std::string path, speedPath;
  int descriptor = -1, speedDescriptor = -1;
  int64_t length = 0;
  std::unique_ptr<EventFile> events;
  TrainConsole lines;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TRAIN_TRAINLOG_H
