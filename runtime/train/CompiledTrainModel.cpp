//===- CompiledTrainModel.cpp - The training entries of an artifact -------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/CompiledTrainModel.h"

#include <algorithm>

using namespace dragoman;

namespace {

/// The arrays of a batch as the entries take them. They are only read.
std::vector<TensorView> batchInputs(const TrainBatch &batch, int64_t &seed) {
  auto ids = [](const std::vector<int64_t> &values,
                std::vector<int64_t> shape) {
    return TensorView{const_cast<int64_t *>(values.data()), ElementType::I64,
                      std::move(shape)};
  };
  int64_t b = batch.pairs, s = batch.sourceLength, t = batch.targetLength;
  return {
      ids(batch.sourceIds, {b, s}), ids(batch.sourceLengths, {b}),
      ids(batch.targetIds, {b, t}), ids(batch.labels, {b, t}),
      ids(batch.rowKeys, {b}),      TensorView{&seed, ElementType::I64, {}}};
}

void addSettings(std::vector<TensorView> &inputs, UpdateSettings &settings) {
  inputs.push_back({&settings.learningRate, ElementType::F32, {}});
  inputs.push_back({&settings.step, ElementType::I64, {}});
  inputs.push_back({&settings.inverseCount, ElementType::F32, {}});
  inputs.push_back({&settings.clip, ElementType::F32, {}});
}

} // namespace

Result<std::unique_ptr<CompiledTrainModel>>
CompiledTrainModel::create(std::shared_ptr<const Model> model,
                           const SessionOptions &options) {
  const Manifest &manifest = model->manifest();
  std::string name = model->name();
  if (!manifest.training || !model->entry("step"))
    return Status(StatusCode::Unsupported,
                  "expected a model compiled for training, found one for "
                  "inference only",
                  name);
  std::unique_ptr<CompiledTrainModel> result(
      new CompiledTrainModel(std::move(model), options));
  DRAGOMAN_RETURN_IF_ERROR(result->takeStates().at(name));
  return result;
}

Status CompiledTrainModel::takeStates() {
  const Manifest &manifest = session.model().manifest();
  for (const std::string &name : manifest.training->states) {
    // Gradients are zero between updates, and only needed to accumulate.
    if (name == gradientsState)
      continue;
    Result<TensorView> view = session.state(name);
    if (!view)
      return view.status();
    states[name] = {static_cast<float *>(view->data),
                    static_cast<size_t>(manifest.training->elements())};
    if (name == parametersState)
      savedStates.insert(savedStates.begin(), name);
    else
      savedStates.push_back(name);
  }
  if (savedStates.empty() || savedStates[0] != parametersState)
    return Status(StatusCode::InvalidData,
                  "expected a state 'parameters', found none");
  size_t initial = *manifest.weightIndex(parametersWeight);
  const float *values =
      static_cast<const float *>(session.model().source().weightData(initial));
  for (const char *name : {parametersState, averageState})
    std::copy_n(values, state(name).size(), state(name).data());
  return Status::ok();
}

const std::vector<ParameterDesc> &CompiledTrainModel::parameters() const {
  return session.model().manifest().training->parameters;
}

std::span<float> CompiledTrainModel::state(std::string_view name) {
  auto found = states.find(name);
  return found == states.end() ? std::span<float>() : found->second;
}

/// Runs an entry whose results are scalars.
Status CompiledTrainModel::run(const char *entry,
                               std::vector<TensorView> inputs,
                               std::span<float> results) {
  std::vector<TensorView> outputs;
  for (float &value : results)
    outputs.push_back({&value, ElementType::F32, {}});
  return session.run(entry, inputs, outputs);
}

Result<LossSums> CompiledTrainModel::loss(const TrainBatch &batch) {
  int64_t seed = 0;
  float sums[3];
  DRAGOMAN_RETURN_IF_ERROR(run("loss", batchInputs(batch, seed), sums));
  return LossSums{sums[0], sums[1], sums[2]};
}

Result<LossSums> CompiledTrainModel::backward(const TrainBatch &batch,
                                              int64_t seed) {
  float sums[3];
  DRAGOMAN_RETURN_IF_ERROR(run("backward", batchInputs(batch, seed), sums));
  return LossSums{sums[0], sums[1], sums[2]};
}

Result<double> CompiledTrainModel::update(const UpdateSettings &settings) {
  UpdateSettings values = settings;
  std::vector<TensorView> inputs;
  addSettings(inputs, values);
  float norm[1];
  DRAGOMAN_RETURN_IF_ERROR(run("update", std::move(inputs), norm));
  return norm[0];
}

Result<StepResult> CompiledTrainModel::step(const TrainBatch &batch,
                                            int64_t seed,
                                            const UpdateSettings &settings) {
  UpdateSettings values = settings;
  std::vector<TensorView> inputs = batchInputs(batch, seed);
  addSettings(inputs, values);
  float results[4];
  DRAGOMAN_RETURN_IF_ERROR(run("step", std::move(inputs), results));
  return StepResult{{results[0], results[1], results[2]}, results[3]};
}

Status CompiledTrainModel::average(float tau) {
  return run("average", {{&tau, ElementType::F32, {}}}, {});
}

Result<uint64_t> CompiledTrainModel::peakBytes(int64_t pairs,
                                               int64_t sourceLength,
                                               int64_t targetLength) const {
  DimMap dims = {{"B", pairs}, {"S", sourceLength}, {"T", targetLength}};
  // States of inference take no part.
  for (const std::string &name : session.model().stateDims())
    dims.emplace(name, 0);
  std::string entries[] = {"step"};
  return session.model().memoryNeeded(entries, dims, session.pool().workers());
}
