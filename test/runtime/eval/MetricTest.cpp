//===- MetricTest.cpp - Scores equal sacreBLEU's --------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/eval/Metric.h"
#include "test/runtime/TestFiles.h"

#include <nlohmann/json.hpp>

using namespace dragoman;
using namespace dragoman::test;
using nlohmann::json;

namespace {

using Lines = std::vector<std::string>;

std::unique_ptr<Metric> metric(const std::string &name,
                               const MetricOptions &options = {}) {
  Result<std::unique_ptr<Metric>> made = makeMetric(name, options);
  EXPECT_TRUE(made.isOk()) << made.status().toString();
  return std::move(*made);
}

json fixture() {
  return json::parse(bytesOf(sourcePath("test/data/eval/sacrebleu.json")));
}

TEST(Metric, CorporaAndSentences) {
  json data = fixture();
  Lines hypotheses = data["hypotheses"];
  std::vector<Lines> all = data["references"];
  for (const json &test : data["cases"]) {
    SCOPED_TRACE(test["signature"].get<std::string>());
    MetricOptions options;
    options.lowercase = test["lc"];
    if (test.contains("tok"))
      options.tokens = *parseMetricTokens(test["tok"].get<std::string>());
    size_t count = test["nrefs"];
    std::vector<Lines> references(all.begin(), all.begin() + count);
    auto corpus = metric(test["metric"], options);
    Result<CorpusScore> found = scoreCorpus(*corpus, hypotheses, references);
    ASSERT_TRUE(found.isOk()) << found.status().toString();
    EXPECT_NEAR(found->score, test["score"].get<double>(), 1e-9);
    std::string signature = test["signature"];
    EXPECT_EQ(corpus->signature(count, ""),
              signature.substr(0, signature.find("|version:")));
    options.effectiveOrder = true;
    auto single = metric(test["metric"], options);
    for (size_t i = 0; i < hypotheses.size(); ++i) {
      Lines lines;
      for (const Lines &reference : references)
        lines.push_back(reference[i]);
      EXPECT_NEAR(single->score(single->counts(hypotheses[i], lines)),
                  test["sentences"][i].get<double>(), 1e-9)
          << i << ": " << hypotheses[i];
    }
  }
}

TEST(Metric, ShortCorporaAreSmoothed) {
  json data = fixture();
  for (const json &test : data["short"]) {
    Lines hypotheses = test["hypotheses"];
    std::vector<Lines> references = test["references"];
    EXPECT_NEAR(scoreCorpus(*metric("bleu"), hypotheses, references)->score,
                test["score"].get<double>(), 1e-9)
        << hypotheses[0];
  }
}

TEST(Metric, Words) {
  auto words = [](std::string_view text, MetricTokens tokens) {
    std::string joined;
    for (const std::u32string &word : metricWords(toCodePoints(text), tokens)) {
      joined += joined.empty() ? "" : "|";
      for (char32_t c : word)
        joined += c < 128 ? std::string(1, char(c)) : "?";
    }
    return joined;
  };
  EXPECT_EQ(words("a,b 1,000.5 5-4 e.g.. ", MetricTokens::Mteval13a),
            "a|,|b|1,000.5|5|-|4|e|.|g|.|.");
  EXPECT_EQ(words("a,b c", MetricTokens::None), "a,b|c");
  EXPECT_EQ(words("ab c", MetricTokens::Character), "a|b|c");
  EXPECT_EQ(words("\xe6\x88\x91OK.", MetricTokens::Chinese), "?|OK|.");
}

TEST(Metric, ExactMatches) {
  Lines hypotheses = {"a", "B", "c"};
  std::vector<Lines> references = {{"a", "b", "x"}, {"y", "z", "c"}};
  EXPECT_NEAR(scoreCorpus(*metric("exact"), hypotheses, references)->score,
              200.0 / 3, 1e-9);
  EXPECT_EQ(
      scoreCorpus(*metric("exact", {.lowercase = true}), hypotheses, references)
          ->score,
      100);
}

TEST(Metric, IntervalsOfResamples) {
  json data = fixture();
  Lines hypotheses = data["hypotheses"];
  std::vector<Lines> references = {data["references"][0]};
  Result<CorpusScore> found =
      scoreCorpus(*metric("bleu"), hypotheses, references, 200);
  EXPECT_NEAR(found->mean, found->score, 3);
  EXPECT_GT(found->interval, 1);
  EXPECT_LT(found->interval, 15);
  EXPECT_EQ(found->mean,
            scoreCorpus(*metric("bleu"), hypotheses, references, 200)->mean);
}

TEST(Metric, Refusals) {
  Lines hypotheses = {"a", "b"};
  std::vector<Lines> references = {{"a"}};
  EXPECT_EQ(
      scoreCorpus(*metric("bleu"), hypotheses, references).status().message(),
      "expected as many translations as references (1), found 2");
  EXPECT_EQ(makeMetric("ter", {}).status().message(),
            "expected bleu, chrf or exact, found 'ter'");
  EXPECT_EQ(parseMetricTokens("14").status().message(),
            "expected 13a, none, zh or char, found '14'");
}

TEST(Metric, Details) {
  auto bleu = metric("bleu");
  Lines reference = {"a b c d e"};
  EXPECT_EQ(bleu->details(bleu->counts("a b c d", reference)),
            "100.0/100.0/100.0/100.0 (BP = 0.779 ratio = 0.800 hyp_len = 4 "
            "ref_len = 5)");
}

} // namespace
