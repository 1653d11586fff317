//===- Model.cpp - Whole entries against the core's peak ------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times the encoder and the decode step of a compiled translator on one core.
// Operations are those of the contractions: two per weight and row, and four
// per query, key and channel of attention. A figure is the median over samples
// of (rate / peak measured right before and after the sample); decode with one
// row is compared with the bandwidth of reading its weights once.
//
//===----------------------------------------------------------------------===//

#include "runtime/device/cpu/CpuFeatures.h"
#include "runtime/execute/Session.h"
#include "tools/benchmark/Measure.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>

using namespace dragoman;
using nlohmann::ordered_json;

namespace {

/// What to time; lengths are in tokens.
struct Options {
  std::string model;
  double seconds = 2;
  int64_t sentences = 32, length = 30;
  /// Tokens of one encode call: activations of a block stay in the second-level
  /// cache, as the translator's batches do.
  int64_t block = 240;
  int64_t position = 16;
  std::vector<int64_t> rows = {128, 1};
  bool json = false;
};

struct Figure {
  std::string name;
  double ratio, low, high, milliseconds;
  std::string unit;
};

/// Median, and the quartiles as spread.
Figure summarise(std::string name, std::vector<double> ratios,
                 std::vector<double> seconds, std::string unit) {
  std::sort(ratios.begin(), ratios.end());
  std::sort(seconds.begin(), seconds.end());
  size_t n = ratios.size();
  return {std::move(name),       ratios[n / 2],        ratios[n / 4],
          ratios[n - 1 - n / 4], seconds[n / 2] * 1e3, std::move(unit)};
}

class Bench {
public:
  Bench(std::shared_ptr<const Model> model, const Options &options)
      : model(std::move(model)), options(options), session(this->model) {
    lanes = CpuFeatures::host().has("avx512f") ? 16 : 8;
  }

  Status run() {
    int64_t most = *std::max_element(options.rows.begin(), options.rows.end());
    int64_t sentences = std::max(options.sentences, (most + 3) / 4);
    DRAGOMAN_RETURN_IF_ERROR(
        session.reserve({{"Rows", most},
                         {"Cap", align(options.position + 1)},
                         {"SrcRows", sentences},
                         {"SrcCap", align(options.length)}}));
    DRAGOMAN_RETURN_IF_ERROR(encoder());
    DRAGOMAN_RETURN_IF_ERROR(prepare(sentences));
    for (int64_t rows : options.rows)
      DRAGOMAN_RETURN_IF_ERROR(decode(rows));
    return Status::ok();
  }

  std::vector<Figure> figures;

private:
  static int64_t align(int64_t value) { return (value + 15) / 16 * 16; }

  /// Stored elements of the weights that an entry multiplies with.
  double weightElements(const EntryTable &entry) const {
    std::vector<bool> seen(model->manifest().weights.size());
    double elements = 0;
    for (const SlotDesc &slot : entry.slots) {
      if (slot.space != SlotSpace::Weight || seen[slot.index])
        continue;
      seen[slot.index] = true;
      const WeightDesc &weight = model->manifest().weights[slot.index];
      if (weight.layout == "panel16")
        elements += static_cast<double>(weight.bytes) / 4;
    }
    return elements;
  }

  /// Commands of one root in an entry.
  static int64_t commands(const EntryTable &entry, const std::string &root) {
    return std::count_if(
        entry.commands.begin(), entry.commands.end(),
        [&](const Command &command) { return command.name == root; });
  }

  /// Samples `work`; `units` per second over `peak` (also per second).
  template <typename Work, typename Peak>
  Figure sample(std::string name, double units, std::string unit, Work work,
                Peak peak) {
    std::vector<double> ratios, seconds;
    double start = bench::now(), before = peak();
    while (bench::now() - start < options.seconds || ratios.size() < 9) {
      double begin = bench::threadNow();
      work();
      double took = bench::threadNow() - begin;
      double after = peak();
      ratios.push_back(units / took / ((before + after) / 2));
      seconds.push_back(took);
      before = after;
    }
    return summarise(std::move(name), ratios, seconds, std::move(unit));
  }

  Status encoder() {
    const EntryTable &entry = *model->entry("encode");
    channels = *entry.outputs[0].shape[2].constant();
    int64_t perCall = std::max<int64_t>(1, options.block / options.length);
    std::vector<int64_t> ids(options.sentences * options.length);
    for (int64_t &id : ids)
      id = random() % 100;
    std::vector<int64_t> lengths(options.sentences, options.length);
    hidden.resize(ids.size() * channels);
    Status failed;
    auto work = [&] {
      for (int64_t first = 0; first < options.sentences && failed;
           first += perCall) {
        int64_t count = std::min(perCall, options.sentences - first);
        TensorView inputs[] = {{&ids[first * options.length],
                                ElementType::I64,
                                {count, options.length}},
                               {&lengths[first], ElementType::I64, {count}}};
        TensorView outputs[] = {{&hidden[first * options.length * channels],
                                 ElementType::F32,
                                 {count, options.length, channels}}};
        failed = session.run("encode", inputs, outputs);
      }
    };
    work();
    DRAGOMAN_RETURN_IF_ERROR(failed);
    double tokens = static_cast<double>(ids.size());
    double flops =
        2 * tokens * weightElements(entry) +
        4 * tokens * options.length * channels * commands(entry, "attention");
    figures.push_back(sample("encoder " + std::to_string(options.sentences) +
                                 " x " + std::to_string(options.length),
                             flops, "of the FMA peak", work,
                             [&] { return bench::peakFlops(lanes); }));
    return failed;
  }

  /// Fills the cross-attention caches.
  Status prepare(int64_t sentences) {
    hidden.resize(sentences * options.length * channels, 0.1f);
    std::vector<int32_t> rows(sentences);
    for (int64_t i = 0; i < sentences; ++i)
      rows[i] = i;
    TensorView inputs[] = {{hidden.data(),
                            ElementType::F32,
                            {sentences, options.length, channels}},
                           {rows.data(), ElementType::I32, {sentences}}};
    return session.run("prepare", inputs, {});
  }

  Status decode(int64_t rows) {
    const EntryTable &entry = *model->entry("decode");
    int64_t vocabulary = *entry.outputs[0].shape[2].constant();
    int64_t keys = options.position + 1;
    std::vector<int64_t> ids(rows, 5), position(rows, options.position),
        sourceLength(rows, options.length);
    std::vector<int32_t> cacheRow(rows), table(rows * keys), source(rows);
    for (int64_t row = 0; row < rows; ++row) {
      cacheRow[row] = row;
      source[row] = row / 4;
      std::fill_n(&table[row * keys], keys, row);
    }
    std::vector<float> logits(rows * vocabulary), values(rows * 128), lse(rows);
    std::vector<int32_t> best(rows * 128), editId(rows, vocabulary - 1),
        editKind(rows, 1);
    std::vector<float> editValue(rows, -INFINITY);
    int64_t count = 8, normalize = 3;
    Status failed;
    auto work = [&] {
      TensorView inputs[] = {{ids.data(), ElementType::I64, {rows, 1}},
                             {position.data(), ElementType::I64, {rows}},
                             {cacheRow.data(), ElementType::I32, {rows}},
                             {table.data(), ElementType::I32, {rows, keys}},
                             {source.data(), ElementType::I32, {rows, 1}},
                             {sourceLength.data(), ElementType::I64, {rows}}};
      TensorView outputs[] = {
          {logits.data(), ElementType::F32, {rows, 1, vocabulary}}};
      if (failed)
        failed = session.run("decode", inputs, outputs);
      TensorView choose[] = {
          {logits.data(), ElementType::F32, {rows, vocabulary}},
          {&count, ElementType::I64, {}},
          {&normalize, ElementType::I64, {}},
          {editId.data(), ElementType::I32, {rows, 1}},
          {editKind.data(), ElementType::I32, {rows, 1}},
          {editValue.data(), ElementType::F32, {rows, 1}}};
      TensorView chosen[] = {{values.data(), ElementType::F32, {rows, 128}},
                             {best.data(), ElementType::I32, {rows, 128}},
                             {lse.data(), ElementType::F32, {rows}}};
      if (failed)
        failed = session.run("select", choose, chosen);
    };
    work();
    DRAGOMAN_RETURN_IF_ERROR(failed);
    std::string name =
        "decode step " + std::to_string(rows) + (rows == 1 ? " row" : " rows");
    double weights = weightElements(entry);
    if (rows == 1) {
      // Reading as many bytes once, from a buffer that no cache holds either.
      std::vector<char> buffer(static_cast<size_t>(4 * weights) / 512 * 512, 1);
      figures.push_back(
          sample(name, 4 * weights, "of the read bandwidth", work, [&] {
            return bench::readBandwidth(buffer.data(), buffer.size(), lanes);
          }));
      return failed;
    }
    double attention = 4.0 * rows * channels * (keys + options.length) *
                       (commands(entry, "attention") / 2.0);
    figures.push_back(sample(name, 2 * rows * weights + attention,
                             "of the FMA peak", work,
                             [&] { return bench::peakFlops(lanes); }));
    return failed;
  }

  std::shared_ptr<const Model> model;
  const Options &options;
  Session session;
  std::mt19937 random{1};
  std::vector<float> hidden;
  int64_t channels = 0;
  int lanes = 16;
};
} // namespace

static void print(const std::vector<Figure> &figures, bool json) {
  if (json) {
    ordered_json list = ordered_json::array();
    for (const Figure &figure : figures)
      list.push_back({{"name", figure.name},
                      {"ratio", figure.ratio},
                      {"quartiles", {figure.low, figure.high}},
                      {"milliseconds", figure.milliseconds},
                      {"unit", figure.unit}});
    std::printf("%s\n", list.dump(2).c_str());
    return;
  }
  for (const Figure &figure : figures)
    std::printf("%-24s %6.3f %s (%.3f .. %.3f), %.2f ms\n", figure.name.c_str(),
                figure.ratio, figure.unit.c_str(), figure.low, figure.high,
                figure.milliseconds);
}

int main(int argc, char **argv) {
  Options options;
  CLI::App program("Times the encoder and decode steps of a compiled "
                   "translator on one core, as ratios to the core's peak");
  program.add_option("model", options.model, "The artifact")->required();
  program.add_option("--seconds", options.seconds, "Time for each figure")
      ->capture_default_str();
  program.add_option("--rows", options.rows, "Rows of the decode steps")
      ->delimiter(',')
      ->capture_default_str();
  program.add_option("--block", options.block, "Tokens of an encode call")
      ->capture_default_str();
  program.add_flag("--json", options.json, "Print JSON");
  CLI11_PARSE(program, argc, argv);
  Result<std::shared_ptr<const Model>> model = Model::load(options.model, {});
  Status status = model ? Status::ok() : model.status();
  if (status) {
    Bench bench(*model, options);
    status = bench.run();
    if (status)
      print(bench.figures, options.json);
  }
  if (!status)
    std::fprintf(stderr, "error: %s\n", status.toString().c_str());
  return status ? 0 : 1;
}
