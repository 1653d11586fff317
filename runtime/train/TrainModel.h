//===- TrainModel.h - What the trainer needs of a model ---------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The training entries of a compiled translator, in the trainer's own terms.
// Letters: B pairs of a batch, S source length, T target length. All arrays are
// dense and row-major, padded on the right.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TRAIN_TRAINMODEL_H
#define DRAGOMAN_RUNTIME_TRAIN_TRAINMODEL_H

#include "runtime/artifact/TrainingDesc.h"
#include "runtime/base/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// The label of padding: it takes no part in the loss.
inline constexpr int64_t ignoredLabel = -100;

/// Names of states that every training model has, or may have.
inline constexpr const char *parametersState = "parameters";
inline constexpr const char *gradientsState = "gradients";
inline constexpr const char *averageState = "averages";

/// Some pairs of sentences. The source ids end with the end token; the target
/// ids are the start token and the sentence, the labels the sentence and the
/// end token.
struct TrainBatch {
  int64_t pairs = 0;                  ///< B
  int64_t sourceLength = 0;           ///< S, padding included
  int64_t targetLength = 0;           ///< T, padding included
  std::vector<int64_t> sourceIds;     ///< [B,S]
  std::vector<int64_t> sourceLengths; ///< [B], without padding
  std::vector<int64_t> targetIds;     ///< [B,T]
  std::vector<int64_t> labels;        ///< [B,T], ignoredLabel on padding
  /// [B], the key of a pair's dropout masks: different for every pair of a run.
  std::vector<int64_t> rowKeys;
  int64_t labelCount = 0;   ///< labels that are not ignored
  int64_t sourceTokens = 0; ///< sum of sourceLengths
};

/// Sums over the labels of a batch: the loss that is minimised, the negative
/// log-likelihood without smoothing, and how many labels were the likeliest.
struct LossSums {
  double loss = 0;
  double nll = 0;
  double correct = 0;

  LossSums &operator+=(const LossSums &other) {
    loss += other.loss;
    nll += other.nll;
    correct += other.correct;
    return *this;
  }
};

/// What an update depends on beside the gradient.
struct UpdateSettings {
  float learningRate = 0;
  int64_t step = 1;       ///< number of this update, from 1
  float inverseCount = 1; ///< 1 / labels of the whole update
  float clip = 0;         ///< largest norm of the gradient; 0 = any
};

/// A step's sums and the norm of its gradient.
struct StepResult {
  LossSums sums;
  double gradientNorm = 0; ///< before clipping; not finite = nothing changed
};

/// A model with parameters, moments and an average; one call at a time.
class TrainModel {
public:
  virtual ~TrainModel() = default;

  /// The trainable tensors by offset, without holes.
  virtual const std::vector<ParameterDesc> &parameters() const = 0;
  /// Names of the states that a checkpoint must hold, `parameters` first.
  virtual std::vector<std::string> stateNames() const = 0;
  /// The elements of a state, or an empty span if there is none of that name.
  /// Valid as long as the model.
  virtual std::span<float> state(std::string_view name) = 0;

  /// Validation: no dropout, nothing changes.
  virtual Result<LossSums> loss(const TrainBatch &batch) = 0;
  /// Adds the gradient of the batch, not divided by anything, to the gradients.
  virtual Result<LossSums> backward(const TrainBatch &batch, int64_t seed) = 0;
  /// One step of the optimiser on gradients * inverseCount; the gradients
  /// become zero. Returns the norm before clipping; if it is not finite,
  /// parameters and moments stay as they are.
  virtual Result<double> update(const UpdateSettings &settings) = 0;
  /// backward and update in one, for updates of one batch.
  virtual Result<StepResult> step(const TrainBatch &batch, int64_t seed,
                                  const UpdateSettings &settings) = 0;
  /// average = (1 - tau) average + tau parameters.
  virtual Status average(float tau) = 0;

  /// Bytes that a step on B pairs of S and T tokens needs beside the code.
  virtual Result<uint64_t> peakBytes(int64_t pairs, int64_t sourceLength,
                                     int64_t targetLength) const = 0;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TRAIN_TRAINMODEL_H
