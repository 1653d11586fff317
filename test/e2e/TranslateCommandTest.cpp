//===- TranslateCommandTest.cpp - dragoman translate on real input --------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/e2e/Bundled.h"
#include "test/e2e/Process.h"
#include "test/runtime/TestFiles.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace dragoman;
using namespace dragoman::test;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

ProcessResult translate(const std::string &input,
                        std::vector<std::string> options = {}) {
  options.insert(options.begin(), {"translate", bundledArtifact()});
  ProcessOptions process;
  process.input = input;
  return dragomanProgram(options, process);
}

const std::string manLine = "A man in an orange hat starring at something.";
const std::string manGerman =
    "Ein Mann mit einem orangefarbenen Hut starrt auf etwas.";

TEST(TranslateCommand, ResultsOnStandardOutputAndNothingElse) {
  ProcessResult result = translate(manLine + "\n");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, manGerman + "\n");
  EXPECT_EQ(result.err, "");
}

TEST(TranslateCommand, OutputForms) {
  std::string input = manLine + "\n";
  EXPECT_EQ(translate(input, {"--scores"}).out,
            "-0.169683 ||| " + manGerman + "\n");
  EXPECT_EQ(translate(input, {"--format", "ids"}).out,
            "9 18 15 7 5 545 317 2077 14 209 2 0\n");
  std::vector<std::string> best =
      linesOf(translate(input, {"--n-best", "3"}).out);
  ASSERT_EQ(best.size(), 3u);
  EXPECT_THAT(best[0], StartsWith("0 ||| " + manGerman + " ||| F0= -2.03"));
  ProcessResult result =
      translate(input, {"--format", "json", "--n-best", "2"});
  json line = json::parse(result.out);
  EXPECT_EQ(line["source"], manLine);
  ASSERT_EQ(line["hyps"].size(), 2u);
  EXPECT_EQ(line["hyps"][0]["text"], manGerman);
  EXPECT_EQ(line["hyps"][0]["finish"], "eos");
  EXPECT_NEAR(line["hyps"][0]["score"].get<double>(), -0.169683, 1e-4);
  EXPECT_GT(line["hyps"][0]["score"], line["hyps"][1]["score"]);
}

TEST(TranslateCommand, FilesInAndOut) {
  TemporaryFolder folder;
  writeBytes(folder / "ein gabe.en", manLine + "\n\n" + manLine + "\n");
  ProcessResult result = translate(
      "", {"-i", folder / "ein gabe.en", "-o", folder / "aus gäbe.de"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(bytesOf(folder / "aus gäbe.de"),
            manGerman + "\n\n" + manGerman + "\n");
  // A job that fails leaves no file.
  result = translate("", {"-i", folder / "none", "-o", folder / "new.de"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(folder.entries(), 2u);
}

// Blank lines of every kind get an empty line; a line far beyond the model's
// limit is cut with one warning; neighbours are as they are alone.
TEST(TranslateCommand, BlankAndLongLinesInTheirPlaces) {
  std::string longLine;
  for (int i = 0; i < 3000; ++i)
    longLine += "b ";
  std::string input = "a\n\n   \n" + longLine + "\nc\n";
  std::string a = translate("a\n").out, c = translate("c\n").out;
  for (const char *rows : {"4", "20"}) {
    ProcessResult result =
        translate(input, {"--max-length", "100", "--batch-rows", rows});
    EXPECT_EQ(result.code, 0);
    std::vector<std::string> lines = linesOf(result.out);
    ASSERT_EQ(lines.size(), 5u);
    EXPECT_EQ(lines[0] + "\n", a);
    EXPECT_EQ(lines[1], "");
    EXPECT_EQ(lines[2], "");
    EXPECT_EQ(lines[4] + "\n", c);
    EXPECT_THAT(linesOf(result.err),
                ElementsAre(StartsWith("warning: line 4: ")));
  }
  ProcessResult refused = translate(input, {"--on-long", "fail"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_EQ(linesOf(refused.out).size(), 5u);
  EXPECT_EQ(linesOf(refused.out)[3], "");
  EXPECT_THAT(refused.err, StartsWith("error: line 4: "));
  EXPECT_EQ(translate(input, {"--strict", "-q"}).code, 3);
}

TEST(TranslateCommand, AResultAtTheLimitIsMarked) {
  json line = json::parse(
      translate(manLine + "\n", {"--max-length", "4", "--format", "json"}).out);
  EXPECT_EQ(line["hyps"][0]["finish"], "length");
  EXPECT_EQ(line["hyps"][0]["ids"].size(), 3u);
  EXPECT_EQ(line["hyps"][0]["ids"][2], 0) << "the end is forced";
}

TEST(TranslateCommand, TheMemoryLimitChangesNoResult) {
  std::string input = bytesOf(referencePath("test_2016_flickr.en"));
  input.resize(input.find('\n', 4000) + 1);
  ProcessResult free = translate(input, {"--scores"});
  ProcessResult tight =
      translate(input, {"--scores", "--memory", "8MiB", "--threads", "1"});
  EXPECT_EQ(tight.code, 0) << tight.err;
  EXPECT_EQ(tight.out, free.out);
  ProcessResult refused = translate("a\n", {"--memory", "4KiB"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_EQ(refused.out, "\n");
  EXPECT_THAT(refused.err, HasSubstr("line 1: needs "));
}

TEST(TranslateCommand, LocaleAndFolderChangeNothing) {
  ProcessOptions options;
  options.input = manLine + "\n";
  options.folder = "/";
  for (const char *locale : {"C", "tr_TR.UTF-8", "de_DE.UTF-8"}) {
    options.environment = {std::string("LC_ALL=") + locale, "TZ=Asia/Tokyo"};
    ProcessResult result =
        dragomanProgram({"translate", bundledArtifact(), "--scores"}, options);
    EXPECT_EQ(result.out, "-0.169683 ||| " + manGerman + "\n") << locale;
  }
}

TEST(TranslateCommand, AFolderIsCompiledIntoTheCacheOnce) {
  TemporaryFolder folder;
  ProcessOptions options;
  options.input = manLine + "\n";
  options.environment = {"XDG_CACHE_HOME=" + (folder / "cache")};
  std::vector<std::string> arguments = {"translate",
                                        sourcePath("models/multi30k-en-de")};
  ProcessResult first = dragomanProgram(arguments, options);
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.out, manGerman + "\n");
  EXPECT_THAT(first.err, HasSubstr("note: compiling "));
  ProcessResult second = dragomanProgram(arguments, options);
  EXPECT_EQ(second.out, manGerman + "\n");
  EXPECT_EQ(second.err, "");
}

TEST(TranslateCommand, InspectShowsSettingsWithTheirOrigin) {
  ProcessResult result =
      dragomanProgram({"inspect", bundledArtifact(), "--json", "--verify",
                       "--memory", "32,30,30,4"});
  ASSERT_EQ(result.code, 0) << result.err;
  json report = json::parse(result.out);
  std::vector<std::string> entries;
  for (const json &entry : report["entries"])
    entries.push_back(entry["name"]);
  EXPECT_THAT(entries, testing::UnorderedElementsAre("encode", "prepare",
                                                     "decode", "select"));
  bool found = false;
  for (const json &setting : report["settings"])
    if (setting["name"] == "decoder_start_token_id") {
      found = true;
      EXPECT_EQ(setting["value"], "3999");
      EXPECT_EQ(setting["origin"], "generation_config.json");
    }
  EXPECT_TRUE(found);
  EXPECT_GT(report["memory"]["total_bytes"].get<int64_t>(), 0);
}

// Translating maps neither the compiler nor LLVM.
TEST(TranslateCommand, TheProgramNeedsNoCompiler) {
  ProcessResult result =
      runProcess("ldd", {std::string(DRAGOMAN_BINARY_DIR) + "/bin/dragoman"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, Not(HasSubstr("LLVM")));
  EXPECT_THAT(result.out, Not(HasSubstr("MLIR")));
  EXPECT_THAT(result.out, Not(HasSubstr("dragoman-compiler")));
}

} // namespace
