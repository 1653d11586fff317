//===- RunCommandTest.cpp - dragoman run and inspect ----------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a hand-written artifact of one entry over the runtime's test kernels:
//   main(a f32[B,4], b f32[B,4]) -> total f32[B,4]      total = a + b
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/Artifact.h"
#include "runtime/artifact/KernelAbi.h"
#include "runtime/artifact/Npy.h"
#include "runtime/device/cpu/CpuFeatures.h"
#include "test/e2e/Process.h"
#include "test/runtime/TestFiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace dragoman;
using namespace dragoman::test;
using testing::HasSubstr;

namespace {

void writeSumArtifact(const std::string &path) {
  DimExpr b = DimExpr::dim("B"), bytes = b * 16;
  Manifest manifest;
  manifest.producer = "test";
  manifest.entries = {"main"};
  manifest.peak["main"] = 0;
  manifest.code = {{"x86-64-v3", cpuCodeMember("x86-64-v3"),
                    findCpuLevel("x86-64-v3")->features, kernelAbiVersion}};
  manifest.kernels = {{"test_add", "elementwise", "", {"n"}, 0}};
  EntryTable entry;
  entry.name = "main";
  entry.dims = {"B"};
  entry.inputs = {{"a", ElementType::F32, {b, 4}},
                  {"b", ElementType::F32, {b, 4}}};
  entry.outputs = {{"total", ElementType::F32, {b, 4}}};
  entry.slots = {{SlotSpace::Input, 0, 0, bytes},
                 {SlotSpace::Input, 1, 0, bytes},
                 {SlotSpace::Output, 0, 0, bytes}};
  entry.commands = {{CommandKind::Dispatch,
                     0,
                     {0, 1, 2},
                     {b * 4},
                     DimExpr::ceilDiv(b * 4, 16),
                     0,
                     "the sum"}};
  ArtifactWriter writer(manifest);
  ASSERT_TRUE(
      writer.addMember(commandsMember("main"), serializeEntry(entry)).isOk());
  ASSERT_TRUE(
      writer
          .addMember(cpuCodeMember("x86-64-v3"), bytesOf(DRAGOMAN_TEST_KERNELS))
          .isOk());
  Status status = writer.finish(path);
  ASSERT_TRUE(status.isOk()) << status.toString();
}

class RunCommand : public testing::Test {
protected:
  void SetUp() override {
    if (!CpuFeatures::host()
             .missing(findCpuLevel("x86-64-v3")->features)
             .empty())
      GTEST_SKIP() << "needs x86-64-v3";
    writeSumArtifact(folder / "sum.dgm");
    options.folder = folder.path;
  }

  ProcessResult run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"run", "sum.dgm"});
    return dragomanProgram(arguments, options);
  }

  TemporaryFolder folder;
  ProcessOptions options;
};

TEST_F(RunCommand, PrintsTheResult) {
  ProcessResult result =
      run({"--input", "a=2x4xf32=1,2,3,4,5,6,7,8", "--input", "b=2x4xf32=10"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "total: 2x4xf32 = 11 12 13 14 15 16 17 18\n");
}

TEST_F(RunCommand, ReadsAndWritesArrays) {
  float values[4] = {1, 2, 3, 4};
  ASSERT_TRUE(
      writeNpy(folder / "a.npy", ElementType::F32, {1, 4}, values).isOk());
  ProcessResult result = run({"--input", "a=@a.npy", "--input", "b=@a.npy",
                              "--output", "total=@t.npy"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  Result<NpyArray> total = readNpy(folder / "t.npy");
  ASSERT_TRUE(total.isOk());
  EXPECT_EQ(total->data<float>()[3], 8);

  result = run({"--input", "a=@a.npy", "--input", "b=@a.npy", "--expected",
                "total=1x4xf32=2,4,6,8"});
  EXPECT_EQ(result.code, 0) << result.err;
  result = run({"--input", "a=@a.npy", "--input", "b=@a.npy", "--expected",
                "total=1x4xf32=2,4,6.5,8"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err,
              HasSubstr("total: 1 of 4 elements differ, the most at [0,2]: "
                        "expected 6.5, found 6"));
}

TEST_F(RunCommand, RandomInputsDependOnTheSeedOnly) {
  auto with = [&](const std::string &seed) {
    return run({"--input", "a=1x4xf32=random:" + seed, "--input",
                "b=1x4xf32=0"})
        .out;
  };
  EXPECT_EQ(with("1"), with("1"));
  EXPECT_NE(with("1"), with("2"));
}

// Each refusal shows what was expected against what was given.
TEST_F(RunCommand, WrongInputsAreRefused) {
  struct Case {
    std::vector<std::string> arguments;
    const char *text;
  };
  const std::string good = "b=2x4xf32=1";
  const Case cases[] = {
      {{"--input", good}, "expected a f32[B,4], found none"},
      {{"--input", good, "--input", "c=2x4xf32=1"},
       "expected one of a f32[B,4], b f32[B,4], found c"},
      {{"--input", good, "--input", good}, "b is given twice"},
      {{"--input", good, "--input", "a=2x4xi64=1"},
       "expected f32[B,4], found i64[2,4]"},
      {{"--input", good, "--input", "a=8xf32=1"},
       "expected f32[B,4], found f32[8]"},
      {{"--input", good, "--input", "a=2x5xf32=1"}, "4"},
      {{"--input", good, "--input", "a=3x4xf32=1"}, "3"},
      {{"--input", good, "--input", "a=2x4xf32=1,2"},
       "expected 8 elements or one, found 2"},
      {{"--input", good, "--input", "a=random:1"},
       "expected SHAPE=random:SEED"},
      {{"--input", good, "--input", "a=@none.npy"}, "none.npy"},
      {{"--entry", "encode"}, "--entry: expected one of main, found encode"},
      {{"--input", "a"}, "expected NAME=VALUE, found 'a'"},
  };
  for (const Case &wrong : cases) {
    ProcessResult result = run(wrong.arguments);
    EXPECT_NE(result.code, 0);
    EXPECT_LE(result.code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(linesOf(result.err).size(), 1u);
    EXPECT_THAT(result.err, HasSubstr(wrong.text));
  }
}

TEST_F(RunCommand, InspectShowsEveryTable) {
  ProcessResult result = dragomanProgram({"inspect", "sum.dgm"}, options);
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char *text : {"sum.dgm: module",
                           "entry main(a f32[B,4], b f32[B,4]) -> "
                           "(total f32[B,4])",
                           "dispatch test_add tiles", "(a, b, total)",
                           "the sum", "x86-64-v3", "peak memory"})
    EXPECT_THAT(result.out, HasSubstr(text));

  result = dragomanProgram({"inspect", "sum.dgm", "--json"}, options);
  nlohmann::json report = nlohmann::json::parse(result.out);
  EXPECT_EQ(report["entries"][0]["commands"][0]["kernel"], "test_add");
  EXPECT_EQ(report["kernels"][0]["uses"], 1);
}

TEST_F(RunCommand, AnotherModelIsNoTranslator) {
  ProcessResult result = dragomanProgram({"translate", "sum.dgm"}, options);
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("expected a translator with the entries "
                                    "encode, prepare, decode and select"));
}

} // namespace
