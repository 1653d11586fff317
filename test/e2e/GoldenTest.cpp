//===- GoldenTest.cpp - The bundled translator against its reference ------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/Npy.h"
#include "test/e2e/Bundled.h"
#include "test/e2e/NearTie.h"

#include <cmath>
#include <gtest/gtest.h>
#include <sstream>

using namespace dragoman;
using namespace dragoman::test;

namespace {

/// Ids of a reference line, without the start token.
std::vector<int32_t> idsOf(const std::string &line) {
  std::istringstream words(line);
  std::vector<int32_t> ids;
  for (int32_t id; words >> id;)
    ids.push_back(id);
  if (!ids.empty())
    ids.erase(ids.begin());
  return ids;
}

/// Fails unless the first step at which the reference's result was lost is a
/// tie but for rounding.
void expectNearTie(LoadedTranslator &translator, const nlohmann::json &settings,
                   const LineResult &found, const std::vector<int32_t> &wanted,
                   size_t line) {
  std::vector<std::string> notices;
  Result<GenerationSettings> resolved = translator.settings(settings, notices);
  ASSERT_TRUE(resolved.isOk());
  EditRules rules(*resolved, translator.model().limits());
  SourceIds source(found.sourceIds.begin(), found.sourceIds.end());
  Result<Difference> difference =
      explainDifference(translator.model(), rules, source, wanted);
  ASSERT_TRUE(difference.isOk()) << difference.status().toString();
  std::cout << "line " << line << ": at step " << difference->step << " "
            << difference->reason << ", by " << difference->gap << "\n";
  EXPECT_LE(std::fabs(difference->gap), 1e-4) << "line " << line;
}

class Golden : public testing::TestWithParam<std::string> {
protected:
  ThreadPool pool;
};

TEST_P(Golden, GreedyIdsEqualTheReference) {
  std::unique_ptr<LoadedTranslator> translator = loadBundled(&pool);
  ASSERT_TRUE(translator);
  std::vector<std::string> expected =
      referenceLines(GetParam() + ".greedy.ids");
  std::vector<std::string> texts = referenceLines(GetParam() + ".greedy.de");
  JobOptions greedy;
  greedy.settings = {{"num_beams", 1}};
  std::vector<LineResult> results =
      translateLines(*translator, referenceLines(GetParam() + ".en"), greedy);
  ASSERT_EQ(results.size(), expected.size());
  for (size_t i = 0; i < results.size(); ++i) {
    ASSERT_FALSE(results[i].hypotheses.empty()) << "line " << i + 1;
    std::vector<int32_t> wanted = idsOf(expected[i]);
    if (results[i].hypotheses[0].ids != wanted) {
      expectNearTie(*translator, greedy.settings, results[i], wanted, i + 1);
      continue;
    }
    EXPECT_EQ(results[i].texts[0], texts[i]) << "line " << i + 1;
  }
}

TEST_P(Golden, BeamIdsAndScoresEqualTheReference) {
  std::unique_ptr<LoadedTranslator> translator = loadBundled(&pool);
  ASSERT_TRUE(translator);
  std::vector<std::string> expected = referenceLines(GetParam() + ".beam4.ids");
  std::vector<std::string> scores =
      referenceLines(GetParam() + ".beam4.scores");
  std::vector<LineResult> results =
      translateLines(*translator, referenceLines(GetParam() + ".en"));
  ASSERT_EQ(results.size(), expected.size());
  size_t equal = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    ASSERT_FALSE(results[i].hypotheses.empty()) << "line " << i + 1;
    const Hypothesis &best = results[i].hypotheses[0];
    if (best.ids != idsOf(expected[i])) {
      expectNearTie(*translator, nlohmann::json::object(), results[i],
                    idsOf(expected[i]), i + 1);
      continue;
    }
    ++equal;
    EXPECT_NEAR(best.score, std::stod(scores[i]), 1e-4) << "line " << i + 1;
  }
  EXPECT_GE(equal, results.size() * 995 / 1000);
}

INSTANTIATE_TEST_SUITE_P(Sets, Golden,
                         testing::Values("test_2016_flickr",
                                         "test_2017_flickr"),
                         [](const auto &info) { return info.param; });

NpyArray referenceArray(const std::string &name) {
  Result<NpyArray> array = readNpy(referencePath("first16." + name + ".npy"));
  EXPECT_TRUE(array.isOk()) << array.status().toString();
  return array ? *array : NpyArray();
}

/// Largest difference over the rows that `real` says are no padding.
double largestDifference(const float *found, const float *expected,
                         int64_t rows, int64_t width,
                         const std::function<bool(int64_t)> &real) {
  double largest = 0;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t i = 0; real(r) && i < width; ++i)
      largest = std::max(largest, std::fabs(double(found[r * width + i]) -
                                            double(expected[r * width + i])));
  return largest;
}

// The first 16 lines as one padded batch: encoder output and first logits.
TEST(GoldenArrays, EncoderOutputAndFirstLogits) {
  std::unique_ptr<LoadedTranslator> translator = loadBundled();
  ASSERT_TRUE(translator);
  Session &session = translator->model().session();
  NpyArray ids = referenceArray("input_ids");
  NpyArray mask = referenceArray("attention_mask");
  NpyArray hidden = referenceArray("encoder_last_hidden_state");
  NpyArray logits = referenceArray("first_step_logits");
  int64_t b = ids.shape[0], s = ids.shape[1], c = hidden.shape[2];
  int64_t v = logits.shape[2];
  std::vector<int64_t> lengths(size_t(b), 0);
  for (int64_t i = 0; i < b * s; ++i)
    lengths[size_t(i / s)] += mask.data<int64_t>()[i];

  ASSERT_TRUE(
      session
          .reserve({{"Rows", b}, {"Cap", 16}, {"SrcRows", b}, {"SrcCap", 48}})
          .isOk());
  std::vector<float> encoded(size_t(b * s * c));
  TensorView encodedView{encoded.data(), ElementType::F32, {b, s, c}};
  std::vector<TensorView> inputs = {
      {ids.bytes.data(), ElementType::I64, {b, s}},
      {lengths.data(), ElementType::I64, {b}}};
  Status status = session.run("encode", inputs, std::span(&encodedView, 1));
  ASSERT_TRUE(status.isOk()) << status.toString();
  EXPECT_LE(largestDifference(encoded.data(), hidden.data<float>(), b * s, c,
                              [&](int64_t row) {
                                return row % s < lengths[size_t(row / s)];
                              }),
            1e-5);

  std::vector<int32_t> rows(static_cast<size_t>(b));
  for (int64_t r = 0; r < b; ++r)
    rows[size_t(r)] = int32_t(r);
  inputs = {encodedView, {rows.data(), ElementType::I32, {b}}};
  status = session.run("prepare", inputs, {});
  ASSERT_TRUE(status.isOk()) << status.toString();
  std::vector<int64_t> start(size_t(b), 3999), position(size_t(b), 0);
  std::vector<int32_t> cells(size_t(b * 16));
  for (size_t i = 0; i < cells.size(); ++i)
    cells[i] = int32_t(i / 16);
  std::vector<float> found(size_t(b * v));
  TensorView foundView{found.data(), ElementType::F32, {b, 1, v}};
  inputs = {{start.data(), ElementType::I64, {b, 1}},
            {position.data(), ElementType::I64, {b}},
            {rows.data(), ElementType::I32, {b}},
            {cells.data(), ElementType::I32, {b, 16}},
            {rows.data(), ElementType::I32, {b, 1}},
            {lengths.data(), ElementType::I64, {b}}};
  status = session.run("decode", inputs, std::span(&foundView, 1));
  ASSERT_TRUE(status.isOk()) << status.toString();
  EXPECT_LE(largestDifference(found.data(), logits.data<float>(), b, v,
                              [](int64_t) { return true; }),
            1e-4);
}

} // namespace
