//===- TrainingWeightsTest.cpp - Parameters, recipes, export --------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/TrainingWeights.h"

#include "test/runtime/TestFiles.h"
#include "test/runtime/artifact/SampleArtifact.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

using namespace dragoman;
using namespace dragoman::test;

namespace {

constexpr int64_t total = 18 * 3 + 5;

/// The sample with a second entry that trains: parameters a [4,3], b [14,3] and
/// c [5]; weight `linear` [18,3] is a, b in panels and `bias` is c.
Manifest trainingManifest() {
  Manifest manifest = sampleManifest();
  manifest.entries = {"step", "main"};
  manifest.peak["step"] = DimExpr(64);
  manifest.kernels.insert(manifest.kernels.begin(),
                          {"k_step", "elementwise", "#plan.schedule<>", {}, 0});
  StateDesc state;
  state.tensor = {"moment1", ElementType::F32, {total}};
  state.layout = "rows";
  state.appendAxis = 0;
  manifest.states.insert(manifest.states.begin(), state);
  manifest.weights = {{"unused", ElementType::F32, {7}},
                      {"linear", ElementType::F32, {18, 3}, "panel16"},
                      {"bias", ElementType::F32, {5}},
                      {"table", ElementType::F32, {2}},
                      {parametersWeight, ElementType::F32, {total}}};
  TrainingDesc training;
  training.parameters = {
      {"a", {4, 3}, 0, true}, {"b", {14, 3}, 12, true}, {"c", {5}, 54, false}};
  training.states = {"moment1"};
  training.recipes = {{"linear", {"a", "b"}}, {"bias", {"c"}}};
  training.options = R"({"optimizer":"adam"})";
  manifest.training = training;
  return manifest;
}

std::vector<EntryTable> trainingEntries() {
  EntryTable step;
  step.name = "step";
  step.slots = {{SlotSpace::State, 0, 0, 4 * total},
                {SlotSpace::Weight, 0, 0, 28}};
  Command command;
  command.slots = {0, 1};
  command.tiles = 1;
  step.commands = {command};
  EntryTable main = sampleEntry();
  main.slots.push_back({SlotSpace::Weight, 2, 0, 20});
  main.slots.push_back({SlotSpace::Weight, 3, 0, 8});
  main.slots.push_back({SlotSpace::State, 1, 0, 64});
  main.commands[0].kernel = 1;
  return {step, main};
}

std::vector<float> ramp(size_t count, float start) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), start);
  return values;
}

std::string floatBytes(const std::vector<float> &values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(float)};
}

Status writeTraining(const std::string &path) {
  ArtifactWriter writer(trainingManifest());
  for (const EntryTable &entry : trainingEntries())
    DRAGOMAN_RETURN_IF_ERROR(
        writer.addMember(commandsMember(entry.name), serializeEntry(entry)));
  for (const char *file :
       {"text/source.spm", "text/target.spm", "text/vocab.json", irMember,
        "code/cpu/x86-64-v3.so"})
    DRAGOMAN_RETURN_IF_ERROR(writer.addMember(file, file));
  writer.setWeightSource(sourceOf(
      {floatBytes(ramp(7, 0)), floatBytes(ramp(96, 0)), floatBytes(ramp(5, 0)),
       floatBytes({3, 4}), floatBytes(ramp(total, 100))}));
  return writer.finish(path);
}

std::string refusal(const Manifest &manifest) {
  Status status = checkTraining(manifest);
  return status ? "accepted" : status.toString();
}

/// What is said about the training manifest after a change.
template <typename Change> std::string refusalWith(Change change) {
  Manifest manifest = trainingManifest();
  change(manifest, *manifest.training);
  return refusal(manifest);
}

} // namespace

TEST(TrainingWeights, TheSectionIsReadBack) {
  TemporaryFolder folder;
  const std::string path = folder / "training.dgm";
  Status written = writeTraining(path);
  ASSERT_TRUE(written) << written.toString();
  Result<std::unique_ptr<Artifact>> artifact = Artifact::open(path);
  ASSERT_TRUE(artifact) << artifact.status().toString();
  const TrainingDesc &training = *(*artifact)->manifest().training;
  EXPECT_EQ(training.elements(), total);
  EXPECT_EQ(training.parameter("b")->offset, 12);
  EXPECT_TRUE(training.parameter("b")->decay);
  EXPECT_EQ(training.recipe("linear")->parameters,
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(training.states, std::vector<std::string>{"moment1"});
  EXPECT_EQ(training.options, R"({"optimizer":"adam"})");
  Result<std::span<const float>> initial = initialParameters(**artifact);
  ASSERT_TRUE(initial) << initial.status().toString();
  ASSERT_EQ(initial->size(), static_cast<size_t>(total));
  EXPECT_EQ((*initial)[58], 158);
}

TEST(TrainingWeights, RowsAreConcatenatedAndPacked) {
  Manifest manifest = trainingManifest();
  std::vector<float> parameters = ramp(total, 100);
  std::string bytes;
  ASSERT_TRUE(rebuildWeight(manifest, 1, parameters, bytes));
  ASSERT_EQ(bytes.size(), 2u * 3 * 16 * 4);
  for (int64_t n = 0; n < 32; ++n)
    for (int64_t k = 0; k < 3; ++k) {
      float found;
      std::memcpy(&found, &bytes[4 * ((n / 16) * 48 + k * 16 + n % 16)], 4);
      EXPECT_EQ(found, n < 18 ? 100 + 3 * n + k : 0) << n << ", " << k;
    }
  ASSERT_TRUE(rebuildWeight(manifest, 2, parameters, bytes));
  EXPECT_EQ(bytes, floatBytes(ramp(5, 154)));
}

TEST(TrainingWeights, RebuildingRefusesOthers) {
  Manifest manifest = trainingManifest();
  std::string bytes;
  EXPECT_EQ(rebuildWeight(manifest, 3, ramp(total, 0), bytes).toString(),
            "weight 'table': expected a weight that follows from parameters");
  EXPECT_EQ(rebuildWeight(manifest, 1, ramp(7, 0), bytes).toString(),
            "expected 59 parameters, found 7");
}

TEST(TrainingWeights, ExportKeepsWhatInferenceUses) {
  TemporaryFolder folder;
  const std::string path = folder / "training.dgm";
  const std::string exported = folder / "exported.dgm";
  ASSERT_TRUE(writeTraining(path));
  Result<std::unique_ptr<Artifact>> from = Artifact::open(path);
  ASSERT_TRUE(from) << from.status().toString();
  ExportExtras extras;
  extras.settings = {{"num_beams", "5", "train.yaml"}, {"new", "1", "x"}};
  Status status = exportInference(**from, ramp(total, 1000), extras, exported);
  ASSERT_TRUE(status) << status.toString();

  Result<std::unique_ptr<Artifact>> to = Artifact::open(exported);
  ASSERT_TRUE(to) << to.status().toString();
  const Manifest &manifest = (*to)->manifest();
  EXPECT_FALSE(manifest.training);
  EXPECT_EQ(manifest.entries, std::vector<std::string>{"main"});
  ASSERT_EQ(manifest.kernels.size(), 1u);
  EXPECT_EQ(manifest.kernels[0].symbol, "k_linear_0");
  ASSERT_EQ(manifest.states.size(), 1u);
  EXPECT_EQ(manifest.states[0].tensor.name, "self_k.0");
  ASSERT_EQ(manifest.weights.size(), 3u);
  EXPECT_EQ(manifest.setting("num_beams")->value, "5");
  EXPECT_EQ(manifest.setting("new")->origin, "x");
  EXPECT_EQ((*to)->member(cpuCodeMember("x86-64-v3")).isOk(), true);

  Result<EntryTable> main = (*to)->entry("main");
  ASSERT_TRUE(main) << main.status().toString();
  EXPECT_EQ(main->commands[0].kernel, 0u);
  std::string bytes;
  ASSERT_TRUE(rebuildWeight((*from)->manifest(), 1, ramp(total, 1000), bytes));
  size_t linear = *manifest.weightIndex("linear");
  EXPECT_EQ(main->slots[1].index, linear);
  EXPECT_EQ(std::memcmp((*to)->weightData(linear), bytes.data(), bytes.size()),
            0);
  size_t table = *manifest.weightIndex("table");
  EXPECT_EQ(static_cast<const float *>((*to)->weightData(table))[1], 4);
}

TEST(TrainingWeights, InferenceArtifactsAreRefused) {
  TemporaryFolder folder;
  const std::string path = folder / "sample.dgm";
  ASSERT_TRUE(writeSample(path));
  Result<std::unique_ptr<Artifact>> artifact = Artifact::open(path);
  ASSERT_TRUE(artifact) << artifact.status().toString();
  EXPECT_EQ(exportInference(**artifact, {}, {}, path + "2").toString(),
            path + ": expected an artifact of a model to train, found one for "
                   "inference only");
}

TEST(TrainingWeights, TheSectionIsChecked) {
  EXPECT_EQ(refusal(trainingManifest()), "accepted");
  EXPECT_EQ(refusalWith([](Manifest &, TrainingDesc &training) {
              training.parameters[1].offset = 13;
            }),
            "training.parameters[1].offset: expected 12, found 13");
  EXPECT_EQ(refusalWith([](Manifest &, TrainingDesc &training) {
              training.parameters[1].name = "a";
            }),
            "training.parameters[1].name: expected each name once, found 'a'");
  EXPECT_EQ(refusalWith([](Manifest &, TrainingDesc &training) {
              training.parameters[2].shape = {0};
            }),
            "training.parameters[2].shape: expected extents >= 1 below 2^63 "
            "together, found 0");
  EXPECT_EQ(refusalWith([](Manifest &, TrainingDesc &training) {
              training.states = {"self_k.0"};
            }),
            "training.states[0]: expected an f32 state of 59 elements, found "
            "'self_k.0'");
  EXPECT_EQ(refusalWith([](Manifest &, TrainingDesc &training) {
              training.recipes[0].weight = "none";
            }),
            "training.recipes[0].weight: expected the name of an f32 weight, "
            "found 'none'");
  EXPECT_EQ(refusalWith([](Manifest &, TrainingDesc &training) {
              training.recipes[0].parameters = {"a"};
            }),
            "training.recipes[0].parameters: expected 18 rows, found 4");
  EXPECT_EQ(refusalWith([](Manifest &, TrainingDesc &training) {
              training.recipes[0].parameters = {"a", "c"};
            }),
            "training.recipes[0].parameters: expected rows of weight "
            "'linear', found 'c' of another shape");
  EXPECT_EQ(refusalWith([](Manifest &manifest, TrainingDesc &) {
              manifest.weights.pop_back();
            }),
            "training.parameters: expected an f32 weight 'parameters' of 59 "
            "elements, found none");
  EXPECT_EQ(refusalWith([](Manifest &, TrainingDesc &training) {
              training.options = "[]";
            }),
            "training.options: expected a JSON object, found '[]'");
}
