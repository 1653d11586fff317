//===- HubExportTest.cpp - A model of the DSL as a folder, and back -------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/export/HubExport.h"

#include "compiler/emit/TrainingImage.h"
#include "compiler/interpret/Interpreter.h"
#include "compiler/pipeline/Pipeline.h"
#include "dialects/plan/Parameters.h"
#include "frontends/dsl/ModelFile.h"
#include "frontends/onnx/hub/HubImport.h"
#include "runtime/artifact/TrainingWeights.h"
#include "test/runtime/TestFiles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

using namespace dragoman;
using namespace dragoman::test;
using interpret::Element;
using interpret::StateMap;
using interpret::Tensor;

namespace {

constexpr int64_t vocabulary = 40;

std::string description(const std::string &norm, const std::string &tie) {
  return nlohmann::json{{"type", "transformer"},
                        {"vocab", vocabulary},
                        {"d_model", 16},
                        {"heads", 2},
                        {"ffn", 24},
                        {"encoder_layers", 2},
                        {"decoder_layers", 2},
                        {"max_positions", 40},
                        {"activation", norm == "pre" ? "gelu" : "swish"},
                        {"norm", norm},
                        {"position", norm == "pre" ? "learned" : "sinusoid"},
                        {"tie_embeddings", tie},
                        {"start", 39},
                        {"end", 0},
                        {"pad", 39},
                        {"training", nlohmann::json::object()}}
      .dump();
}

/// An artifact of a described model without entries, as far as export reads it.
Status writeArtifact(const std::string &text, mlir::ModuleOp module,
                     const std::string &path) {
  std::vector<ParameterDesc> parameters = listParameters(module);
  Manifest manifest;
  manifest.training.emplace();
  manifest.training->parameters = parameters;
  WeightDesc flat;
  flat.name = parametersWeight;
  flat.shape = {manifest.training->elements()};
  manifest.weights = {flat};
  TextDesc files;
  files.sourceModel = files.targetModel = "text/source.spm";
  files.sourceVocab = files.targetVocab = "text/vocab.json";
  manifest.text = files;
  ArtifactWriter writer(manifest);
  DRAGOMAN_RETURN_IF_ERROR(writer.addMember(onnx::descriptionMember, text));
  DRAGOMAN_RETURN_IF_ERROR(writer.addMember("text/source.spm", "pieces"));
  DRAGOMAN_RETURN_IF_ERROR(writer.addMember("text/vocab.json", "{}"));
  WeightWriter weights(module, "");
  writer.setWeightSource([&](size_t, const ArtifactWriter::Sink &sink) {
    return writeParameters(module, parameters, weights, sink);
  });
  return writer.finish(path);
}

template <typename T>
Tensor integers(Element element, std::vector<int64_t> shape,
                const std::vector<T> &values) {
  Tensor tensor(element, std::move(shape));
  std::copy(values.begin(), values.end(), tensor.mutableIntegers());
  return tensor;
}

double difference(const Tensor &x, const Tensor &y) {
  EXPECT_EQ(x.elements(), y.elements());
  double largest = 0;
  for (int64_t i = 0; i < x.elements(); ++i)
    largest = std::max(largest, std::abs(x.floats()[i] - y.floats()[i]));
  return largest;
}

class HubExportTest
    : public testing::TestWithParam<std::pair<const char *, const char *>> {};

} // namespace

// The exported graphs, imported again, compute what the model computes: the
// encoder over padded rows, a prefix, and a step behind it.
TEST_P(HubExportTest, ReadsBackWithEqualOutputs) {
  std::string text = description(GetParam().first, GetParam().second);
  Result<dsl::ModelFile> file = dsl::parseModelFile(text);
  ASSERT_TRUE(file) << file.status().toString();
  mlir::MLIRContext context;
  auto module = dsl::makeModel(context, *file);
  TemporaryFolder folder;
  Status written = writeArtifact(text, *module, folder / "model.dgm");
  ASSERT_TRUE(written) << written.toString();
  Result<std::unique_ptr<Artifact>> artifact =
      Artifact::open(folder / "model.dgm");
  ASSERT_TRUE(artifact) << artifact.status().toString();
  std::string hub = folder / "hub";
  Status exported =
      onnx::exportHubFolder(**artifact, *initialParameters(**artifact), hub);
  ASSERT_TRUE(exported) << exported.toString();

  auto imported = onnx::importHubFolder(hub, context);
  ASSERT_TRUE(succeeded(imported));
  PipelineOptions options;
  options.stopAfter = Stage::Graph;
  ASSERT_TRUE(succeeded(runPipeline(*imported->module, options)));

  interpret::Options wide;
  wide.mode = interpret::Mode::Wide;
  interpret::Interpreter first(*module, wide);
  wide.modelFolder = hub;
  interpret::Interpreter second(*imported->module, wide);
  std::map<std::string, int64_t> dims = {
      {"Rows", 2}, {"Cap", 16}, {"SrcRows", 2}, {"SrcCap", 16}};
  Result<StateMap> firstStates = first.makeStates(dims),
                   secondStates = second.makeStates(dims);
  ASSERT_TRUE(firstStates && secondStates);
  auto both = [&](const std::string &entry, const std::vector<Tensor> &inputs) {
    Result<std::vector<Tensor>> x = first.run(entry, inputs, &*firstStates);
    Result<std::vector<Tensor>> y = second.run(entry, inputs, &*secondStates);
    EXPECT_TRUE(x) << x.status().toString();
    EXPECT_TRUE(y) << y.status().toString();
    if (x && y && !x->empty()) {
      // The stored constants are floats, those of the model doubles.
      EXPECT_LT(difference(x->front(), y->front()), 1e-5) << entry;
    }
    return x ? *x : std::vector<Tensor>();
  };
  std::vector<int64_t> lengths = {5, 3};
  Tensor ids = integers<int64_t>(Element::I64, {2, 5},
                                 {7, 8, 9, 10, 0, 20, 21, 0, 39, 39});
  Tensor length = integers(Element::I64, {2}, lengths);
  std::vector<Tensor> hidden = both("encode", {ids, length});
  ASSERT_EQ(hidden.size(), 1u);
  Tensor rowOf = integers<int64_t>(Element::I32, {2}, {0, 1});
  both("prepare", {hidden[0], rowOf});
  Tensor sourceRow = integers<int64_t>(Element::I32, {2, 1}, {0, 1});
  auto step = [&](int64_t at, int64_t size, std::vector<int64_t> target) {
    std::vector<int64_t> rows;
    for (int64_t row = 0; row < 2; ++row)
      rows.insert(rows.end(), at + size, row);
    both("decode",
         {integers(Element::I64, {2, size}, target),
          integers<int64_t>(Element::I64, {2}, {at, at}), rowOf,
          integers(Element::I32, {2, at + size}, rows), sourceRow, length});
  };
  step(0, 3, {39, 5, 6, 39, 11, 12});
  step(3, 1, {7, 13});
}

INSTANTIATE_TEST_SUITE_P(Models, HubExportTest,
                         testing::Values(std::pair("post", "all"),
                                         std::pair("pre", "target"),
                                         std::pair("post", "none")),
                         [](const auto &info) {
                           return std::string(info.param.first) + "_" +
                                  info.param.second;
                         });
