//===- CompileCommandTest.cpp - dragoman compile on real models -----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/Artifact.h"
#include "test/e2e/Bundled.h"
#include "test/e2e/Process.h"
#include "test/runtime/TestFiles.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace dragoman;
using namespace dragoman::test;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

const std::string line = "A man in an orange hat starring at something.\n";
const std::string german =
    "Ein Mann mit einem orangefarbenen Hut starrt auf etwas.\n";

std::string modelPath(const std::string &name = {}) {
  return sourcePath("models/multi30k-en-de/" + name);
}

ProcessResult translate(const std::string &artifact,
                        std::vector<std::string> options = {}) {
  options.insert(options.begin(), {"translate", artifact});
  ProcessOptions process;
  process.input = line;
  return dragomanProgram(options, process);
}

// One graph of the folder compiles alone and gives the reference's arrays.
TEST(CompileCommand, ASingleGraphRunsOnArrays) {
  TemporaryFolder folder;
  std::string artifact = folder / "encoder.dgm";
  ProcessResult result = dragomanProgram(
      {"compile", modelPath("encoder_model.onnx"), "-o", artifact, "-q"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  std::string ids = "input_ids=@" + referencePath("first16.input_ids.npy");
  std::string mask =
      "attention_mask=@" + referencePath("first16.attention_mask.npy");
  std::string expected = "last_hidden_state=@" +
                         referencePath("first16.encoder_last_hidden_state.npy");
  result = dragomanProgram({"run", artifact, "--input", ids, "--input", mask,
                            "--expected", expected, "--atol", "1e-5"});
  EXPECT_EQ(result.code, 0) << result.err;
  result = dragomanProgram({"run", artifact, "--input", ids});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("expected attention_mask i64["));
  result = dragomanProgram({"run", artifact, "--input", ids, "--input",
                            "attention_mask=16x5xi64=1"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("37"));
  EXPECT_EQ(linesOf(result.err).size(), 1u);
}

TEST(CompileCommand, TheSameModelGivesTheSameBytes) {
  TemporaryFolder folder;
  ProcessResult result = dragomanProgram(
      {"compile", modelPath(), "-o", folder / "again.dgm", "-q"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(bytesOf(folder / "again.dgm") == bytesOf(bundledArtifact()));
}

// An artifact holds what is needed to compile it again for another level.
TEST(CompileCommand, AnArtifactForOneLevel) {
  TemporaryFolder folder;
  std::string artifact = folder / "v3.dgm";
  ProcessResult result =
      dragomanProgram({"compile", bundledArtifact(), "-o", artifact, "--cpu",
                       "x86-64-v3", "-q"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(translate(artifact).out, german);
  result = translate(artifact, {"--cpu", "x86-64-v4"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err,
              HasSubstr("expected code for x86-64-v4, found x86-64-v3"));
}

TEST(CompileCommand, StagesCanBeLookedAt) {
  TemporaryFolder folder;
  ProcessResult result =
      dragomanProgram({"compile", modelPath(), "-o", folder / "graph.mlir",
                       "--stop-after", "graph", "-q"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(bytesOf(folder / "graph.mlir"), HasSubstr("xf.attention"));
  result = dragomanProgram({"compile", modelPath(), "-o", folder / "none.mlir",
                            "--stop-after", "grahp"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("--stop-after: expected one of"));
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(CompileCommand, AFolderWithoutDecoderIsRefused) {
  TemporaryFolder folder;
  for (const char *name :
       {"config.json", "generation_config.json", "source.spm", "target.spm",
        "vocab.json", "encoder_model.onnx"})
    std::filesystem::copy(modelPath(name), folder / name);
  ProcessResult result =
      dragomanProgram({"compile", folder.path, "-o", folder / "m.dgm"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("no decoder found"));
  EXPECT_FALSE(std::filesystem::exists(folder / "m.dgm"));
}

/// The bundled artifact with one byte of a member changed.
void writeDamaged(const std::string &path, const std::string &member,
                  size_t offset) {
  Result<std::unique_ptr<Artifact>> artifact =
      Artifact::open(bundledArtifact());
  ASSERT_TRUE(artifact.isOk());
  Result<std::string_view> part = (*artifact)->member(member);
  ASSERT_TRUE(part.isOk()) << part.status().toString();
  std::string bytes = bytesOf(bundledArtifact());
  size_t at = bytes.find(part->substr(0, 4096));
  ASSERT_NE(at, std::string::npos);
  bytes[at + offset] = char(bytes[at + offset] ^ 0x10);
  writeBytes(path, bytes);
}

// A damaged artifact is refused when it is opened; damaged weights are found
// on demand, and the tensor is named.
TEST(CompileCommand, DamageIsFound) {
  TemporaryFolder folder;
  for (const char *member :
       {"manifest.json", "commands/decode.bin", "code/cpu/x86-64-v3.so",
        "text/vocab.json", "text/source.spm", "ir/model.mlirbc"}) {
    writeDamaged(folder / "bad.dgm", member, 100);
    ProcessResult result = translate(folder / "bad.dgm");
    EXPECT_EQ(result.code, 1) << member;
    EXPECT_EQ(result.out, "") << member;
    EXPECT_THAT(result.err, StartsWith("error: ")) << member;
    EXPECT_EQ(linesOf(result.err).size(), 1u) << result.err;
  }
  Result<std::unique_ptr<Artifact>> artifact =
      Artifact::open(bundledArtifact());
  ASSERT_TRUE(artifact.isOk());
  std::string bytes = bytesOf(bundledArtifact());
  std::string_view first(static_cast<const char *>((*artifact)->weightData(0)),
                         4096);
  size_t at = bytes.find(first);
  ASSERT_NE(at, std::string::npos);
  bytes[at + 7] = char(bytes[at + 7] ^ 1);
  writeBytes(folder / "weights.dgm", bytes);
  ProcessResult result =
      dragomanProgram({"inspect", folder / "weights.dgm", "--verify"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr((*artifact)->manifest().weights[0].name));
  EXPECT_EQ(dragomanProgram({"inspect", bundledArtifact(), "--verify"}).code,
            0);
}

} // namespace
