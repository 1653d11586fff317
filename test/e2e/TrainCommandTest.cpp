//===- TrainCommandTest.cpp - dragoman train without a compiler -----------===//
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
using testing::AllOf;
using testing::HasSubstr;

namespace {

struct TrainCommand : testing::Test {
  TemporaryFolder folder;

  ProcessResult train(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "train");
    ProcessOptions options;
    options.folder = folder.path;
    return dragomanProgram(arguments, options);
  }
  /// Exit code and error text.
  std::string refusal(std::vector<std::string> arguments) {
    ProcessResult result = train(std::move(arguments));
    EXPECT_EQ(result.out, "");
    return std::to_string(result.code) + " " + result.err;
  }
};

TEST_F(TrainCommand, DumpsTheConfiguration) {
  writeBytes(folder / "c.yaml", "optim:\n  lr: 0.005\n");
  ProcessResult result =
      train({"c.yaml", "model.heads=4", "--dump-config", "minimal"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "model:\n  heads: 4\noptim:\n  lr: 0.005\n");
  result = train({"c.yaml", "--dump-config"});
  EXPECT_THAT(result.out, HasSubstr("  label_smoothing: 0.1\n"));
}

TEST_F(TrainCommand, WrongConfigurations) {
  writeBytes(folder / "c.yaml", "model:\n  dropout: 2\n");
  EXPECT_EQ(refusal({"c.yaml"}), "2 error: c.yaml:2: model.dropout: expected a "
                                 "number in [0, 0.99], found '2'\n");
  writeBytes(folder / "c.yaml", "data:\n  batch_token: 2\n");
  EXPECT_EQ(refusal({"c.yaml"}),
            "2 error: c.yaml:2: unknown key 'data.batch_token'; did you mean "
            "data.batch_tokens?\n");
  writeBytes(folder / "c.yaml", "");
  EXPECT_EQ(refusal({"c.yaml"}),
            "2 error: c.yaml: run.out: expected a folder, found none\n");
  EXPECT_THAT(refusal({"none.yaml"}), HasSubstr("none.yaml"));
  EXPECT_THAT(refusal({}), HasSubstr("2 error: expected a configuration file"));
  EXPECT_THAT(refusal({"c.yaml", "--reset", "some"}),
              testing::StartsWith("2 "));
}

TEST_F(TrainCommand, DataIsCheckedFirst) {
  writeBytes(folder / "v.txt", "<unk>\n<s>\n</s>\na\nb\n");
  writeBytes(folder / "s", "a\nb\n");
  writeBytes(folder / "t", "b\n");
  writeBytes(folder / "c.yaml", "data:\n"
                                "  train: [{src: s, tgt: t}]\n"
                                "  vocab: {type: words, src: v.txt}\n"
                                "run: {out: out}\n");
  EXPECT_EQ(refusal({"c.yaml", "--dry-run"}),
            "1 error: s has 2 lines, t has 1\n");
}

TEST_F(TrainCommand, Vocabularies) {
  std::string text;
  for (int i = 0; i < 400; ++i)
    text += "the " + std::to_string(i % 37) + " little house" +
            std::to_string(i % 11) + " stands on a hill\twir sehen das Haus " +
            std::to_string(i) + "\n";
  writeBytes(folder / "text.tsv", text);
  ProcessResult result = train({"vocab", "text.tsv", "-o", "words.txt",
                                "--type", "words", "--size", "12"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "words.txt: 12 tokens\n");
  EXPECT_THAT(bytesOf(folder / "words.txt"),
              testing::StartsWith("<unk>\n<s>\n</s>\n<pad>\n"));
  for (const char *type : {"unigram", "bpe"}) {
    result = train({"vocab", "text.tsv", "-o", "p.model", "--type", type,
                    "--size", "60", "--force"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr("p.model: 60 tokens\n"));
    std::string first = bytesOf(folder / "p.model");
    train({"vocab", "text.tsv", "-o", "p.model", "--type", type, "--size", "60",
           "--force"});
    EXPECT_EQ(bytesOf(folder / "p.model"), first);
  }
  EXPECT_EQ(refusal({"vocab", "text.tsv", "-o", "p.model"}),
            "2 error: p.model: expected a new file, found one; pass --force to "
            "replace it\n");
  EXPECT_THAT(refusal({"vocab", "text.tsv", "-o", "q.model", "--size", "9999"}),
              AllOf(HasSubstr("expected a size of at most "),
                    HasSubstr(" for this text, found 9999")));
  EXPECT_THAT(refusal({"vocab", "none", "-o", "q.model"}), HasSubstr("none"));
}

TEST_F(TrainCommand, ExportRefusals) {
  writeBytes(folder / "x.safetensors", "not such a file");
  EXPECT_THAT(refusal({"export", "x.safetensors", "-o", "m.dgm"}),
              HasSubstr("1 error: x.safetensors: "));
  EXPECT_THAT(refusal({"average", "x.safetensors", "-o", "m.safetensors"}),
              HasSubstr("1 error: x.safetensors: "));
  EXPECT_EQ(folder.entries(), 1u);
}

} // namespace
