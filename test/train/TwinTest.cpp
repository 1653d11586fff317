//===- TwinTest.cpp - Compiled training against PyTorch, and overfitted ---===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A described model through the whole compiler, trained by its own entries: the
// loss follows that of test/data/train/make_twin.py, and eight pairs that were
// learned by heart come back word for word from the exported translator.
//
//===----------------------------------------------------------------------===//

#include "compiler/emit/TrainingImage.h"
#include "compiler/interpret/Interpreter.h"
#include "compiler/pipeline/Pipeline.h"
#include "frontends/dsl/ModelFile.h"
#include "runtime/artifact/TrainingWeights.h"
#include "runtime/base/MappedFile.h"
#include "runtime/decode/BatchDecoder.h"
#include "runtime/decode/CompiledStepModel.h"
#include "runtime/train/CompiledTrainModel.h"
#include "test/runtime/TestFiles.h"
#include "tools/driver/Compile.h"
#include "tools/driver/Registration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

using namespace dragoman;
using namespace dragoman::test;
using nlohmann::json;

namespace {

json readJson(const std::string &name) {
  return json::parse(bytesOf(sourcePath("test/data/train/" + name)));
}

/// The artifact of a description, compiled once.
std::string compiled(const json &description) {
  static const TemporaryFolder folder;
  static std::map<std::string, std::string> known;
  std::string &path = known[description.dump()];
  if (!path.empty())
    return path;
  CompileJob job;
  std::string name = "model-" + std::to_string(known.size());
  job.input = folder / (name + ".json");
  job.output = path = folder / (name + ".dgm");
  job.levels = {"x86-64-v3"};
  writeBytes(job.input, description.dump());
  std::string errors;
  Status status =
      compileModel(job, [&](MessageLevel level, const std::string &text) {
        if (level == MessageLevel::Error)
          errors += text + "\n";
      });
  EXPECT_TRUE(status) << errors;
  return path;
}

std::unique_ptr<CompiledTrainModel> trainable(const std::string &path) {
  Result<std::shared_ptr<const Model>> model = Model::load(path);
  EXPECT_TRUE(model) << model.status().toString();
  if (!model)
    return nullptr;
  auto made = CompiledTrainModel::create(*model, {});
  EXPECT_TRUE(made) << made.status().toString();
  return made ? std::move(*made) : nullptr;
}

std::vector<int64_t> flat(const json &rows) {
  std::vector<int64_t> values;
  for (const json &row : rows)
    for (int64_t value : row)
      values.push_back(value);
  return values;
}

TrainBatch batchOf(const json &batch) {
  TrainBatch out;
  out.sourceIds = flat(batch["source_ids"]);
  out.targetIds = flat(batch["target_ids"]);
  out.labels = flat(batch["labels"]);
  out.sourceLengths = batch["source_length"].get<std::vector<int64_t>>();
  out.pairs = static_cast<int64_t>(out.sourceLengths.size());
  out.sourceLength = static_cast<int64_t>(out.sourceIds.size()) / out.pairs;
  out.targetLength = static_cast<int64_t>(out.targetIds.size()) / out.pairs;
  for (int64_t row = 0; row < out.pairs; ++row)
    out.rowKeys.push_back(row);
  for (int64_t label : out.labels)
    out.labelCount += label != ignoredLabel;
  return out;
}

void expectClose(double found, double expected, double tolerance,
                 const std::string &what) {
  EXPECT_NEAR(found, expected, tolerance * std::abs(expected)) << what;
}

class TwinTest
    : public testing::TestWithParam<std::pair<const char *, const char *>> {};

} // namespace

TEST_P(TwinTest, LossFollowsPyTorch) {
  json description = readJson(GetParam().first);
  json fixture = readJson(GetParam().second);
  auto model = trainable(compiled(description));
  ASSERT_TRUE(model);
  std::vector<TrainBatch> batches;
  for (const json &batch : fixture["batches"])
    batches.push_back(batchOf(batch));
  const json &twin = fixture["float64"];
  std::vector<int64_t> reported = fixture["reported"];
  const double tolerances[] = {1e-5, 1e-5, 1e-4, 1e-3};
  size_t next = 0;
  for (int64_t update = 0; next < reported.size(); ++update) {
    std::string what = "update " + std::to_string(update);
    if (update == reported[next]) {
      Result<LossSums> sums = model->loss(batches[0]);
      ASSERT_TRUE(sums) << sums.status().toString();
      double count = static_cast<double>(batches[0].labelCount);
      const json &expected = twin["curve"][next];
      expectClose(sums->loss / count, expected[0], tolerances[next], what);
      expectClose(sums->nll / count, expected[1], tolerances[next], what);
      ++next;
    }
    const TrainBatch &batch = batches[update % batches.size()];
    UpdateSettings settings;
    settings.learningRate = fixture["updates"]["lr"];
    settings.clip = fixture["updates"]["clip"];
    settings.step = update + 1;
    settings.inverseCount = 1.0f / static_cast<float>(batch.labelCount);
    Result<StepResult> step = model->step(batch, 1, settings);
    ASSERT_TRUE(step) << step.status().toString();
    if (update < 10) {
      // The golden curve: every one of the first ten steps.
      const json &expected = twin["steps"][update];
      double count = static_cast<double>(batch.labelCount);
      expectClose(step->sums.loss / count, expected[0], 1e-4, what);
      expectClose(step->sums.nll / count, expected[1], 1e-4, what);
      expectClose(step->gradientNorm, expected[2], 1e-3, what);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, TwinTest,
                         testing::Values(std::pair("model.json", "twin.json"),
                                         std::pair("tiny.json",
                                                   "tiny-twin.json")),
                         [](const auto &info) {
                           return std::string(info.index ? "Tiny" : "Small");
                         });

// Logits of unit variance, which tied embeddings start with, add one half to
// the logarithm of the vocabulary.
TEST(TrainedModel, FirstLossIsThatOfGuessing) {
  json description = readJson("model.json");
  description["vocab"] = 50000;
  description["d_model"] = description["ffn"] = 16;
  json fixture = readJson("twin.json");
  auto model = trainable(compiled(description));
  ASSERT_TRUE(model);
  double loss = 0, nll = 0, labels = 0;
  for (const json &batch : fixture["batches"]) {
    Result<LossSums> sums = model->loss(batchOf(batch));
    ASSERT_TRUE(sums) << sums.status().toString();
    loss += sums->loss;
    nll += sums->nll;
    labels += static_cast<double>(batchOf(batch).labelCount);
  }
  double guess = std::log(50000.0);
  EXPECT_NEAR(loss / labels, guess, 0.05 * guess);
  EXPECT_NEAR(nll / labels, guess, 0.05 * guess);
}

// The padding's embedding takes part in nothing, though it is also a row of the
// projection.
TEST(TrainedModel, ThePaddingRowStaysZero) {
  json description = readJson("model.json");
  json fixture = readJson("twin.json");
  auto model = trainable(compiled(description));
  ASSERT_TRUE(model);
  for (int64_t update = 0; update < 3; ++update) {
    TrainBatch batch = batchOf(fixture["batches"][update]);
    UpdateSettings settings{1e-2f, update + 1, 1e-2f, 0};
    ASSERT_TRUE(model->step(batch, 1, settings));
  }
  int64_t channels = description["d_model"], pad = description["pad"];
  for (const ParameterDesc &parameter : model->parameters()) {
    if (parameter.name != "shared.weight")
      continue;
    std::span<float> table =
        model->state(parametersState)
            .subspan(parameter.offset, parameter.elements());
    for (int64_t c = 0; c < channels; ++c) {
      EXPECT_EQ(table[pad * channels + c], 0);
      EXPECT_NE(table[(pad + 2) * channels + c], 0);
    }
  }
}

TEST(TrainedModel, PairsLearnedByHeartComeBack) {
  json description = readJson("model.json");
  description["label_smoothing"] = 0;
  description["training"]["weight_decay"] = 0;
  json fixture = readJson("twin.json");
  TemporaryFolder folder;
  std::string path = compiled(description);
  auto model = trainable(path);
  ASSERT_TRUE(model);
  TrainBatch batch = batchOf(fixture["overfit"]);
  ASSERT_EQ(batch.pairs, 8);
  UpdateSettings settings{3e-3f, 1, 1.0f / batch.labelCount, 1};
  for (; settings.step <= 300; ++settings.step)
    ASSERT_TRUE(model->step(batch, 1, settings));
  Result<LossSums> sums = model->loss(batch);
  ASSERT_TRUE(sums) << sums.status().toString();
  EXPECT_LT(sums->nll / batch.labelCount, 0.02);
  EXPECT_EQ(sums->correct, batch.labelCount);

  Result<std::unique_ptr<Artifact>> artifact = Artifact::open(path);
  ASSERT_TRUE(artifact) << artifact.status().toString();
  std::string exported = folder / "trained.dgm";
  Status status =
      exportInference(**artifact, model->state(parametersState), {}, exported);
  ASSERT_TRUE(status) << status.toString();
  Result<std::shared_ptr<const Model>> inference = Model::load(exported);
  ASSERT_TRUE(inference) << inference.status().toString();
  auto steps = CompiledStepModel::create(*inference, {});
  ASSERT_TRUE(steps) << steps.status().toString();

  GenerationSettings generation;
  generation.start.value = description["start"];
  generation.eos.value = {description["end"]};
  generation.pad.value = description["pad"];
  generation.maxNewTokens.value = 20;
  EditRules rules(generation, (*steps)->limits());
  BatchDecoder decoder(**steps, rules, {});
  std::vector<SourceIds> sentences;
  std::vector<std::vector<int32_t>> expected;
  for (int64_t row = 0; row < batch.pairs; ++row) {
    const int64_t *source = &batch.sourceIds[row * batch.sourceLength];
    sentences.emplace_back(source, source + batch.sourceLengths[row]);
    const int64_t *labels = &batch.labels[row * batch.targetLength];
    std::vector<int32_t> words;
    for (int64_t t = 0; t < batch.targetLength; ++t)
      if (labels[t] != ignoredLabel)
        words.push_back(static_cast<int32_t>(labels[t]));
    expected.push_back(words);
  }
  std::vector<std::vector<int32_t>> found(sentences.size());
  Status decoded =
      decoder.run(sentences, [&](size_t sentence, SearchResult result) {
        ASSERT_FALSE(result.hypotheses.empty()) << result.error;
        found[sentence] = result.hypotheses[0].ids;
      });
  ASSERT_TRUE(decoded) << decoded.toString();
  EXPECT_EQ(found, expected);
}

// What the runtime rebuilds from the initial parameters is what the compiler
// wrote.
TEST(TrainedModel, RebuiltWeightsAreTheCompilersOwn) {
  for (const char *name : {"model.json", "tiny.json"}) {
    std::string path = compiled(readJson(name));
    Result<std::unique_ptr<Artifact>> artifact = Artifact::open(path);
    ASSERT_TRUE(artifact) << artifact.status().toString();
    const Manifest &manifest = (*artifact)->manifest();
    ASSERT_TRUE(manifest.training);
    EXPECT_FALSE(manifest.training->recipes.empty());
    std::span<const float> parameters = *initialParameters(**artifact);
    for (const WeightRecipe &recipe : manifest.training->recipes) {
      size_t index = *manifest.weightIndex(recipe.weight);
      std::string bytes;
      ASSERT_TRUE(rebuildWeight(manifest, index, parameters, bytes));
      ASSERT_EQ(bytes.size(), manifest.weights[index].bytes);
      EXPECT_EQ(std::memcmp(bytes.data(), (*artifact)->weightData(index),
                            bytes.size()),
                0)
          << recipe.weight;
    }
  }
}

// The definition of the training entries, run op by op in double precision.
TEST(TrainedModel, TheReferenceFollowsPyTorch) {
  using interpret::Element;
  using interpret::Tensor;
  json description = readJson("tiny.json");
  json fixture = readJson("tiny-twin.json");
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.disableMultithreading();
  context.loadAllAvailableDialects();
  auto module =
      dsl::makeModel(context, *dsl::parseModelFile(description.dump()));
  std::vector<ParameterDesc> parameters = listParameters(*module);
  std::vector<float> initial;
  WeightWriter weights(*module, "");
  Status written = writeParameters(
      *module, parameters, weights, [&](const void *data, size_t bytes) {
        auto *first = static_cast<const float *>(data);
        initial.insert(initial.end(), first, first + bytes / 4);
        return Status::ok();
      });
  ASSERT_TRUE(written) << written.toString();
  PipelineOptions pipeline;
  pipeline.stopAfter = Stage::Autodiff;
  ASSERT_TRUE(succeeded(runPipeline(*module, pipeline)));
  interpret::Options options;
  options.mode = interpret::Mode::Wide;
  interpret::Interpreter reference(*module, options);
  Result<interpret::StateMap> states = reference.makeStates(
      {{"Rows", 1}, {"Cap", 16}, {"SrcRows", 1}, {"SrcCap", 16}});
  ASSERT_TRUE(states) << states.status().toString();
  std::copy(initial.begin(), initial.end(),
            states->at("parameters").mutableFloats());
  auto integers = [](std::vector<int64_t> shape,
                     const std::vector<int64_t> &values) {
    Tensor tensor(Element::I64, std::move(shape));
    std::copy(values.begin(), values.end(), tensor.mutableIntegers());
    return tensor;
  };
  auto number = [](double value) {
    Tensor tensor(Element::F32, {});
    *tensor.mutableFloats() = value;
    return tensor;
  };
  for (int64_t update = 0; update < 10; ++update) {
    TrainBatch batch =
        batchOf(fixture["batches"][update % fixture["batches"].size()]);
    int64_t b = batch.pairs, s = batch.sourceLength, t = batch.targetLength;
    double count = static_cast<double>(batch.labelCount);
    Result<std::vector<Tensor>> step = reference.run(
        "step",
        {integers({b, s}, batch.sourceIds), integers({b}, batch.sourceLengths),
         integers({b, t}, batch.targetIds), integers({b, t}, batch.labels),
         integers({b}, batch.rowKeys), integers({}, {1}),
         number(fixture["updates"]["lr"]), integers({}, {update + 1}),
         number(1 / count), number(fixture["updates"]["clip"])},
        &*states);
    ASSERT_TRUE(step) << step.status().toString();
    const json &expected = fixture["float64"]["steps"][update];
    std::string what = "update " + std::to_string(update);
    expectClose(*(*step)[0].floats() / count, expected[0], 1e-6, what);
    expectClose(*(*step)[1].floats() / count, expected[1], 1e-6, what);
    expectClose(*(*step)[3].floats(), expected[2], 1e-5, what);
  }
}
