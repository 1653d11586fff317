//===- LogLinearModel.h - A small model to train in tests -------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// logits[v] = following[previous token][v] + mean over the source s of
// translation[s][v], where the second part of a pair is dropped in one of four
// cases, by the pair's key. Trained by Adam.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TEST_TRAIN_LOGLINEARMODEL_H
#define DRAGOMAN_TEST_TRAIN_LOGLINEARMODEL_H

#include "runtime/device/Pool.h"
#include "runtime/train/TrainModel.h"

#include <map>

namespace dragoman::test {

class LogLinearModel final : public TrainModel {
public:
  /// `average`: there is a state of that name.
  LogLinearModel(int64_t vocabulary, bool average, Pool &pool);

  const std::vector<ParameterDesc> &parameters() const override {
    return descs;
  }
  std::vector<std::string> stateNames() const override;
  std::span<float> state(std::string_view name) override;
  Result<LossSums> loss(const TrainBatch &batch) override;
  Result<LossSums> backward(const TrainBatch &batch, int64_t seed) override;
  Result<double> update(const UpdateSettings &settings) override;
  Result<StepResult> step(const TrainBatch &batch, int64_t seed,
                          const UpdateSettings &settings) override;
  Status average(float tau) override;
  Result<uint64_t> peakBytes(int64_t pairs, int64_t sourceLength,
                             int64_t targetLength) const override;

  /// Updates whose number is in here get a gradient that is not finite.
  std::vector<int64_t> brokenUpdates;
  int64_t updateCalls = 0;

private:
  LossSums run(const TrainBatch &batch, int64_t seed, bool train);

  int64_t vocabulary;
  Pool &pool;
  std::vector<ParameterDesc> descs;
  std::map<std::string, std::vector<float>, std::less<>> states;
};

} // namespace dragoman::test

#endif // DRAGOMAN_TEST_TRAIN_LOGLINEARMODEL_H
