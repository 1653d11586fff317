//===- TrainProgress.cpp - Where a run stands -----------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/TrainProgress.h"

#include <nlohmann/json.hpp>

using namespace dragoman;
using Json = nlohmann::ordered_json;

namespace {

/// Visits every plain member of a progress and its window by name.
template <typename Progress, typename Visit>
void visitNumbers(Progress &progress, Visit visit) {
  visit("update", progress.update);
  visit("optim_step", progress.optimStep);
  visit("labels", progress.labels);
  visit("epoch", progress.epoch);
  visit("batch", progress.batch);
  visit("skipped_in_row", progress.skippedInRow);
  visit("halvings", progress.halvings);
  visit("plateau_stalled", progress.plateauStalled);
  visit("pending_validation", progress.pendingValidation);
  visit("log_bytes", progress.logBytes);
}

template <typename Window, typename Visit>
void visitWindow(Window &window, Visit visit) {
  visit("loss", window.sums.loss);
  visit("nll", window.sums.nll);
  visit("correct", window.sums.correct);
  visit("labels", window.labels);
  visit("source_tokens", window.sourceTokens);
  visit("cells", window.cells);
  visit("updates", window.updates);
  visit("clipped", window.clipped);
  visit("skipped", window.skipped);
  visit("norm_sum", window.normSum);
  visit("learning_rate", window.learningRate);
}

} // namespace

Json TrainProgress::toJson() const {
  Json json, windowJson, bestJson = Json::object();
  visitNumbers(*this, [&](const char *key, auto value) { json[key] = value; });
  visitWindow(window,
              [&](const char *key, auto value) { windowJson[key] = value; });
  json["window"] = windowJson;
  for (const auto &[metric, value] : best)
    bestJson[metric] = {{"value", value.value},
                        {"update", value.update},
                        {"stalled", value.stalled}};
  json["best"] = bestJson;
  json["hashes"] = hashes;
  return json;
}

Result<TrainProgress> TrainProgress::fromJson(const Json &json) {
  TrainProgress progress;
  try {
    auto read = [](const Json &object) {
      return [&object](const char *key, auto &value) {
        object.at(key).get_to(value);
      };
    };
    visitNumbers(progress, read(json));
    visitWindow(progress.window, read(json.at("window")));
    for (const auto &[metric, value] : json.at("best").items())
      progress.best[metric] = {value.at("value"), value.at("update"),
                               value.at("stalled")};
    json.at("hashes").get_to(progress.hashes);
  } catch (const Json::exception &failure) {
    return Status(StatusCode::InvalidData,
                  std::string("expected the state of a run: ") +
                      failure.what());
  }
  return progress;
}
