//===- LineHandlingTest.cpp - One line out for each line in ---------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bad and strange input through the whole program, on the hand-written
// translator that repeats its input: what comes out is known.
//
//===----------------------------------------------------------------------===//

#include "test/e2e/Process.h"
#include "test/runtime/TestFiles.h"
#include "test/runtime/api/EchoArtifact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace dragoman;
using namespace dragoman::test;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

const std::string &echoArtifact() {
  static const std::string path =
      testing_support::writeEchoArtifact("line-handling.dgm");
  return path;
}

ProcessResult translate(const std::string &input,
                        std::vector<std::string> options = {}) {
  options.insert(options.begin(), {"translate", echoArtifact()});
  ProcessOptions process;
  process.input = input;
  return dragomanProgram(options, process);
}

TEST(LineHandling, EveryLineHasItsAnswer) {
  ProcessResult result = translate("a man\n\nA dog runs.\n");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "a man\n\nA dog runs.\n");
  EXPECT_EQ(result.err, "");
}

TEST(LineHandling, ALongLineIsCutWithOneWarningOrRefused) {
  std::string longLine;
  for (int i = 0; i < 3000; ++i)
    longLine += "b ";
  std::string input = "a\n\n   \n" + longLine + "\nc\n";
  for (const char *rows : {"2", "64"}) {
    ProcessResult result = translate(input, {"--batch-rows", rows});
    EXPECT_EQ(result.code, 0);
    std::vector<std::string> lines = linesOf(result.out);
    ASSERT_EQ(lines.size(), 5u);
    EXPECT_THAT(lines, ElementsAre("a", "", "", StartsWith("b b b "), "c"));
    EXPECT_THAT(linesOf(result.err),
                ElementsAre(StartsWith("warning: line 4: 3001 tokens, model "
                                       "limit 64; cut")));
  }
  ProcessResult refused = translate(input, {"--on-long", "fail"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_EQ(refused.out, "a\n\n\n\nc\n");
  EXPECT_EQ(refused.err, "error: line 4: 3001 tokens, model limit 64\n");
  EXPECT_EQ(translate(input, {"--strict", "-q"}).code, 3);
}

TEST(LineHandling, BlanksOfEveryKindAreNotRun) {
  ProcessResult result =
      translate("\n  \n\t\n\xE3\x80\x80\n\xE2\x80\x8D\n", {"--stats"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "\n\n\n\n\n");
  EXPECT_THAT(result.err, HasSubstr("5 lines (5 blank"));
  EXPECT_THAT(result.err, HasSubstr("0 source"));
}

TEST(LineHandling, InvalidUtf8IsRepairedOrRefused) {
  std::string input = "a \x80 b\na \xC0\xAF b\na \xED\xA0\x80 b\na\nb \xF0\x9F";
  ProcessResult result = translate(input);
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(linesOf(result.out).size(), 5u);
  std::vector<std::string> warnings = linesOf(result.err);
  ASSERT_EQ(warnings.size(), 4u) << result.err;
  EXPECT_THAT(warnings[0], HasSubstr("line 1: 1 byte is not valid UTF-8"));
  EXPECT_THAT(warnings[1], HasSubstr("line 2: 2 bytes are not valid UTF-8"));
  EXPECT_THAT(warnings[3], HasSubstr("line 5: "));
  result = translate(input, {"--strict-utf8"});
  EXPECT_EQ(result.code, 3);
  std::vector<std::string> lines = linesOf(result.out);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0], "");
  EXPECT_NE(lines[3], "");
}

TEST(LineHandling, ControlCharactersAreData) {
  std::string input = std::string("a man") + '\0' + "runs\n\x01\x02 dog\x7F\n";
  ProcessResult result = translate(input);
  EXPECT_EQ(result.code, 0);
  std::vector<std::string> lines = linesOf(result.out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], "a man runs");
}

TEST(LineHandling, LinesEndAtLineFeedOnly) {
  std::string plain = "a man\na dog\n";
  EXPECT_EQ(translate("\xEF\xBB\xBF"
                      "a man\r\na dog\r\n")
                .out,
            plain);
  EXPECT_EQ(translate("a man\na dog").out, plain);
  for (const char *separator : {"\r", "\xE2\x80\xA8", "\xC2\x85", "\v", "\f"})
    EXPECT_EQ(
        linesOf(translate("a man" + std::string(separator) + "a dog\n").out)
            .size(),
        1u);
}

TEST(LineHandling, OneHugeWordAndManyLines) {
  ProcessResult result = translate(std::string(1 << 20, 'x') + "\na\n");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(linesOf(result.out).size(), 2u);
  EXPECT_THAT(result.err, HasSubstr("line 1"));
  std::string blanks(100000, '\n');
  EXPECT_EQ(translate(blanks).out, blanks);
}

TEST(LineHandling, UnknownScriptsAndControlLookalikes) {
  std::string marks = "e";
  for (int i = 0; i < 500; ++i)
    marks += "\xCC\x81";
  std::vector<std::string> inputs = {
      "\xF0\x92\x80\x80\xF0\x92\x80\x81",
      "\xE0\xBD\x96\xE0\xBD\xBC\xE0\xBD\x91",
      "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7 a dog",
      marks,
      "\xE2\x80\x8F a man",
      "</s>",
      "<pad>",
      ">>xx<<",
      "@@",
      "a ||| b"};
  std::string input;
  for (const std::string &line : inputs)
    input += line + "\n";
  ProcessResult result = translate(input, {"--format", "json"});
  EXPECT_EQ(result.code, 0);
  std::vector<std::string> lines = linesOf(result.out);
  ASSERT_EQ(lines.size(), inputs.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    json line = json::parse(lines[i]); // parses only valid UTF-8
    for (const json &hypothesis : line["hyps"])
      for (const json &id : hypothesis["ids"]) {
        EXPECT_GE(id.get<int>(), 0);
        EXPECT_LT(id.get<int>(), 3999);
      }
  }
  EXPECT_EQ(json::parse(lines[9])["source"], "a ||| b");
}

TEST(LineHandling, OptionsOutOfRange) {
  struct Case {
    std::vector<std::string> options;
    const char *text;
  };
  const Case cases[] = {
      {{"--beam", "0"}, "--beam: expected 1 to 64, found 0"},
      {{"--n-best", "5"}, "--n-best: expected 1 to 2 (the beam), found 5"},
      {{"--max-length", "0"}, "--max-length: expected 2 to 65"},
      {{"--length-penalty", "nan"},
       "--length-penalty: expected a finite number, found nan"},
      {{"--repetition-penalty", "-1"}, "--repetition-penalty: expected a"},
      {{"--cpu", "x86-64-v9"}, "x86-64-v9"},
  };
  for (const Case &wrong : cases) {
    ProcessResult result = translate("a\n", wrong.options);
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(linesOf(result.err).size(), 1u) << result.err;
    EXPECT_THAT(result.err, HasSubstr(wrong.text));
  }
}

TEST(LineHandling, AClosedPipeEndsQuietly) {
  std::string command =
      std::string(DRAGOMAN_BINARY_DIR) + "/bin/dragoman translate " +
      echoArtifact() + " --window 1 -i " +
      sourcePath("models/multi30k-en-de/reference/test_2016_flickr.en") +
      " | head -1 > /dev/null";
  ProcessResult result =
      runProcess("bash", {"-c", command + "; echo ${PIPESTATUS[0]}"});
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(result.out == "141\n" || result.out == "0\n") << result.out;
}

/// Runs a shell script in which $DRAGOMAN is the translating command.
ProcessResult shell(const std::string &script) {
  ProcessOptions process;
  process.environment = {"DRAGOMAN=" + std::string(DRAGOMAN_BINARY_DIR) +
                         "/bin/dragoman translate " + echoArtifact()};
  return runProcess("bash", {"-c", script}, process);
}

// Both signals end a program that waits for input, quietly.
TEST(LineHandling, AnInterruptEndsTheWaitForInput) {
  for (const char *signal : {"INT", "TERM"}) {
    // Once it has answered a line, it catches signals.
    ProcessResult result =
        shell("coproc $DRAGOMAN --max-wait-ms 5; p=$COPROC_PID\n"
              "echo 'a man' >&${COPROC[1]}; read -t 20 line <&${COPROC[0]}\n"
              "kill -" +
              std::string(signal) + " $p; wait $p; echo $?");
    EXPECT_EQ(result.out, "130\n") << signal;
    EXPECT_EQ(result.err, "") << signal;
  }
}

// A line is answered when the input idles, not at its end.
TEST(LineHandling, AnIdlingInputGetsItsAnswers) {
  ProcessResult result =
      shell("coproc $DRAGOMAN --max-wait-ms 5\n"
            "echo 'a man' >&${COPROC[1]}; read -t 20 line <&${COPROC[0]}\n"
            "echo \"got $line\"");
  EXPECT_EQ(result.out, "got a man\n");
}

TEST(LineHandling, AFullDiskIsAnError) {
  ProcessResult result = shell("echo 'a man' | $DRAGOMAN > /dev/full; echo $? "
                               ">&2");
  EXPECT_EQ(result.err,
            "error: standard output: cannot write: no space left on device\n"
            "1\n");
  EXPECT_EQ(shell("echo 'a man' | $DRAGOMAN -o /dev/null").code, 0);
}

} // namespace
