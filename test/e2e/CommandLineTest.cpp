//===- CommandLineTest.cpp - Usage, exit codes, messages ------------------===//
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
using testing::StartsWith;

namespace {

TEST(CommandLine, HelpAndVersionGoToStandardOutput) {
  for (std::vector<std::string> arguments : {std::vector<std::string>{"--help"},
                                             {"compile", "--help"},
                                             {"translate", "--help"},
                                             {"run", "--help"},
                                             {"inspect", "--help"},
                                             {"--version"}}) {
    ProcessResult result = dragomanProgram(arguments);
    EXPECT_EQ(result.code, 0) << arguments[0];
    EXPECT_THAT(result.out, HasSubstr("dragoman")) << arguments[0];
    EXPECT_EQ(result.err, "");
  }
}

struct Refusal {
  const char *name;
  std::vector<std::string> arguments;
  int code;
  const char *text;
};

void PrintTo(const Refusal &refusal, std::ostream *os) { *os << refusal.name; }

class Refused : public testing::TestWithParam<Refusal> {};

// One line on standard error, nothing on standard output.
TEST_P(Refused, InOneLine) {
  const Refusal &refusal = GetParam();
  TemporaryFolder folder;
  writeBytes(folder / "there.dgm", "old");
  ProcessOptions options;
  options.folder = folder.path;
  ProcessResult result = dragomanProgram(refusal.arguments, options);
  EXPECT_EQ(result.code, refusal.code);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(linesOf(result.err).size(), 1u) << result.err;
  EXPECT_THAT(result.err, StartsWith("error: "));
  EXPECT_THAT(result.err, HasSubstr(refusal.text));
  EXPECT_EQ(bytesOf(folder / "there.dgm"), "old");
  EXPECT_EQ(folder.entries(), 1u) << "nothing is left behind";
}

INSTANTIATE_TEST_SUITE_P(
    CommandLine, Refused,
    testing::Values(
        Refusal{"nothing", {}, 2, "subcommand is required"},
        Refusal{"unknown_command", {"transalte"}, 2, "transalte"},
        Refusal{"unknown_option",
                {"translate", "m.dgm", "--beams", "4"},
                2,
                "--beams"},
        Refusal{"no_model", {"translate"}, 2, "model is required"},
        Refusal{"threads",
                {"translate", "m.dgm", "--threads", "-1"},
                2,
                "--threads: Value -1 not in range 0 to 1024"},
        Refusal{"batch_tokens",
                {"translate", "m.dgm", "--batch-tokens", "0"},
                2,
                "--batch-tokens: Value 0 not in range 1 to"},
        Refusal{
            "beam_word", {"translate", "m.dgm", "--beam", "wide"}, 2, "--beam"},
        Refusal{
            "format", {"translate", "m.dgm", "--format", "xml"}, 2, "--format"},
        Refusal{"on_long",
                {"translate", "m.dgm", "--on-long", "keep"},
                2,
                "--on-long"},
        Refusal{"memory",
                {"translate", "m.dgm", "--memory", "lots"},
                2,
                "--memory: expected a size such as 512MiB, 2GiB or 4096, "
                "found 'lots'"},
        Refusal{"missing_model", {"translate", "m.dgm"}, 1, "m.dgm"},
        Refusal{"broken_model", {"translate", "there.dgm"}, 1, "there.dgm"},
        Refusal{"output_exists",
                {"compile", ".", "-o", "there.dgm"},
                2,
                "there.dgm: exists; pass --force to overwrite it"},
        Refusal{"compile_missing",
                {"compile", "no-such-folder"},
                1,
                "no-such-folder: no such file or folder"},
        Refusal{"compile_level",
                {"compile", ".", "--cpu", "x86-64-v9"},
                2,
                "--cpu: expected one of portable, native, x86-64-v3"},
        Refusal{"run_missing", {"run", "m.dgm"}, 1, "m.dgm"},
        Refusal{"run_tolerance", {"run", "m.dgm", "--rtol", "-1"}, 2, "--rtol"},
        Refusal{"inspect_missing", {"inspect", "m.dgm"}, 1, "m.dgm"},
        Refusal{"inspect_memory",
                {"inspect", "m.dgm", "--memory", "1,2"},
                2,
                "--memory"}),
    [](const testing::TestParamInfo<Refusal> &info) {
      return info.param.name;
    });

TEST(CommandLine, ColourOnlyWhenAskedFor) {
  ProcessOptions forced;
  forced.environment = {"CLICOLOR_FORCE=1"};
  EXPECT_THAT(dragomanProgram({"translate"}, forced).err,
              HasSubstr("\033[1;31merror: \033[0m"));
  forced.environment.push_back("NO_COLOR=1");
  EXPECT_THAT(dragomanProgram({"translate"}, forced).err,
              StartsWith("error: "));
}

} // namespace
