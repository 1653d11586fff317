//===- ReadmeTest.cpp - The README's tour runs as written -----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the command lines of the README's tour, in order, in an empty folder
// that has the models and the files that the text presumes, with this build's
// programs first in PATH.
//
//===----------------------------------------------------------------------===//

#include "test/e2e/Process.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

using namespace dragoman;
using namespace dragoman::test;
namespace fs = std::filesystem;

/// The lines of the ```sh blocks behind the heading "A short tour".
static std::vector<std::string> tourCommands() {
  std::ifstream readme(std::string(DRAGOMAN_SOURCE_DIR) + "/README.md");
  std::vector<std::string> commands;
  bool tour = false, block = false;
  for (std::string line; std::getline(readme, line);) {
    if (line.rfind("## ", 0) == 0)
      tour = line == "## A short tour";
    else if (line == "```sh" || line == "```")
      block = line == "```sh";
    else if (tour && block && !line.empty())
      commands.push_back(line);
  }
  return commands;
}

/// A .npy file of int64 values.
static void writeIds(const fs::path &path, const std::string &shape,
                     std::vector<int64_t> values) {
  std::string header =
      "{'descr': '<i8', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize((10 + header.size() + 64) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8);
  uint16_t size = header.size();
  file.write(reinterpret_cast<const char *>(&size), 2);
  file << header;
  file.write(reinterpret_cast<const char *>(values.data()),
             values.size() * sizeof(int64_t));
}

/// Aligned lines of six made-up words each; the target has them backwards.
static void writeCorpus(const fs::path &folder, const std::string &name,
                        int64_t lines, uint32_t seed) {
  std::mt19937 random(seed);
  std::ofstream source(folder / (name + ".en")),
      target(folder / (name + ".de"));
  for (int64_t line = 0; line < lines; ++line) {
    std::string forwards, backwards;
    for (int64_t word = 0; word < 6; ++word) {
      std::string text;
      for (uint32_t letters = 4 + random() % 6; letters > 0; --letters)
        text += static_cast<char>('a' + random() % 26);
      forwards += (word ? " " : "") + text;
      backwards = text + (word ? " " : "") + backwards;
    }
    source << forwards << '\n';
    target << backwards << '\n';
  }
}

/// What the tour's training presumes: a model that compiles and trains at once.
static void writeTraining(const fs::path &folder) {
  writeCorpus(folder, "train", 1500, 1);
  writeCorpus(folder, "test", 4, 2);
  std::ofstream(folder / "train.yaml") << R"(
model: {d_model: 16, encoder_layers: 1, decoder_layers: 1, heads: 2, ffn: 16}
data:
  train: [{src: train.en, tgt: train.de}]
  valid: {src: test.en, tgt: test.de}
  vocab: {type: sentencepiece, src: joint.model}
  batch_tokens: 512
run: {out: runs/en-de, threads: 1, stop: {updates: 4u}, valid_every: 4u,
      log_every: 2u, metrics: [bleu]}
)";
}

TEST(ReadmeTest, TourRunsAsWritten) {
  fs::path folder = fs::path(testing::TempDir()) / "readme";
  fs::remove_all(folder);
  fs::create_directories(folder);
  fs::create_directory_symlink(fs::path(DRAGOMAN_SOURCE_DIR) / "models",
                               folder / "models");
  std::ofstream(folder / "input.en") << "A dog runs.\n\nTwo men talk.\n";
  writeIds(folder / "ids.npy", "(1, 3)", {9, 18, 0});
  writeIds(folder / "n.npy", "(1,)", {3});

  writeTraining(folder);

  std::vector<std::string> commands = tourCommands();
  ASSERT_GE(commands.size(), 11u);
  ProcessOptions options;
  options.folder = folder.string();
  options.environment = {std::string("PATH=") +
                         DRAGOMAN_BINARY_DIR "/bin:" + std::getenv("PATH")};
  for (const std::string &command : commands) {
    ProcessResult result = runProcess("/bin/sh", {"-c", command}, options);
    EXPECT_EQ(result.code, 0) << command << "\n" << result.err;
    if (command.rfind("echo", 0) == 0) {
      EXPECT_EQ(result.out, "Ein brauner Hund läuft am Strand entlang.\n");
    }
  }
  // What the commands were for.
  std::ifstream translated(folder / "output.de");
  std::stringstream text;
  text << translated.rdbuf();
  EXPECT_EQ(linesOf(text.str()).size(), 3u);
  EXPECT_TRUE(fs::exists(folder / "h.npy"));
  EXPECT_TRUE(fs::exists(folder / "runs/en-de/report.html"));
  EXPECT_TRUE(fs::exists(folder / "trained.dgm"));
  EXPECT_TRUE(fs::exists(folder / "trained-onnx/encoder_model.onnx"));
}
