//===- Train.cpp - Speed of training steps --------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// dragoman-bench-train MODEL.dgm [--pairs 64] [--source 64] [--target 64]
//                      [--threads 2] [--seconds 10] [--json]
// Steps on one random batch without padding. The ratio is of useful operations
// (products and attention, forward once and backward twice) per second of all
// threads' own time to the peak of one core, so it does not count what other
// processes take; the milliseconds do.
//
//===----------------------------------------------------------------------===//

#include "runtime/device/cpu/CpuFeatures.h"
#include "runtime/execute/Trace.h"
#include "runtime/train/CompiledTrainModel.h"
#include "tools/benchmark/Measure.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>

using namespace dragoman;

namespace {

struct Options {
  std::string model, trace;
  int64_t pairs = 64, source = 64, target = 64;
  int threads = 2;
  double seconds = 10;
  bool json = false;
};

} // namespace

/// Seconds that all threads of this process have run.
static double processNow() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         1e-9 * static_cast<double>(time.tv_nsec);
}

static bool contains(const std::string &name, const char *part) {
  return name.find(part) != std::string::npos;
}

/// Operations of a step: a matrix of K x N meets rows of its side, once forward
/// and twice backward, 2 KN each; so does the projection to the vocabulary.
/// Attention multiplies twice for every product of a query, a key and a
/// channel; a causal one counts half.
static double stepFlops(const TrainModel &model, const Options &options) {
  double sourceRows = static_cast<double>(options.pairs * options.source),
         targetRows = static_cast<double>(options.pairs * options.target);
  double products = 0, scores = 0;
  bool projects = false;
  for (const ParameterDesc &parameter : model.parameters()) {
    const std::string &name = parameter.name;
    if (parameter.shape.size() != 2)
      continue;
    double size = static_cast<double>(parameter.elements());
    if (!contains(name, ".layers.")) {
      bool isTable = contains(name, "shared") || contains(name, "lm_head") ||
                     contains(name, "decoder.embed_tokens");
      if (isTable && !projects)
        products += size * targetRows;
      projects |= isTable;
      continue;
    }
    bool inEncoder = name.rfind("encoder.", 0) == 0,
         isCross = contains(name, "encoder_attn");
    bool ofMemory =
        isCross && (contains(name, "k_proj") || contains(name, "v_proj"));
    products += size * (inEncoder || ofMemory ? sourceRows : targetRows);
    if (contains(name, "attn.q_proj")) {
      double pairs = inEncoder ? sourceRows * double(options.source)
                     : isCross ? targetRows * double(options.source)
                               : targetRows * double(options.target) / 2;
      scores += pairs * static_cast<double>(parameter.shape[0]);
    }
  }
  return 6 * products + 12 * scores;
}

static TrainBatch randomBatch(const Options &options) {
  std::mt19937 random{1};
  TrainBatch batch;
  batch.pairs = options.pairs;
  batch.sourceLength = options.source;
  batch.targetLength = options.target;
  auto fill = [&](std::vector<int64_t> &ids, int64_t count) {
    ids.resize(count);
    for (int64_t &id : ids)
      id = 4 + random() % 96;
  };
  fill(batch.sourceIds, options.pairs * options.source);
  fill(batch.targetIds, options.pairs * options.target);
  fill(batch.labels, options.pairs * options.target);
  batch.sourceLengths.assign(options.pairs, options.source);
  for (int64_t pair = 0; pair < options.pairs; ++pair)
    batch.rowKeys.push_back(pair);
  batch.labelCount = options.pairs * options.target;
  batch.sourceTokens = options.pairs * options.source;
  return batch;
}

static double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(share *
                                    static_cast<double>(values.size() - 1))];
}

static Status measure(const Options &options) {
  Result<std::shared_ptr<const Model>> artifact =
      Model::load(options.model, {});
  DRAGOMAN_RETURN_IF_ERROR(artifact.status());
  ThreadPool pool(options.threads);
  SessionOptions session;
  session.pool = &pool;
  Trace trace;
  if (!options.trace.empty())
    session.trace = &trace;
  auto model = CompiledTrainModel::create(*artifact, session);
  DRAGOMAN_RETURN_IF_ERROR(model.status());
  TrainBatch batch = randomBatch(options);
  UpdateSettings settings;
  settings.learningRate = 1e-4f;
  settings.inverseCount = 1.0f / static_cast<float>(batch.labelCount);
  settings.clip = 1;
  int lanes = CpuFeatures::host().has("avx512f") ? 16 : 8;
  double flops = stepFlops(**model, options), before = bench::peakFlops(lanes);
  std::vector<double> seconds, ratios;
  for (double start = bench::now();
       bench::now() - start < options.seconds || seconds.size() < 4;) {
    double begin = bench::now(), used = processNow();
    Result<StepResult> result =
        (*model)->step(batch, /*seed=*/settings.step, settings);
    DRAGOMAN_RETURN_IF_ERROR(result.status());
    ++settings.step;
    used = processNow() - used;
    double took = bench::now() - begin, after = bench::peakFlops(lanes);
    // The first step touches all memory for the first time.
    if (settings.step > 2) {
      seconds.push_back(took);
      ratios.push_back(flops / used / ((before + after) / 2));
    }
    before = after;
  }
  if (!options.trace.empty())
    DRAGOMAN_RETURN_IF_ERROR(trace.write(options.trace));
  double middle = quantile(seconds, 0.5),
         tokens = static_cast<double>(options.pairs *
                                      (options.source + options.target));
  if (options.json) {
    nlohmann::ordered_json figure = {
        {"name", "dragoman"},
        {"milliseconds", middle * 1e3},
        {"quartiles",
         {quantile(seconds, 0.25) * 1e3, quantile(seconds, 0.75) * 1e3}},
        {"tokens_per_second", tokens / middle},
        {"ratio", quantile(ratios, 0.5)},
        {"ratio_quartiles", {quantile(ratios, 0.25), quantile(ratios, 0.75)}}};
    std::printf("%s\n", figure.dump().c_str());
  } else {
    std::printf("dragoman step %.1f ms (%.1f .. %.1f), %.0f tokens a second, "
                "%.3f of the FMA peak (%.3f .. %.3f)\n",
                middle * 1e3, quantile(seconds, 0.25) * 1e3,
                quantile(seconds, 0.75) * 1e3, tokens / middle,
                quantile(ratios, 0.5), quantile(ratios, 0.25),
                quantile(ratios, 0.75));
  }
  return Status::ok();
}

int main(int argc, char **argv) {
  Options options;
  CLI::App program("Times training steps of a compiled translator");
  program.add_option("model", options.model, "An artifact made for training")
      ->required();
  program.add_option("--pairs", options.pairs, "Sentence pairs of a batch")
      ->capture_default_str();
  program.add_option("--source", options.source, "Tokens of a source")
      ->capture_default_str();
  program.add_option("--target", options.target, "Tokens of a target")
      ->capture_default_str();
  program.add_option("--threads", options.threads, "Threads of a step")
      ->capture_default_str();
  program.add_option("--seconds", options.seconds, "Time for the figure")
      ->capture_default_str();
  program.add_option("--trace", options.trace,
                     "Write the time of every command into this file");
  program.add_flag("--json", options.json, "Print JSON");
  CLI11_PARSE(program, argc, argv);
  Status status = measure(options);
  if (!status)
    std::fprintf(stderr, "error: %s\n", status.toString().c_str());
  return status ? 0 : 1;
}
