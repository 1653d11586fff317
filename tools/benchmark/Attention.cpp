//===- Attention.cpp - Attention against the core's peak ------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times attention and its gradient, the two kernels of attention.mlir,
// compiled, for sentences of each length: eight heads of 64. Operations are
// those of the products: four per query, key and channel forward, ten backward;
// packing and softmax are in the time.
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

/// The values of one size: inputs random, or those of the forward pass.
struct Values {
  std::vector<float> qkv, dout, out, lse, dq, dk, dv;
  std::vector<int64_t> lengths;

  Values(int64_t batch, int64_t length) : lengths(batch, length) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    int64_t size = batch * length * channels;
    qkv.resize(3 * size);
    dout.resize(size);
    for (std::vector<float> *values : {&qkv, &dout})
      for (float &value : *values)
        value = normal(random);
    out.resize(size);
    lse.resize(batch * heads * length);
    for (std::vector<float> *result : {&dq, &dk, &dv})
      result->resize(size);
  }
};

/// The figure of one entry; prints a line.
static Status measure(Session &session, Values &values, bool backward,
                      double seconds, int lanes, bool json) {
  int64_t batch = values.lengths.size(),
          length = values.dout.size() / channels / batch;
  auto view = [&](std::vector<float> &data, std::vector<int64_t> shape) {
    return TensorView{data.data(), ElementType::F32, std::move(shape)};
  };
  std::vector<int64_t> rows = {batch, length, channels},
                       split = {batch, length, heads, headSize};
  TensorView qkv = view(values.qkv, {batch, length, 3 * channels});
  TensorView lengths = {values.lengths.data(), ElementType::I64, {batch}};
  TensorView out = view(values.out, rows);
  TensorView lse = view(values.lse, {batch, heads, length});
  std::vector<TensorView> inputs = {qkv, lengths}, outputs = {out, lse};
  if (backward) {
    inputs = {view(values.dout, rows), qkv, lengths, out, lse};
    outputs = {view(values.dq, split), view(values.dk, split),
               view(values.dv, split)};
  }
  const char *entry = backward ? "backward" : "main";
  Status failed = session.run(entry, inputs, outputs);
  if (!failed)
    return failed;
  double flops = (backward ? 10.0 : 4.0) * batch * length * length * channels;
  bench::Ratio result = bench::measureRatio(flops, lanes, seconds, [&] {
    failed = session.run(entry, inputs, outputs);
  });
  std::printf(
      json ? "{\"suite\":\"attention\",\"pass\":\"%s\",\"batch\":%ld,"
             "\"length\":%ld,\"ratio\":%.4f,\"quartiles\":[%.4f,%.4f],"
             "\"best\":%.4f,\"gflops\":%.2f}\n"
           : "%-8s batch %4ld length %5ld   %.3f  (%.3f .. %.3f)  best %.3f"
             "  %8.1f GF/s\n",
      backward ? "backward" : "forward", batch, length, result.ratio,
      result.low, result.high, result.best, result.rate / 1e9);
  return failed;
}

int main(int argc, char **argv) {
  std::string path;
  std::vector<int64_t> lengths = {30, 128, 512, 2048};
  int64_t batch = 1;
  double seconds = 1;
  bool json = false;
  CLI::App program(
      "Times attention and its gradient on one core, as ratios to its peak");
  program.add_option("model", path, "attention.mlir, compiled")->required();
  program.add_option("--lengths", lengths, "Tokens of the sentence")
      ->delimiter(',')
      ->capture_default_str();
  program.add_option("--batch", batch, "Sentences of that length")
      ->check(CLI::PositiveNumber)
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
    for (int64_t length : lengths) {
      Values values(batch, length);
      for (bool backward : {false, true})
        if (status)
          status = measure(session, values, backward, seconds, lanes, json);
    }
  }
  if (!status)
    std::fprintf(stderr, "error: %s\n", status.toString().c_str());
  return status ? 0 : 1;
}
