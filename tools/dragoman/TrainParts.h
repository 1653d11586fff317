//===- TrainParts.h - What a training run is made of ------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TOOLS_DRAGOMAN_TRAINPARTS_H
#define DRAGOMAN_TOOLS_DRAGOMAN_TRAINPARTS_H

#include "runtime/eval/Metric.h"
#include "runtime/train/CompiledTrainModel.h"
#include "runtime/train/TrainedDecoder.h"
#include "runtime/train/Trainer.h"

#include <memory>
#include <string>
#include <vector>

namespace dragoman {

class Console;

/// Everything of a run, made from its configuration step by step. Each step
/// prints its line.
class TrainRun {
public:
  TrainRun(const TrainConfig &config, Console &console,
           const std::atomic<bool> *stop)
      : config(config), console(console), stop(stop),
        pool(static_cast<int>(config.run.threads)) {}

  /// Vocabularies and corpora.
  Status loadData();
  /// The artifact, compiled unless the run has it already.
  Status loadModel();
  /// Parameters of model.init_from, if that is set.
  Status initialize();
  /// Validation by translating, if a metric asks for it.
  Status loadDecoder();

  /// The number of parameters by part, and the memory of the largest batch.
  Status describeModel();

  TrainParts parts();
  /// Alignments of the first lines of the validation set; none without decoder.
  Result<std::vector<AlignmentPicture>> alignments();
  CompiledTrainModel &model() { return *trainModel; }

private:
  Status decode(ValidationResult &result);
  bool decodes() const;

  const TrainConfig &config;
  Console &console;
  const std::atomic<bool> *stop;
  ThreadPool pool;
  std::unique_ptr<IdCoder> source, ownTarget;
  Mixture train, valid;
  std::shared_ptr<const Model> compiled;
  std::unique_ptr<CompiledTrainModel> trainModel;
  std::unique_ptr<TrainedDecoder> decoder;
  std::unique_ptr<Metric> bleu, chrf;
  std::vector<std::string> validSources, validReferences;

  const IdCoder &target() const { return ownTarget ? *ownTarget : *source; }
};

/// The compiled model of a run in folder `out`.
std::string trainedArtifact(const std::string &out);

} // namespace dragoman

#endif // DRAGOMAN_TOOLS_DRAGOMAN_TRAINPARTS_H
