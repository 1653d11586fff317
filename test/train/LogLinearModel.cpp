//===- LogLinearModel.cpp - A small model to train in tests ---------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/train/LogLinearModel.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace dragoman;
using namespace dragoman::test;

LogLinearModel::LogLinearModel(int64_t vocabulary, bool average, Pool &pool)
    : vocabulary(vocabulary), pool(pool) {
  int64_t square = vocabulary * vocabulary;
  descs = {{"following", {vocabulary, vocabulary}, 0, true},
           {"translation", {vocabulary, vocabulary}, square, false}};
  for (const char *name : {"parameters", "gradients", "moment1", "moment2"})
    states[name].assign(2 * square, 0);
  if (average)
    states["averages"].assign(2 * square, 0);
  for (int64_t i = 0; i < 2 * square; ++i)
    states["parameters"][i] = 0.01f * static_cast<float>(i * 37 % 11 - 5);
}

std::vector<std::string> LogLinearModel::stateNames() const {
  std::vector<std::string> names = {"parameters", "moment1", "moment2"};
  if (states.count("averages"))
    names.push_back("averages");
  return names;
}

std::span<float> LogLinearModel::state(std::string_view name) {
  auto found = states.find(name);
  return found == states.end() ? std::span<float>() : found->second;
}

LossSums LogLinearModel::run(const TrainBatch &batch, int64_t seed,
                             bool train) {
  int64_t v = vocabulary, t = batch.targetLength;
  const float *following = states["parameters"].data();
  const float *translation = following + v * v;
  int64_t positions = batch.pairs * t;
  std::vector<float> errors(positions * v);
  std::vector<LossSums> sums(positions);
  auto isDropped = [&](int64_t row) {
    uint64_t key = static_cast<uint64_t>(batch.rowKeys[row] * 7919 + seed);
    return train && key * 0x9E3779B97F4A7C15 >> 62 == 0;
  };
  pool.parallelFor(positions, [&](int64_t first, int64_t end, int) {
    for (int64_t p = first; p < end; ++p) {
      int64_t row = p / t, label = batch.labels[p];
      if (label == ignoredLabel)
        continue;
      float *z = &errors[p * v];
      std::copy_n(following + batch.targetIds[p] * v, v, z);
      int64_t length = batch.sourceLengths[row];
      for (int64_t s = 0; s < length && !isDropped(row); ++s) {
        int64_t id = batch.sourceIds[row * batch.sourceLength + s];
        for (int64_t i = 0; i < v; ++i)
          z[i] += translation[id * v + i] / static_cast<float>(length);
      }
      float largest = *std::max_element(z, z + v), total = 0;
      bool correct = std::max_element(z, z + v) - z == label;
      for (int64_t i = 0; i < v; ++i)
        total += std::exp(z[i] - largest);
      double nll = std::log(total) + largest - z[label];
      sums[p] = {nll, nll, correct ? 1.0 : 0.0};
      for (int64_t i = 0; i < v; ++i)
        z[i] = std::exp(z[i] - largest) / total - (i == label ? 1.0f : 0.0f);
    }
  });
  LossSums sum;
  float *gradient = states["gradients"].data();
  for (int64_t p = 0; p < positions; ++p) {
    int64_t row = p / t;
    sum += sums[p];
    if (!train || batch.labels[p] == ignoredLabel)
      continue;
    int64_t length = batch.sourceLengths[row];
    for (int64_t i = 0; i < v; ++i)
      gradient[batch.targetIds[p] * v + i] += errors[p * v + i];
    for (int64_t s = 0; s < length && !isDropped(row); ++s) {
      int64_t id = batch.sourceIds[row * batch.sourceLength + s];
      for (int64_t i = 0; i < v; ++i)
        gradient[v * v + id * v + i] +=
            errors[p * v + i] / static_cast<float>(length);
    }
  }
  return sum;
}

Result<LossSums> LogLinearModel::loss(const TrainBatch &batch) {
  return run(batch, 0, /*train=*/false);
}

Result<LossSums> LogLinearModel::backward(const TrainBatch &batch,
                                          int64_t seed) {
  return run(batch, seed, /*train=*/true);
}

Result<double> LogLinearModel::update(const UpdateSettings &settings) {
  ++updateCalls;
  std::vector<float> &g = states["gradients"], &p = states["parameters"];
  std::vector<float> &m = states["moment1"], &v = states["moment2"];
  double square = 0;
  for (float x : g)
    square += double(x) * x;
  double norm = std::sqrt(square) * settings.inverseCount;
  if (std::find(brokenUpdates.begin(), brokenUpdates.end(), updateCalls) !=
      brokenUpdates.end())
    norm = std::numeric_limits<double>::quiet_NaN();
  if (!std::isfinite(norm)) {
    std::fill(g.begin(), g.end(), 0.0f);
    return norm;
  }
  double scale = settings.inverseCount;
  if (settings.clip > 0 && norm > settings.clip)
    scale *= settings.clip / norm;
  double first = 1 - std::pow(0.9, settings.step);
  double second = 1 - std::pow(0.98, settings.step);
  for (size_t i = 0; i < g.size(); ++i) {
    float x = g[i] * static_cast<float>(scale);
    m[i] = 0.9f * m[i] + 0.1f * x;
    v[i] = 0.98f * v[i] + 0.02f * x * x;
    p[i] -=
        settings.learningRate *
        static_cast<float>(m[i] / first / (std::sqrt(v[i] / second) + 1e-9));
    g[i] = 0;
  }
  return norm;
}

Result<StepResult> LogLinearModel::step(const TrainBatch &batch, int64_t seed,
                                        const UpdateSettings &settings) {
  StepResult result;
  result.sums = run(batch, seed, /*train=*/true);
  result.gradientNorm = *update(settings);
  return result;
}

Status LogLinearModel::average(float tau) {
  std::vector<float> &mean = states["averages"], &p = states["parameters"];
  for (size_t i = 0; i < p.size(); ++i)
    mean[i] = (1 - tau) * mean[i] + tau * p[i];
  return Status::ok();
}

Result<uint64_t> LogLinearModel::peakBytes(int64_t pairs, int64_t sourceLength,
                                           int64_t targetLength) const {
  return static_cast<uint64_t>(8 * vocabulary * vocabulary * 4 +
                               pairs * targetLength * vocabulary * 4 +
                               pairs * sourceLength * 8);
}
