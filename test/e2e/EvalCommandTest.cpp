//===- EvalCommandTest.cpp - dragoman eval --------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/e2e/Process.h"
#include "test/runtime/TestFiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace dragoman::test;
using testing::HasSubstr;

namespace {

struct EvalCommand : testing::Test {
  TemporaryFolder folder;

  EvalCommand() {
    writeBytes(folder / "a", "the cat sat on the mat\nhello , world\n");
    writeBytes(folder / "b", "a cat sat on the mat\nhello world\n");
  }
  ProcessResult eval(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "eval");
    ProcessOptions options;
    options.folder = folder.path;
    options.input = "the cat sat on the mat\nHello, world\n";
    return dragomanProgram(arguments, options);
  }
};

// The numbers are sacreBLEU 2.6's.
TEST_F(EvalCommand, ScoresWithSignatures) {
  ProcessResult result = eval({"--ref", "a", "--metric", "bleu,chrf,exact"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(
      linesOf(result.out),
      testing::ElementsAre(
          "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:dragoman-"
          "0.1.0 = 88.36 88.9/85.7/80.0/100.0 (BP = 1.000 ratio = 1.000 "
          "hyp_len = 9 ref_len = 9)",
          testing::StartsWith("chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|"
                              "space:no|version:dragoman-0.1.0 = 95."),
          "exact|nrefs:1|case:mixed|version:dragoman-0.1.0 = 50.00"));
}

TEST_F(EvalCommand, TwoReferencesIgnoringCase) {
  ProcessResult result =
      eval({"--ref", "a,b", "--lc", "--tok", "none", "--metric", "bleu"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out,
              HasSubstr("BLEU|nrefs:2|case:lc|eff:no|tok:none|smooth:exp|"));
}

TEST_F(EvalCommand, IntervalsAndJson) {
  ProcessResult result = eval({"--ref", "a", "--bootstrap", "50", "--format",
                               "json", "--metric", "bleu"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\"interval\": "));
  EXPECT_THAT(result.out, HasSubstr("\"score\": 88.35"));
}

TEST_F(EvalCommand, Sentences) {
  ProcessResult result = eval({"--ref", "a", "--sentences"});
  EXPECT_EQ(linesOf(result.out)[0], "100.00\t100.00");
  EXPECT_EQ(linesOf(result.out).size(), 2u);
}

TEST_F(EvalCommand, Refusals) {
  writeBytes(folder / "short", "one line\n");
  ProcessResult result = eval({"--ref", "short"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err, "error: expected as many translations as references "
                        "(1), found 2\n");
  EXPECT_EQ(result.out, "");
  result = eval({"--ref", "a", "--tok", "14"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err,
            "error: --tok: expected 13a, none, zh or char, found '14'\n");
  result = eval({"--ref", "missing"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("missing"));
}

} // namespace
