//===- BitContractTest.cpp - The same bits in any batch -------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line's ids and score bits do not depend on its neighbours, on the batch's
// sizes, on padding, on the number of threads or on the feature level.
//
//===----------------------------------------------------------------------===//

#include "test/e2e/Bundled.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace dragoman;
using namespace dragoman::test;

namespace {

constexpr int64_t beam = 4;

/// Batches of at most `sentences` sentences.
TranslatorOptions batchOf(int64_t sentences, int64_t extraPadding = 0) {
  TranslatorOptions options;
  options.batch.batchTokens = int64_t(1) << 20;
  options.batch.maxRows = sentences * beam;
  options.batch.extraPadding = extraPadding;
  return options;
}

std::vector<std::string> firstLines(size_t count) {
  std::vector<std::string> lines = referenceLines("test_2016_flickr.en");
  lines.resize(count);
  return lines;
}

void expectSame(const std::vector<LineResult> &found,
                const std::vector<LineResult> &expected,
                const std::string &what) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    expectSameResult(found[i], expected[i],
                     what + ", line " + std::to_string(i + 1));
}

JobOptions with(const TranslatorOptions &options) {
  JobOptions job;
  job.settings = {{"num_beams", beam}, {"num_return_sequences", beam}};
  job.translator = options;
  return job;
}

TEST(BitContract, BatchSizesAndPadding) {
  std::vector<std::string> lines = firstLines(300);
  std::unique_ptr<LoadedTranslator> translator = loadBundled();
  ASSERT_TRUE(translator);
  std::vector<LineResult> alone =
      translateLines(*translator, lines, with(batchOf(1)));
  for (int64_t sentences : {2, 7, 64})
    expectSame(translateLines(*translator, lines, with(batchOf(sentences))),
               alone, "batches of " + std::to_string(sentences));
  expectSame(translateLines(*translator, lines, with(batchOf(64, 200))), alone,
             "padded by 200");
}

TEST(BitContract, OrderOfTheLines) {
  std::vector<std::string> lines = firstLines(300);
  std::unique_ptr<LoadedTranslator> translator = loadBundled();
  ASSERT_TRUE(translator);
  std::vector<LineResult> expected =
      translateLines(*translator, lines, with(batchOf(64)));
  std::vector<size_t> order(lines.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  std::vector<std::string> shuffled;
  for (size_t i : order)
    shuffled.push_back(lines[i]);
  std::vector<LineResult> results =
      translateLines(*translator, shuffled, with(batchOf(64)));
  for (size_t i = 0; i < order.size(); ++i)
    expectSameResult(results[i], expected[order[i]],
                     "shuffled, line " + std::to_string(order[i] + 1));
}

TEST(BitContract, ThreadsAndFeatureLevels) {
  std::vector<std::string> lines = firstLines(300);
  std::vector<LineResult> expected;
  for (const std::string &level : usableLevels())
    for (int threads : {1, 2}) {
      ThreadPool pool(threads);
      std::unique_ptr<LoadedTranslator> translator = loadBundled(&pool, level);
      ASSERT_TRUE(translator);
      std::vector<LineResult> results =
          translateLines(*translator, lines, with(batchOf(64)));
      if (expected.empty())
        expected = std::move(results);
      else
        expectSame(results, expected,
                   level + ", " + std::to_string(threads) + " threads");
    }
}

// 40 sentences of 1 to 60 words: alone, in batches, shuffled by the order of
// their lengths, padded, on one and on two threads.
TEST(BitContract, FortySentencesOfEveryLength) {
  std::vector<std::string> words = {"a",   "man",  "is",    "walking", "with",
                                    "his", "dog",  "in",    "the",     "park",
                                    "and", "some", "green", "trees"};
  std::mt19937 random(34);
  std::vector<std::string> lines;
  for (size_t i = 0; i < 40; ++i) {
    size_t length = 1 + (i * 59) / 39;
    std::string line;
    for (size_t w = 0; w < length; ++w)
      line += (w ? " " : "") + words[random() % words.size()];
    lines.push_back(line);
  }
  ThreadPool two(2);
  std::unique_ptr<LoadedTranslator> single = loadBundled();
  std::unique_ptr<LoadedTranslator> threaded = loadBundled(&two);
  ASSERT_TRUE(single && threaded);
  std::vector<LineResult> alone =
      translateLines(*single, lines, with(batchOf(1)));
  for (LoadedTranslator *translator : {single.get(), threaded.get()})
    for (int64_t sentences : {2, 7, 40})
      for (int64_t padding : {0, 13, 200})
        expectSame(translateLines(*translator, lines,
                                  with(batchOf(sentences, padding))),
                   alone,
                   "batches of " + std::to_string(sentences) + ", padded by " +
                       std::to_string(padding));
}

/// Runs `decode` over tokens [begin, end) of one sentence; logits
/// [end-begin,V].
std::vector<float> decodeTokens(CompiledStepModel &model,
                                const std::vector<int64_t> &tokens,
                                int64_t begin, int64_t end,
                                int64_t sourceLength) {
  int64_t t = end - begin, v = model.limits().vocabulary;
  std::vector<int64_t> ids(tokens.begin() + begin, tokens.begin() + end);
  std::vector<int64_t> position = {begin}, length = {sourceLength};
  std::vector<int32_t> row = {0}, cells(32, 0);
  std::vector<float> logits(size_t(t * v));
  TensorView inputs[] = {{ids.data(), ElementType::I64, {1, t}},
                         {position.data(), ElementType::I64, {1}},
                         {row.data(), ElementType::I32, {1}},
                         {cells.data(), ElementType::I32, {1, 32}},
                         {row.data(), ElementType::I32, {1, 1}},
                         {length.data(), ElementType::I64, {1}}};
  TensorView output{logits.data(), ElementType::F32, {1, t, v}};
  Status status = model.session().run("decode", inputs, std::span(&output, 1));
  EXPECT_TRUE(status.isOk()) << status.toString();
  return logits;
}

// Token by token through the cache, in two parts, and in one pass.
TEST(BitContract, CachedStepsEqualOneFullPass) {
  std::unique_ptr<LoadedTranslator> translator = loadBundled();
  ASSERT_TRUE(translator);
  CompiledStepModel &model = translator->model();
  EncodeBatch source;
  source.sentences = 1;
  source.ids = {8, 20, 4, 28, 203, 109, 759, 29, 17, 45, 335, 2, 0};
  source.length = int64_t(source.ids.size());
  source.lengths = {source.length};
  source.sourceRows = {0};
  ASSERT_TRUE(model.reserve({1, 32, 1, 16}).isOk());
  ASSERT_TRUE(model.encode(source).isOk());
  std::vector<int64_t> tokens = {3999, 9,   18,   15, 7,   5,
                                 545,  317, 2077, 14, 209, 2};
  int64_t n = int64_t(tokens.size());
  std::vector<float> whole = decodeTokens(model, tokens, 0, n, source.length);
  std::vector<float> steps;
  for (int64_t i = 0; i < n; ++i) {
    std::vector<float> one =
        decodeTokens(model, tokens, i, i + 1, source.length);
    steps.insert(steps.end(), one.begin(), one.end());
  }
  ASSERT_EQ(steps.size(), whole.size());
  EXPECT_EQ(std::memcmp(steps.data(), whole.data(), whole.size() * 4), 0);
  std::vector<float> parts = decodeTokens(model, tokens, 0, 5, source.length);
  std::vector<float> rest = decodeTokens(model, tokens, 5, n, source.length);
  parts.insert(parts.end(), rest.begin(), rest.end());
  EXPECT_EQ(std::memcmp(parts.data(), whole.data(), whole.size() * 4), 0);
}

} // namespace
