//===- InitializeTest.cpp - Parameters from elsewhere; model descriptions -===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Initialize.h"
#include "runtime/text/Tokenizer.h"
#include "runtime/train/ModelDescription.h"
#include "test/train/TrainRun.h"

#include <nlohmann/json.hpp>

using namespace dragoman;
using namespace dragoman::test;

namespace {

struct InitializeTest : testing::Test {
  TemporaryFolder folder;
  InlinePool pool;

  /// A checkpoint whose parameters are all `value`, and averages `mean`.
  std::string saved(int64_t update, float value, float mean) {
    LogLinearModel model = smallModel(pool);
    std::ranges::fill(model.state(parametersState), value);
    std::ranges::fill(model.state(averageState), mean);
    TrainProgress progress;
    progress.update = update;
    EXPECT_TRUE(saveCheckpoint(folder.path, model, progress).isOk());
    return folder / checkpointName(update);
  }
};

TEST_F(InitializeTest, FromCheckpointsAndFiles) {
  std::string path = saved(1, 3, 4);
  LogLinearModel model = smallModel(pool);
  ASSERT_TRUE(initializeParameters(model, path).isOk());
  EXPECT_EQ(model.state(parametersState)[5], 4); // the average, if there is one
  EXPECT_EQ(model.state(averageState)[5], 4);
  ASSERT_TRUE(initializeParameters(model, path + "/" + parametersFile).isOk());
  EXPECT_EQ(model.state(parametersState)[5], 3);
  LogLinearModel other(4, false, pool);
  EXPECT_EQ(initializeParameters(other, path).toString(),
            path + ": tensor 'following': expected [4,4], found [16,16]");
}

TEST_F(InitializeTest, MeanOfSeveral) {
  std::vector<std::string> paths = {saved(1, 1, 10), saved(2, 2, 20),
                                    saved(3, 6, 30)};
  Result<NamedTensors> mean = averageParameters(paths, /*raw=*/true);
  ASSERT_TRUE(mean.isOk()) << mean.status().toString();
  EXPECT_EQ(mean->values[7], 3);
  EXPECT_EQ(averageParameters(paths, /*raw=*/false)->values[7], 20);
  std::string file = folder / "mean.safetensors";
  ASSERT_TRUE(writeTensors(file, mean->descs, mean->values).isOk());
  Result<NamedTensors> again = readParameters(file);
  ASSERT_TRUE(again.isOk()) << again.status().toString();
  EXPECT_EQ(again->values, mean->values);
  EXPECT_EQ(again->descs[1].name, "translation");
  LogLinearModel other(4, false, pool);
  std::string small = folder / "small.safetensors";
  ASSERT_TRUE(
      writeTensors(small, other.parameters(), other.state(parametersState))
          .isOk());
  EXPECT_EQ(averageParameters({paths[0], small}, true).status().toString(),
            small + ": expected the tensors of " + paths[0] + ", found others");
}

TEST(ModelDescription, SaysWhatTheCompilerNeeds) {
  SmallCorpus small;
  TrainConfig config;
  config.data.vocabularyType = "words";
  config.data.sourceVocabulary = config.data.targetVocabulary =
      small.folder / "words.txt";
  config.model.dModel = 64;
  config.optim.ema = 1e-4;
  Result<ModelDescription> made =
      describeModel(config, *small.coder, *small.coder);
  ASSERT_TRUE(made.isOk()) << made.status().toString();
  ASSERT_EQ(made->files.size(), 3u);
  nlohmann::json json = nlohmann::json::parse(made->files[0].bytes);
  EXPECT_EQ(json["vocab"], 16);
  EXPECT_EQ(json["start"], 1);
  EXPECT_EQ(json["end"], 2);
  EXPECT_EQ(json["pad"], 15);
  EXPECT_EQ(json["d_model"], 64);
  EXPECT_EQ(json["max_positions"], 512);
  EXPECT_EQ(json["training"]["average"], true);
  EXPECT_EQ(json["training"]["beta2"], 0.98);
  EXPECT_EQ(json["text"]["target_model"], "source.txt");
  config.optim.name = "sgd";
  json = nlohmann::json::parse(
      describeModel(config, *small.coder, *small.coder)->files[0].bytes);
  EXPECT_FALSE(json["training"].contains("beta1"));
  EXPECT_EQ(json["training"]["nesterov"], false);

  std::string out = small.folder / "model";
  EXPECT_TRUE(*writeModelDescription(*made, out));
  EXPECT_FALSE(*writeModelDescription(*made, out));
  writeBytes(out + "/source.txt", "other");
  EXPECT_TRUE(*writeModelDescription(*made, out));
}

// The ids of training are those of translation.
TEST(ModelDescription, OneTokenizer) {
  SmallCorpus small;
  std::string words = bytesOf(small.folder / "words.txt");
  std::string vocabulary = small.coder->vocabularyJson();
  TextDesc desc;
  desc.kind = "words";
  auto tokenizer =
      Tokenizer::create(desc, {words, words, vocabulary, vocabulary});
  ASSERT_TRUE(tokenizer.isOk()) << tokenizer.status().toString();
  for (std::string line :
       {"w1 w2", " w3\tw0  other <s> </s> <pad> <unk>", ""}) {
    std::vector<int32_t> ids = *small.coder->encode(line);
    Result<EncodedLine> encoded = (*tokenizer)->encode(line);
    ASSERT_TRUE(encoded.isOk());
    EXPECT_EQ(encoded->blank, ids.empty());
    if (!ids.empty())
      ids.push_back(small.coder->special().end);
    EXPECT_EQ(encoded->ids, std::vector<int64_t>(ids.begin(), ids.end()));
  }
  std::vector<int64_t> ids = {1, 4, 5, 0, 15, 2};
  EXPECT_EQ((*tokenizer)->decode(ids), "w1 w2");
}

} // namespace
