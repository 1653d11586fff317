//===- CompiledTrainModel.h - The training entries of an artifact -*- C++
//-*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TRAIN_COMPILEDTRAINMODEL_H
#define DRAGOMAN_RUNTIME_TRAIN_COMPILEDTRAINMODEL_H

#include "runtime/execute/Session.h"
#include "runtime/train/TrainModel.h"

#include <map>
#include <memory>

namespace dragoman {

/// The compiled entries loss, backward, update, step and average.
class CompiledTrainModel final : public TrainModel {
public:
  /// Takes the artifact's initial parameters. Refuses an artifact that was not
  /// compiled for training.
  static Result<std::unique_ptr<CompiledTrainModel>>
  create(std::shared_ptr<const Model> model, const SessionOptions &options);

  const std::vector<ParameterDesc> &parameters() const override;
  std::vector<std::string> stateNames() const override { return savedStates; }
  std::span<float> state(std::string_view name) override;
  Result<LossSums> loss(const TrainBatch &batch) override;
  Result<LossSums> backward(const TrainBatch &batch, int64_t seed) override;
  Result<double> update(const UpdateSettings &settings) override;
  Result<StepResult> step(const TrainBatch &batch, int64_t seed,
                          const UpdateSettings &settings) override;
  Status average(float tau) override;
  Result<uint64_t> peakBytes(int64_t pairs, int64_t sourceLength,
                             int64_t targetLength) const override;

  const Model &compiled() const { return session.model(); }

private:
  CompiledTrainModel(std::shared_ptr<const Model> model,
                     const SessionOptions &options)
      : session(std::move(model), options) {}
  Status takeStates();
  Status run(const char *entry, std::vector<TensorView> inputs,
             std::span<float> results);

  Session session;
  std::vector<std::string> savedStates;
  std::map<std::string, std::span<float>, std::less<>> states;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TRAIN_COMPILEDTRAINMODEL_H
