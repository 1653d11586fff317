//===- TranslatorTest.cpp - One answer for each line ----------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/decode/Translator.h"
#include "runtime/decode/ResultWriter.h"
#include "test/runtime/decode/ToyModel.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

using namespace dragoman;
using namespace dragoman::test;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

const ModelLimits limits{11, 10, 64, 16};

/// Letters a..h are ids 1..8, a repaired '?' is 8; 'X' is outside the model.
class LetterCodec : public TextCodec {
public:
  Result<EncodedLine> encode(std::string_view line,
                             size_t maxIds) const override {
    EncodedLine encoded;
    for (char c : line)
      if (c != ' ')
        encoded.ids.push_back(c == 'X' ? 99 : c == '?' ? 8 : c - 'a' + 1);
    encoded.blank = encoded.ids.empty();
    if (!encoded.blank)
      encoded.ids.push_back(0);
    encoded.fullLength = encoded.ids.size();
    if (encoded.ids.size() > maxIds) {
      encoded.ids.resize(maxIds);
      encoded.ids.back() = 0;
    }
    return encoded;
  }
  std::string decode(std::span<const int64_t> ids) const override {
    std::string text;
    for (int64_t id : ids)
      if (id > 0 && id < 9)
        text += char('a' + id - 1);
    return text;
  }
};

/// Lines from memory; would block before line `idleAt` (from 0).
class MemorySource : public LineSource {
public:
  explicit MemorySource(std::vector<std::string> lines)
      : lines(std::move(lines)) {}
  Result<bool> next(LineReader::Line &line) override {
    if (at == lines.size())
      return false;
    line.text = lines[at++];
    line.number = int64_t(at);
    line.repaired = std::count(line.text.begin(), line.text.end(), '?');
    return true;
  }
  bool wouldBlock() override {
    if (at == idleAt && idlePolls > 0)
      return idlePolls-- > 0;
    return false;
  }

  size_t idleAt = SIZE_MAX;
  int idlePolls = 3;
  size_t at = 0;

private:
  std::vector<std::string> lines;
};

GenerationSettings settingsOf(int64_t beam, int64_t nBest = 1) {
  GenerationSettings settings;
  settings.beam.value = beam;
  settings.nBest.value = nBest;
  settings.start.value = 9;
  settings.pad.value = 9;
  settings.eos.value = {0};
  settings.badWords.value = {{9}};
  settings.renormalize.value = true;
  settings.maxLength.value = 12;
  return settings;
}

struct Job {
  GenerationSettings settings = settingsOf(2);
  TranslatorOptions options;
  std::vector<std::string> warnings;
  TranslatorStatistics statistics;

  std::vector<LineResult> run(MemorySource source) {
    EditRules rules(settings, limits);
    ToyModel model(limits, randomLogits(3));
    LetterCodec codec;
    options.waitMilliseconds = 0;
    Translator translator(model, codec, rules, options);
    translator.setWarn(
        [&](const std::string &text) { warnings.push_back(text); });
    std::vector<LineResult> results;
    Status status = translator.run(source, [&](LineResult result) {
      results.push_back(std::move(result));
      return Status::ok();
    });
    EXPECT_TRUE(status.isOk()) << status.toString();
    statistics = translator.statistics();
    return results;
  }
};

std::vector<std::string> textsOf(const std::vector<LineResult> &results) {
  std::vector<std::string> texts;
  for (const LineResult &result : results)
    texts.push_back(result.texts.empty() ? "" : result.texts[0]);
  return texts;
}

TEST(Translator, AnEmptyOrLongLineIsAnsweredInItsPlace) {
  std::string longLine;
  for (int i = 0; i < 3000; ++i)
    longLine += "b ";
  std::vector<std::string> lines = {"a", "", "   ", longLine, "c"};
  Job job;
  std::vector<LineResult> results = job.run(MemorySource(lines));
  ASSERT_EQ(results.size(), 5u);
  EXPECT_TRUE(results[1].blank);
  EXPECT_TRUE(results[2].blank);
  EXPECT_THAT(results[1].hypotheses, IsEmpty());
  EXPECT_EQ(results[3].sourceIds.size(), 16u);
  EXPECT_THAT(job.warnings,
              ElementsAre("line 4: 3001 tokens, model limit 16; cut "
                          "(--on-long=fail refuses such a line)"));
  EXPECT_EQ(job.statistics.blank, 2);
  EXPECT_EQ(job.statistics.cut, 1);
  for (size_t i : {size_t(0), size_t(4)}) {
    Job alone;
    std::vector<LineResult> single = alone.run(MemorySource({lines[i]}));
    EXPECT_EQ(textsOf(single)[0], textsOf(results)[i]);
    EXPECT_EQ(single[0].hypotheses[0].score, results[i].hypotheses[0].score);
  }
}

TEST(Translator, ALongLineCanBeRefusedInstead) {
  Job job;
  job.options.onLong = OnLong::Fail;
  std::vector<LineResult> results =
      job.run(MemorySource({"a", std::string(40, 'b'), "c"}));
  EXPECT_EQ(results[1].error, "41 tokens, model limit 16");
  EXPECT_EQ(results[0].error, "");
  EXPECT_THAT(job.warnings, IsEmpty());
  EXPECT_EQ(job.statistics.failed, 1);
}

TEST(Translator, InvalidBytesAreReplacedOrRefused) {
  // The source counts a '?' as a repaired byte.
  Job job;
  job.run(MemorySource({"a", "b?"}));
  EXPECT_THAT(job.warnings,
              ElementsAre("line 2: 1 byte is not valid UTF-8, replaced by "
                          "U+FFFD"));
  EXPECT_EQ(job.statistics.repairedLines, 1);

  Job strict;
  strict.options.strictUtf8 = true;
  std::vector<LineResult> results = strict.run(MemorySource({"a?b?", "b"}));
  EXPECT_EQ(results[0].error, "2 bytes are not valid UTF-8");
  EXPECT_EQ(results[1].error, "");
}

TEST(Translator, AnIdOutsideTheModelIsOneLinesError) {
  Job job;
  std::vector<LineResult> results = job.run(MemorySource({"a", "bX", "c"}));
  EXPECT_EQ(results[1].error, "token id 99 is outside the vocabulary of 11");
  EXPECT_EQ(results[0].error, "");
  EXPECT_EQ(results[2].error, "");
}

// The same lines in windows of any size, and whatever the order of their
// lengths, come out in input order with the same answers.
TEST(Translator, ResultsStandInInputOrder) {
  std::mt19937 random(11);
  std::vector<std::string> lines;
  for (int i = 0; i < 60; ++i) {
    std::string line;
    for (unsigned n = random() % 14; n > 0; --n)
      line += char('a' + random() % 8);
    lines.push_back(line);
  }
  Job whole;
  std::vector<LineResult> expected = whole.run(MemorySource(lines));
  for (int64_t window : {1, 7, 2000}) {
    Job job;
    job.options.windowLines = window;
    std::vector<LineResult> results = job.run(MemorySource(lines));
    ASSERT_EQ(results.size(), lines.size());
    for (size_t i = 0; i < lines.size(); ++i) {
      EXPECT_EQ(results[i].number, int64_t(i) + 1);
      EXPECT_EQ(results[i].source, lines[i]);
    }
    EXPECT_EQ(textsOf(results), textsOf(expected));
  }
}

// A source that idles gets what has been read so far translated.
TEST(Translator, AnIdleSourceIsFlushed) {
  EditRules rules(settingsOf(1), limits);
  ToyModel model(limits, randomLogits(3));
  LetterCodec codec;
  TranslatorOptions options;
  options.waitMilliseconds = 0;
  Translator translator(model, codec, rules, options);
  MemorySource source({"a", "b", "c"});
  source.idleAt = 2;
  std::vector<size_t> readWhenAnswered;
  Status status = translator.run(source, [&](LineResult) {
    readWhenAnswered.push_back(source.at);
    return Status::ok();
  });
  EXPECT_TRUE(status.isOk());
  EXPECT_THAT(readWhenAnswered, ElementsAre(2, 2, 3));
}

TEST(Translator, AWaitForInputCanBeCancelled) {
  EditRules rules(settingsOf(1), limits);
  ToyModel model(limits, randomLogits(3));
  LetterCodec codec;
  Translator translator(model, codec, rules, {});
  MemorySource source({"a"});
  source.idleAt = 0;
  source.idlePolls = 1 << 30;
  std::atomic<bool> cancel = true;
  Status status =
      translator.run(source, [](LineResult) { return Status::ok(); }, &cancel);
  EXPECT_EQ(status.code(), StatusCode::Cancelled);
}

TEST(Translator, AFailingSinkEndsTheJob) {
  EditRules rules(settingsOf(1), limits);
  ToyModel model(limits, randomLogits(3));
  LetterCodec codec;
  Translator translator(model, codec, rules, {});
  MemorySource source({"a", "b"});
  Status status = translator.run(source, [](LineResult) {
    return Status(StatusCode::InvalidData, "disk full");
  });
  EXPECT_EQ(status.message(), "disk full");
}

/// A result with two hypotheses.
LineResult twoHypotheses() {
  LineResult result;
  result.number = 3;
  result.source = "x";
  result.hypotheses = {{{4, 5, 0},
                        {-0.5f, -0.25f, -0.125f},
                        -0.875f,
                        -0.29166666f,
                        FinishReason::Eos},
                       {{4, 6}, {-1, -2}, -3.0f, -1.5f, FinishReason::Length}};
  result.texts = {"vier fünf", "vier"};
  return result;
}

std::string formatted(const LineResult &result, WriterOptions options) {
  GenerationSettings settings = settingsOf(2, 2);
  ResultWriter writer(options, settings, [](const std::vector<int64_t> &ids) {
    std::vector<std::string> pieces;
    for (int64_t id : ids)
      pieces.push_back("p" + std::to_string(id));
    return pieces;
  });
  return writer.format(result);
}

TEST(ResultWriter, LineForms) {
  LineResult result = twoHypotheses();
  EXPECT_EQ(formatted(result, {}), "vier fünf\n");
  EXPECT_EQ(formatted(result, {.scores = true}), "-0.291667 ||| vier fünf\n");
  EXPECT_EQ(formatted(result, {.format = ResultFormat::Pieces}), "p4 p5\n");
  EXPECT_EQ(formatted(result, {.format = ResultFormat::Ids}), "4 5 0\n");
  EXPECT_EQ(formatted(result, {.nBest = true}),
            "2 ||| vier fünf ||| F0= -0.875000 ||| -0.291667\n"
            "2 ||| vier ||| F0= -3.000000 ||| -1.500000\n");
  LineResult blank;
  blank.number = 1;
  EXPECT_EQ(formatted(blank, {.scores = true}), "\n");
  EXPECT_EQ(formatted(blank, {.nBest = true}),
            "0 |||  ||| F0= 0.000000 ||| 0.000000\n");
}

TEST(ResultWriter, JsonKeepsTheScoreBits) {
  LineResult result = twoHypotheses();
  result.source = "a ||| b\"";
  std::string line = formatted(result, {.format = ResultFormat::Json});
  ASSERT_EQ(line.back(), '\n');
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  nlohmann::json parsed = nlohmann::json::parse(line);
  EXPECT_EQ(parsed["id"], 2);
  EXPECT_EQ(parsed["source"], "a ||| b\"");
  ASSERT_EQ(parsed["hyps"].size(), 2u);
  EXPECT_EQ(float(parsed["hyps"][0]["score"].get<double>()), -0.29166666f);
  EXPECT_EQ(parsed["hyps"][0]["logprob"], -0.875);
  EXPECT_EQ(parsed["hyps"][0]["ids"], (std::vector<int>{4, 5, 0}));
  EXPECT_EQ(parsed["hyps"][0]["finish"], "eos");
  EXPECT_EQ(parsed["hyps"][1]["finish"], "length");
  LineResult failed;
  failed.number = 1;
  failed.error = "no";
  parsed =
      nlohmann::json::parse(formatted(failed, {.format = ResultFormat::Json}));
  EXPECT_EQ(parsed["error"], "no");
  EXPECT_EQ(parsed["hyps"][0]["finish"], "error");
}

} // namespace
