//===- CheckpointTest.cpp - A run saved whole -----------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Checkpoint.h"
#include "test/train/TrainRun.h"

#include <filesystem>

using namespace dragoman;
using namespace dragoman::test;
using testing::HasSubstr;

namespace {

struct CheckpointTest : testing::Test {
  TemporaryFolder folder;
  InlinePool pool;
  LogLinearModel model = smallModel(pool);

  void save(int64_t update) {
    TrainProgress progress;
    progress.update = update;
    progress.window.sums.nll = 0.1 + 0.2;
    progress.best["nll"] = {1.0 / 3, 5, 2};
    progress.hashes["model"] = "x";
    model.state("moment1")[3] = static_cast<float>(update);
    Result<uint64_t> bytes = saveCheckpoint(folder.path, model, progress);
    ASSERT_TRUE(bytes.isOk()) << bytes.status().toString();
  }
};

TEST_F(CheckpointTest, RoundTrip) {
  save(12);
  EXPECT_EQ(folder.entries(), 1u);
  Result<Checkpoint> found = Checkpoint::open(folder / "ckpt-12");
  ASSERT_TRUE(found.isOk()) << found.status().toString();
  EXPECT_EQ(found->progress().update, 12);
  EXPECT_EQ(found->progress().window.sums.nll, 0.1 + 0.2);
  EXPECT_EQ(found->progress().best.at("nll").value, 1.0 / 3);
  EXPECT_EQ(found->progress().hashes.at("model"), "x");
  EXPECT_EQ(found->parameters()[1].name, "translation");
  EXPECT_TRUE(found->parameters()[0].decay);
  EXPECT_FALSE(found->parameters()[1].decay);
  LogLinearModel other = smallModel(pool);
  std::ranges::fill(other.state(parametersState), 7.0f);
  ASSERT_TRUE(found->restoreParameters(other).isOk());
  ASSERT_TRUE(found->restoreOptimizer(other).isOk());
  for (const std::string &name : model.stateNames())
    EXPECT_TRUE(std::ranges::equal(model.state(name), other.state(name)))
        << name;
}

TEST_F(CheckpointTest, AnotherModelIsRefused) {
  save(1);
  LogLinearModel other(5, true, pool);
  Result<Checkpoint> found = Checkpoint::open(folder / "ckpt-1");
  EXPECT_EQ(found->restoreParameters(other).message(),
            "expected parameter 'following' [5,5], found 'following' [16,16]");
}

TEST_F(CheckpointTest, DamageIsFoundAndThePreviousOneUsed) {
  save(1);
  for (const char *name :
       {parametersFile, averageFile, optimizerFile, checkpointManifest}) {
    save(2);
    std::string path = folder / "ckpt-2/" + name;
    std::string bytes = bytesOf(path);
    bytes[name == std::string(checkpointManifest) ? 0 : bytes.size() - 9] ^= 1;
    writeBytes(path, bytes);
    std::vector<std::string> warnings;
    std::optional<Checkpoint> found = newestCheckpoint(folder.path, warnings);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->progress().update, 1);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_THAT(warnings[0], HasSubstr("ckpt-2 is skipped: " + path));
  }
  // A missing file, a cut file.
  save(2);
  std::filesystem::remove(folder / "ckpt-2/" + optimizerFile);
  EXPECT_FALSE(Checkpoint::open(folder / "ckpt-2").isOk());
  save(2);
  std::filesystem::resize_file(folder / "ckpt-2/" + averageFile, 100);
  EXPECT_THAT(Checkpoint::open(folder / "ckpt-2").status().message(),
              HasSubstr(" bytes, found 100"));
}

TEST_F(CheckpointTest, NewerFormatsAreRefused) {
  save(2);
  std::string path = folder / "ckpt-2/" + checkpointManifest;
  std::string text = bytesOf(path);
  text.replace(text.find("\"format\": 1"), 11, "\"format\": 9");
  writeBytes(path, text);
  EXPECT_EQ(Checkpoint::open(folder / "ckpt-2").status().message(),
            "expected format 1 or older, found 9");
}

TEST_F(CheckpointTest, Pruning) {
  for (int64_t update : {1, 2, 3, 10, 20})
    save(update);
  std::filesystem::create_directory(folder / "ckpt-21.tmp");
  pruneCheckpoints(folder.path, 2, {2});
  EXPECT_EQ(listCheckpoints(folder.path), (std::vector<int64_t>{20, 10, 2}));
  EXPECT_EQ(folder.entries(), 3u);
}

TEST_F(CheckpointTest, SavingAgainReplaces) {
  save(4);
  model.state(parametersState)[0] = 42;
  save(4);
  Result<Checkpoint> found = Checkpoint::open(folder / "ckpt-4");
  EXPECT_EQ(found->stateData(parametersState)[0], 42);
  EXPECT_EQ(folder.entries(), 1u);
}

} // namespace
