//===- BrokenFolderTest.cpp - Folders with damaged tokenizer files --------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `dragoman compile` on the bundled translator with one tokenizer file replaced
// (faults 27 and 28 of docs/robustness.md): what translating would refuse is
// refused when the artifact is made.
//
//===----------------------------------------------------------------------===//

#include "test/e2e/Process.h"
#include "test/runtime/TestFiles.h"
#include "test/runtime/text/SpmBuilder.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

using namespace dragoman;
using namespace dragoman::test;
namespace fs = std::filesystem;
using testing::HasSubstr;

namespace {

using Files = std::map<std::string, std::string>;

/// The bundled folder with some files replaced, compiled to out.dgm.
class DamagedFolder {
public:
  explicit DamagedFolder(const Files &replaced, bool quiet = true) {
    for (const auto &file :
         fs::directory_iterator(sourcePath("models/multi30k-en-de")))
      if (file.is_regular_file() && !replaced.count(file.path().filename()))
        fs::create_symlink(file.path(), folder / file.path().filename());
    for (const auto &[name, bytes] : replaced)
      writeBytes(folder / name, bytes);
    ProcessOptions options;
    options.folder = folder.path;
    std::vector<std::string> arguments = {"compile", ".", "-o", "out.dgm"};
    if (quiet)
      arguments.push_back("-q");
    result = dragomanProgram(arguments, options);
  }
  bool hasArtifact() const { return fs::exists(folder / "out.dgm"); }

  ProcessResult result;

private:
  TemporaryFolder folder;
};

void expectRefused(const std::string &name, const std::string &bytes,
                   const std::string &what) {
  DamagedFolder folder({{name, bytes}});
  EXPECT_EQ(folder.result.code, 1) << what;
  EXPECT_EQ(folder.result.out, "");
  EXPECT_EQ(linesOf(folder.result.err).size(), 1u) << folder.result.err;
  EXPECT_THAT(folder.result.err, HasSubstr("error: "));
  EXPECT_THAT(folder.result.err, HasSubstr(name));
  EXPECT_THAT(folder.result.err, HasSubstr(what));
  EXPECT_FALSE(folder.hasArtifact());
}

std::string bundled(const std::string &name) {
  return bytesOf(sourcePath("models/multi30k-en-de/" + name));
}

/// A bundled file with every occurrence of one part of its text replaced.
std::string bundledWith(const std::string &name, const std::string &part,
                        const std::string &other) {
  std::string text = bundled(name);
  size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  for (; at != std::string::npos; at = text.find(part, at + other.size()))
    text.replace(at, part.size(), other);
  return text;
}

std::string vocabularyWith(const std::string &part, const std::string &other) {
  return bundledWith("vocab.json", part, other);
}

/// A model of these pieces beside the unknown one.
std::string spmOf(const std::string &pieces) {
  return spmPiece("<unk>", 0, 2) + pieces + spmTrainer() + spmNormalizer();
}

TEST(BrokenFolder, Fault27EmptyAndCutModels) {
  expectRefused("source.spm", "", "empty file");
  const std::string whole = bundled("target.spm");
  expectRefused("target.spm", whole.substr(0, whole.size() - 7), "byte ");
}

TEST(BrokenFolder, Fault27BadPieces) {
  expectRefused("source.spm", spmOf(spmPiece(std::string(100 << 10, 'x'))),
                "piece 1");
  expectRefused("source.spm", spmOf(spmPiece(std::string_view("a\0b", 3))),
                "NUL");
  expectRefused("source.spm", spmOf(spmPiece("a") + spmPiece("a")),
                "found 'a' again");
  expectRefused("source.spm", spmPiece("a") + spmTrainer() + spmNormalizer(),
                "unknown");
}

TEST(BrokenFolder, Fault27BadNormalisationMap) {
  expectRefused("source.spm",
                spmPieces() + spmTrainer() +
                    spmNormalizer(mapOf(trieOfA(7), "a")),
                "map");
}

TEST(BrokenFolder, Fault28NoVocabulary) {
  expectRefused("vocab.json", "[1, 2]", "expected a JSON object");
  expectRefused("vocab.json", vocabularyWith("3999", "3998"), "3998");
  expectRefused("vocab.json", vocabularyWith("3999", "5000"), "5000");
}

TEST(BrokenFolder, Fault28SizesThatDoNotFit) {
  expectRefused("vocab.json", vocabularyWith("3999", "3999, \"extra\": 4000"),
                "expected ids below the 4000 columns of the logits, found "
                "'extra' with id 4000");
  DamagedFolder folder(
      {{"config.json", bundledWith("config.json", "vocab_size\": 4000",
                                   "vocab_size\": 3000")}});
  EXPECT_EQ(folder.result.code, 1);
  EXPECT_THAT(folder.result.err,
              HasSubstr("expected ids below the 3000 columns of the logits"));
  EXPECT_FALSE(folder.hasArtifact());
}

TEST(BrokenFolder, Fault28MissingTokens) {
  expectRefused("vocab.json", vocabularyWith("\"<pad>\"", "\"<other>\""),
                "expected token '<pad>'");
  expectRefused("vocab.json", vocabularyWith("\"</s>\"", "\"</t>\""),
                "expected token '</s>'");
}

// Fewer tokens than columns is the usual padding of a table: a warning.
TEST(BrokenFolder, Fault28PaddingRowsAreAWarning) {
  DamagedFolder folder(
      {{"vocab.json", vocabularyWith("\"\\u201e\": 3998,\n  \"<pad>\": 3999",
                                     "\"<pad>\": 3998")},
       {"config.json", bundledWith("config.json", "3999", "3998")},
       {"generation_config.json",
        bundledWith("generation_config.json", "3999", "3998")}},
      /*quiet=*/false);
  EXPECT_EQ(folder.result.code, 0) << folder.result.err;
  EXPECT_TRUE(folder.hasArtifact());
  EXPECT_THAT(folder.result.err,
              HasSubstr("padding row: it will be forbidden"));
}

} // namespace
