//===- ApiTranslatorTest.cpp - Translators of the C interface ---*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/api/ApiStatus.h"
#include "test/runtime/api/EchoArtifact.h"

#include <cmath>
#include <thread>

using namespace dragoman;
using namespace dragoman::testing_support;

namespace {

class ApiTranslator : public testing::Test {
protected:
  static void SetUpTestSuite() { path = writeEchoArtifact("echo.dgm"); }
  void SetUp() override { ok(dg_model_open(path.c_str(), nullptr, &model)); }
  void TearDown() override { dg_model_free(model); }

  dg_translator *open(const dg_translator_options *options = nullptr) {
    dg_translator *translator = nullptr;
    ok(dg_translator_new(model, options, &translator));
    return translator;
  }
  /// The best translation of each line.
  static std::vector<std::string>
  translate(dg_translator *translator, const std::vector<const char *> &lines) {
    dg_translations *answers = nullptr;
    ok(dg_translate(translator, lines.data(), lines.size(), nullptr, &answers));
    std::vector<std::string> texts;
    for (size_t i = 0; i < dg_translations_count(answers); ++i) {
      EXPECT_EQ(dg_translations_error(answers, i), nullptr);
      texts.push_back(dg_translations_text(answers, i));
    }
    dg_translations_free(answers);
    return texts;
  }

  static inline std::string path;
  dg_model *model = nullptr;
};

const std::vector<const char *> sentences = {
    "Two men are talking.", "A dog", "",
    "A man in a red shirt is standing in front of a house.", "A dog"};

const std::vector<std::string> echoes(sentences.begin(), sentences.end());

TEST_F(ApiTranslator, oneAnswerForEachLineInOrder) {
  dg_translator *translator = open();
  EXPECT_EQ(translate(translator, sentences), echoes);
  EXPECT_EQ(translate(translator, {}), std::vector<std::string>());
  EXPECT_EQ(translate(translator, {"A dog\nin front of\r\na house"}),
            std::vector<std::string>{"A dog in front of a house"});
  dg_translator_free(translator);
}

TEST_F(ApiTranslator, anyBeamPoolAndMemoryGivesTheSame) {
  dg_pool *pool = nullptr;
  ok(dg_pool_new(3, &pool));
  for (const char *settings : {"{\"num_beams\": 1}", "{\"num_beams\": 5}"}) {
    dg_translator_options options{sizeof(options), pool, 600000, settings, 0};
    dg_translator *translator = open(&options);
    EXPECT_EQ(translate(translator, sentences), echoes) << settings;
    dg_translator_free(translator);
  }
  dg_pool_free(pool);
}

TEST_F(ApiTranslator, hypothesesComeBestFirst) {
  dg_translator_options options{
      sizeof(options), nullptr, 0,
      "{\"num_beams\": 3, \"num_return_sequences\": 3}", 0};
  dg_translator *translator = open(&options);
  const char *line = "A dog";
  dg_translations *answers = nullptr;
  ok(dg_translate(translator, &line, 1, nullptr, &answers));
  ASSERT_EQ(dg_translations_hypotheses(answers, 0), 3u);
  EXPECT_STREQ(dg_translations_hypothesis_text(answers, 0, 0), "A dog");
  EXPECT_EQ(dg_translations_hypothesis_score(answers, 0, 0), 0);
  for (size_t h = 1; h < 3; ++h)
    EXPECT_LE(dg_translations_hypothesis_score(answers, 0, h),
              dg_translations_hypothesis_score(answers, 0, h - 1));
  EXPECT_LT(dg_translations_hypothesis_score(answers, 0, 1), 0);
  EXPECT_EQ(dg_translations_hypothesis_text(answers, 0, 3), nullptr);
  EXPECT_TRUE(std::isnan(dg_translations_hypothesis_score(answers, 1, 0)));
  EXPECT_STREQ(dg_translations_text(answers, 1), "");
  dg_translations_free(answers);
  dg_translator_free(translator);
}

TEST_F(ApiTranslator, longLinesAreCutWithAWarningOrFail) {
  std::string longLine = "A dog";
  for (int i = 0; i < 100; ++i)
    longLine += " and a dog";
  const char *lines[] = {"A dog", longLine.c_str(), "A man"};
  for (int failOnLong : {0, 1}) {
    dg_translator_options options{sizeof(options), nullptr, 0, nullptr,
                                  failOnLong};
    dg_translator *translator = open(&options);
    dg_translations *answers = nullptr;
    ok(dg_translate(translator, lines, 3, nullptr, &answers));
    ASSERT_EQ(dg_translations_count(answers), 3u);
    EXPECT_STREQ(dg_translations_text(answers, 0), "A dog");
    EXPECT_STREQ(dg_translations_text(answers, 2), "A man");
    std::string cut = dg_translations_text(answers, 1);
    if (failOnLong) {
      EXPECT_NE(dg_translations_error(answers, 1), nullptr);
      EXPECT_EQ(cut, "");
    } else {
      EXPECT_EQ(dg_translations_warnings(answers), 1u);
      EXPECT_NE(dg_translations_warning(answers, 0), nullptr);
      EXPECT_GT(cut.size(), 40u);
      EXPECT_EQ(longLine.substr(0, cut.size()), cut);
    }
    EXPECT_EQ(dg_translations_warning(answers, 1), nullptr);
    dg_translations_free(answers);
    dg_translator_free(translator);
  }
}

TEST_F(ApiTranslator, refusals) {
  dg_translator *translator = nullptr;
  dg_translator_options options{sizeof(options), nullptr, 0, "[4]", 0};
  EXPECT_EQ(failure(dg_translator_new(model, &options, &translator),
                    DG_INVALID_ARGUMENT),
            "settings: expected a JSON object, found '[4]'");
  options.settings = "{\"num_beams\": 0}";
  failure(dg_translator_new(model, &options, &translator), DG_INVALID_ARGUMENT);
  EXPECT_EQ(translator, nullptr);
  EXPECT_EQ(failure(dg_translator_new(nullptr, nullptr, &translator),
                    DG_INVALID_ARGUMENT),
            "expected 'model', found NULL");
  translator = open();
  const char *lines[] = {"A dog", nullptr};
  dg_translations *answers = nullptr;
  EXPECT_EQ(failure(dg_translate(translator, lines, 2, nullptr, &answers),
                    DG_INVALID_ARGUMENT),
            "expected 'line 2', found NULL");
  dg_cancel *cancel = nullptr;
  ok(dg_cancel_new(&cancel));
  dg_cancel_request(cancel);
  failure(dg_translate(translator, lines, 1, cancel, &answers), DG_CANCELLED);
  EXPECT_EQ(answers, nullptr);
  dg_cancel_free(cancel);
  EXPECT_EQ(translate(translator, {"A dog"}),
            std::vector<std::string>{"A dog"});
  dg_translator_free(translator);
}

TEST_F(ApiTranslator, translatorsOfOneModelWorkAtTheSameTime) {
  dg_pool *pool = nullptr;
  ok(dg_pool_new(2, &pool));
  std::vector<std::thread> threads;
  std::vector<int> right(3);
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      dg_translator_options options{sizeof(options), pool, 0, nullptr, 0};
      dg_translator *translator = open(&options);
      for (int round = 0; round < 3; ++round)
        right[t] += translate(translator, sentences) == echoes;
      dg_translator_free(translator);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, std::vector<int>(3, 3));
  dg_pool_free(pool);
}

} // namespace
