//===- Attention.cpp - Attention against the core's peak ------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times the one kernel of attention.mlir, compiled, for one sentence of each
// length: eight heads of 64. Operations are those of the two products, four per
// query, key and channel; packing and softmax are in the time.
//
//===----------------------------------------------------------------------===//

#include "runtime/device/cpu/CpuFeatures.h"
#include "runtime/execute/Session.h"
#include "tools/benchmark/Measure.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <random>

using namespace dragoman;

static constexpr int64_t heads = 8, headSize = 64, channels = heads * headSize;

/// One figure; prints a line.
static Status measure(Session &session, int64_t length, double seconds,
                      int lanes, bool json) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> qkv(length * 3 * channels), out(length * channels);
  for (float &value : qkv)
    value = normal(random);
  TensorView inputs[] = {
      {qkv.data(), ElementType::F32, {1, length, 3 * channels}},
      {&length, ElementType::I64, {1}}};
  TensorView outputs[] = {
      {out.data(), ElementType::F32, {1, length, channels}}};
  Status failed = session.run("main", inputs, outputs);
  if (!failed)
    return failed;
  double flops = 4.0 * length * length * channels;
  bench::Ratio result = bench::measureRatio(flops, lanes, seconds, [&] {
    failed = session.run("main", inputs, outputs);
  });
  std::printf(json ? "{\"suite\":\"attention\",\"length\":%ld,\"ratio\":%.4f,"
                     "\"quartiles\":[%.4f,%.4f],\"best\":%.4f,"
                     "\"gflops\":%.2f}\n"
                   : "attention length %5ld   %.3f (%.3f .. %.3f)  best %.3f  "
                     "%8.1f GF/s\n",
              length, result.ratio, result.low, result.high, result.best,
              result.rate / 1e9);
  return failed;
}

int main(int argc, char **argv) {
  std::string path;
  std::vector<int64_t> lengths = {30, 128, 512, 2048};
  double seconds = 1;
  bool json = false;
  CLI::App program("Times attention on one core, as a ratio to its peak");
  program.add_option("model", path, "attention.mlir, compiled")->required();
  program.add_option("--lengths", lengths, "Tokens of the sentence")
      ->delimiter(',')
      ->capture_default_str();
  program.add_option("--seconds", seconds, "Time for each figure")
      ->capture_default_str();
  program.add_flag("--json", json, "Print one JSON object a line");
  CLI11_PARSE(program, argc, argv);
  Result<std::shared_ptr<const Model>> model = Model::load(path, {});
  Status status = model ? Status::ok() : model.status();
  int lanes = CpuFeatures::host().has("avx512f") ? 16 : 8;
  if (status) {
    Session session(*model);
    for (int64_t length : lengths)
      if (status)
        status = measure(session, length, seconds, lanes, json);
  }
  if (!status)
    std::fprintf(stderr, "error: %s\n", status.toString().c_str());
  return status ? 0 : 1;
}
