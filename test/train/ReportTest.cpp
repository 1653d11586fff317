//===- ReportTest.cpp - A run on one page ---------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Report.h"
#include "runtime/train/Chart.h"
#include "test/runtime/TestFiles.h"

#include <cmath>
#include <gmock/gmock.h>

using namespace dragoman;
using namespace dragoman::test;
using testing::HasSubstr;

TEST(Chart, Ticks) {
  EXPECT_THAT(chartTicks(0, 10, 5), testing::ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(chartTicks(13, 87, 5), testing::ElementsAre(20, 40, 60, 80));
  EXPECT_THAT(chartTicks(0.001, 0.0029, 4),
              testing::Pointwise(testing::DoubleNear(1e-9),
                                 {0.001, 0.0015, 0.002, 0.0025}));
}

TEST(Chart, Labels) {
  EXPECT_EQ(chartLabel(0.0007), "0.0007");
  EXPECT_EQ(chartLabel(12000), "12k");
  EXPECT_EQ(chartLabel(2.5e6), "2.5M");
}

TEST(Chart, LinesAreWhereTheyBelong) {
  std::string svg = chartSvg("t", {{"a", {{0, 0}, {10, 10}}}});
  EXPECT_THAT(svg, HasSubstr("d=\"M56.0 226.0L628.0 30.0\""));
  EXPECT_EQ(chartSvg("t", {{"a", {{0, NAN}}}, {"b", {}}}), "");
  // A score that is the same but for rounding.
  svg = chartSvg("t", {{"a", {{1, 100}, {2, std::nextafter(100.0, 101.0)}}}});
  EXPECT_THAT(svg, HasSubstr(">100</text>"));
  EXPECT_LE(chartTicks(100, std::nextafter(100.0, 101.0), 5).size(), 7u);
}

TEST(Report, ShowsTheRun) {
  TemporaryFolder folder;
  writeBytes(
      folder / "train.jsonl",
      R"({"type":"train","update":10,"nll":5.5,"loss":6,"lr":0.001,"labels":900}
{"type":"valid","update":10,"nll":5,"bleu":1.25,"bleu_signature":"BLEU|x","chrf2":9,"samples":[{"source":"a <b>","reference":"r","hypothesis":"early"}]}
{"type":"train","update":20,"nll":2.5,"loss":3,"lr":0.0005,"labels":1900}
{"type":"valid","update":20,"nll":2,"bleu":33.5,"bleu_signature":"BLEU|x","chrf2":50,"samples":[{"source":"a <b>","reference":"r","hypothesis":"late"}]}
{"cut)");
  writeBytes(folder / "speed.jsonl",
             "{\"update\":10,\"src_tok_s\":5000,\"tgt_tok_s\":6000}\n");
  ReportExtras extras;
  extras.title = "Run & test";
  extras.config = "model:\n";
  extras.alignments = {{{"a", "b"}, {"x"}, {0.25f, 0.75f}}};
  Result<std::string> html = makeReport(folder.path, extras);
  ASSERT_TRUE(html.isOk()) << html.status().toString();
  for (const char *text :
       {"<h1>Run &amp; test</h1>", "a &lt;b&gt;", "early", "late", "33.50",
        "2.000", "7.39", "1,900", "BLEU|x", "<h2>Alignments</h2>",
        "rgba(var(--heat),0.75)", "Tokens per second", "model:"})
    EXPECT_THAT(*html, HasSubstr(text));
  // Nothing is fetched from elsewhere.
  EXPECT_EQ(html->find("http"), std::string::npos);
  EXPECT_EQ(html->find("<script"), std::string::npos);
  ASSERT_TRUE(writeReport(folder.path, extras).isOk());
  EXPECT_EQ(bytesOf(folder / "report.html"), *html);
}

TEST(Report, NothingToShow) {
  TemporaryFolder folder;
  EXPECT_EQ(makeReport(folder.path, {}).status().toString(),
            folder / "train.jsonl" + ": expected the records of a run");
}
