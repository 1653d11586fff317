//===- HubImportTest.cpp - A translator's folder, imported and run --------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/hub/HubImport.h"
#include "compiler/interpret/Interpreter.h"
#include "compiler/pipeline/Pipeline.h"
#include "frontends/onnx/OnnxImport.h"
#include "runtime/artifact/Npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace dragoman;
using dragoman::interpret::Element;
using dragoman::interpret::StateMap;
using dragoman::interpret::Tensor;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

const std::string folder = DRAGOMAN_SOURCE_DIR "/models/multi30k-en-de";
constexpr int64_t pad = 3999, end = 0, sourceCap = 64, cap = 64;

Tensor integers(std::vector<int64_t> shape, const std::vector<int64_t> &values,
                Element element = Element::I64) {
  Tensor tensor(element, std::move(shape));
  std::copy(values.begin(), values.end(), tensor.mutableIntegers());
  return tensor;
}

/// The first `count` lines of ids of a file of the folder.
std::vector<std::vector<int64_t>> readIds(const std::string &name,
                                          size_t count) {
  std::ifstream file(folder + "/reference/" + name);
  std::vector<std::vector<int64_t>> lines;
  std::string line;
  while (lines.size() < count && std::getline(file, line)) {
    std::istringstream words(line);
    lines.emplace_back(std::istream_iterator<int64_t>(words),
                       std::istream_iterator<int64_t>());
  }
  EXPECT_EQ(lines.size(), count);
  return lines;
}

/// The module after the graph stage, and one session over it.
class Translator {
public:
  explicit Translator(std::vector<std::vector<int64_t>> sentences)
      : rows(sentences.size()) {
    auto hub = onnx::importHubFolder(folder, context);
    EXPECT_TRUE(succeeded(hub));
    module = std::move(hub->module);
    PipelineOptions pipeline;
    pipeline.stopAfter = Stage::Graph;
    EXPECT_TRUE(succeeded(runPipeline(*module, pipeline)));
    interpret::Options options;
    options.modelFolder = folder;
    interpreter = std::make_unique<interpret::Interpreter>(*module, options);
    auto made = interpreter->makeStates({{"Rows", rows + 1},
                                         {"Cap", cap},
                                         {"SrcRows", rows + 1},
                                         {"SrcCap", sourceCap}});
    EXPECT_TRUE(made) << made.status().toString();
    states = *made;
    encode(sentences);
  }

  Tensor run(const char *entry, std::vector<Tensor> inputs) {
    auto results = interpreter->run(entry, std::move(inputs), &states);
    EXPECT_TRUE(results) << entry << ": " << results.status().toString();
    return results && !results->empty() ? (*results)[0] : Tensor();
  }

  /// Logits of `tokens` [R][T], each row at its own position. Cache rows lie in
  /// reverse order, so that nothing works by accident.
  Tensor decode(const std::vector<std::vector<int64_t>> &tokens,
                const std::vector<int64_t> &positions) {
    auto length = static_cast<int64_t>(tokens[0].size());
    std::vector<int64_t> ids, cacheRow, table, sourceRow;
    int64_t keys =
        *std::max_element(positions.begin(), positions.end()) + length;
    for (int64_t row = 0; row < rows; ++row) {
      ids.insert(ids.end(), tokens[row].begin(), tokens[row].end());
      cacheRow.push_back(rows - row);
      table.insert(table.end(), keys, rows - row);
      sourceRow.push_back(row + 1);
    }
    return run("decode",
               {integers({rows, length}, ids), integers({rows}, positions),
                integers({rows}, cacheRow, Element::I32),
                integers({rows, keys}, table, Element::I32),
                integers({rows, 1}, sourceRow, Element::I32),
                integers({rows}, lengths)});
  }

  Tensor hidden;
  const int64_t rows;

private:
  void encode(const std::vector<std::vector<int64_t>> &sentences) {
    size_t longest = 0;
    for (const auto &sentence : sentences)
      longest = std::max(longest, sentence.size());
    std::vector<int64_t> ids, sourceRow;
    for (const auto &sentence : sentences) {
      ids.insert(ids.end(), sentence.begin(), sentence.end());
      ids.insert(ids.end(), longest - sentence.size(), pad);
      lengths.push_back(sentence.size());
      sourceRow.push_back(lengths.size());
    }
    auto width = static_cast<int64_t>(longest);
    hidden = run("encode",
                 {integers({rows, width}, ids), integers({rows}, lengths)});
    run("prepare", {hidden, integers({rows}, sourceRow, Element::I32)});
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<interpret::Interpreter> interpreter;
  StateMap states;
  std::vector<int64_t> lengths;
};

void expectNear(const Tensor &tensor, const std::string &name, double tolerance,
                int64_t elements, int64_t stride, int64_t wanted) {
  Result<NpyArray> array =
      readNpy(folder + "/reference/first16." + name + ".npy");
  ASSERT_TRUE(array) << array.status().toString();
  for (int64_t row = 0; row < wanted; ++row)
    for (int64_t i = 0; i < elements; ++i)
      ASSERT_NEAR(tensor.at(row * elements + i),
                  array->data<float>()[row * stride + i], tolerance)
          << name << " row " << row << " element " << i;
}

} // namespace

TEST(HubImport, encoderAndFirstStepEqualTheReference) {
  auto sentences = readIds("test_2016_flickr.en.ids", 3);
  for (size_t i = 0; i < 3; ++i) {
    // One sentence at a time: no padding, so every row counts.
    Translator translator({sentences[i]});
    Result<NpyArray> array =
        readNpy(folder + "/reference/first16.encoder_last_hidden_state.npy");
    ASSERT_TRUE(array);
    int64_t stride = array->shape[1] * array->shape[2];
    for (int64_t j = 0; j < translator.hidden.elements(); ++j)
      ASSERT_NEAR(translator.hidden.at(j), array->data<float>()[i * stride + j],
                  1e-5);
  }
  Translator all(sentences);
  Tensor logits = all.decode({{pad}, {pad}, {pad}}, {0, 0, 0});
  expectNear(logits, "first_step_logits", 1e-4, 4000, 4000, 3);
}

TEST(HubImport, greedyIdsEqualTheReference) {
  constexpr size_t count = 20;
  Translator translator(readIds("test_2016_flickr.en.ids", count));
  auto wanted = readIds("test_2016_flickr.greedy.ids", count);
  size_t longest = 0;
  for (const auto &line : wanted)
    longest = std::max(longest, line.size());
  std::vector<std::vector<int64_t>> tokens(count, {pad}), produced = tokens;
  for (size_t step = 0; step + 1 < longest; ++step) {
    Tensor logits = translator.decode(
        tokens, std::vector<int64_t>(count, static_cast<int64_t>(step)));
    for (size_t row = 0; row < count; ++row) {
      const double *z = logits.floats() + row * 4000;
      auto best = static_cast<int64_t>(std::max_element(z, z + pad) - z);
      tokens[row] = {best};
      if (produced[row].size() == 1 || produced[row].back() != end)
        produced[row].push_back(best);
    }
  }
  for (size_t row = 0; row < count; ++row)
    EXPECT_EQ(produced[row], wanted[row]) << "line " << row + 1;
}

TEST(HubImport, prefixInOnePassEqualsSteps) {
  auto sentences = readIds("test_2016_flickr.en.ids", 2);
  auto wanted = readIds("test_2016_flickr.greedy.ids", 2);
  std::vector<std::vector<int64_t>> prefix;
  for (auto &line : wanted)
    prefix.emplace_back(line.begin(), line.begin() + 5);
  Translator whole(sentences), stepped(sentences);
  Tensor all = whole.decode(prefix, {0, 0});
  for (int64_t t = 0; t < 5; ++t) {
    Tensor one = stepped.decode({{prefix[0][t]}, {prefix[1][t]}}, {t, t});
    for (int64_t row = 0; row < 2; ++row)
      for (int64_t i = 0; i < 4000; ++i)
        ASSERT_NEAR(one.at(row * 4000 + i), all.at((row * 5 + t) * 4000 + i),
                    1e-5);
  }
  // Rows at different positions: row 0 steps on, row 1 repeats its third token.
  Tensor ragged = whole.decode({{wanted[0][5]}, {prefix[1][2]}}, {5, 2});
  for (int64_t i = 0; i < 4000; ++i)
    ASSERT_NEAR(ragged.at(4000 + i), all.at((5 + 2) * 4000 + i), 1e-5);
}

namespace {

/// A folder with links to the model's files, some left out.
fs::path folderWithout(const std::vector<std::string> &missing) {
  fs::path target =
      fs::path(testing::TempDir()) /
      testing::UnitTest::GetInstance()->current_test_info()->name();
  fs::remove_all(target);
  fs::create_directories(target);
  for (const auto &entry : fs::directory_iterator(folder)) {
    std::string name = entry.path().filename();
    if (entry.is_regular_file() &&
        std::find(missing.begin(), missing.end(), name) == missing.end())
      fs::create_symlink(entry.path(), target / name);
  }
  return target;
}

} // namespace

TEST(HubFolder, settingsKeepTheirOrigin) {
  Result<onnx::HubFolder> hub = onnx::readHubFolder(folder);
  ASSERT_TRUE(hub) << hub.status().toString();
  EXPECT_EQ(hub->modelType, "marian");
  EXPECT_EQ(hub->layers, 4);
  EXPECT_EQ(hub->decoderWithPast, "decoder_with_past_model.onnx");
  std::map<std::string, onnx::HubSetting> byName;
  for (const onnx::HubSetting &setting : hub->settings)
    EXPECT_TRUE(byName.emplace(setting.name, setting).second) << setting.name;
  EXPECT_EQ(byName.at("num_beams").origin, "generation_config.json");
  EXPECT_EQ(byName.at("max_position_embeddings").origin, "config.json");
  EXPECT_EQ(byName.at("bad_words_ids").value, "[[3999]]");
}

TEST(HubFolder, missingDecoderSaysWhatWasExpected) {
  fs::path path =
      folderWithout({"decoder_model.onnx", "decoder_with_past_model.onnx"});
  Result<onnx::HubFolder> hub = onnx::readHubFolder(path);
  ASSERT_FALSE(hub);
  EXPECT_THAT(hub.status().toString(), HasSubstr("no decoder found: expected"));
  EXPECT_THAT(hub.status().toString(),
              HasSubstr("found encoder_model.onnx only; export with --task "
                        "text2text-generation-with-past"));
}

TEST(HubFolder, missingFilesAreNamed) {
  for (const char *name : {"config.json", "source.spm", "vocab.json"}) {
    Result<onnx::HubFolder> hub = onnx::readHubFolder(folderWithout({name}));
    ASSERT_FALSE(hub);
    EXPECT_THAT(hub.status().toString(), HasSubstr(name));
  }
  Result<onnx::HubFolder> hub =
      onnx::readHubFolder(folderWithout({"generation_config.json"}));
  ASSERT_TRUE(hub) << hub.status().toString();
  EXPECT_EQ(hub->notes.size(), 1u);
}

TEST(HubFolder, otherFamiliesAreRefused) {
  fs::path path = folderWithout({"config.json"});
  std::ofstream(path / "config.json") << R"({"model_type": "t5"})";
  Result<onnx::HubFolder> hub = onnx::readHubFolder(path);
  ASSERT_FALSE(hub);
  EXPECT_THAT(hub.status().toString(),
              HasSubstr("model_type 't5' is not supported"));
}
