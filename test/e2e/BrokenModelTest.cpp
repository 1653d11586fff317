//===- BrokenModelTest.cpp - Broken models through the program ------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `dragoman compile` on models that are no models: exit code 1, one line on
// standard error, nothing on standard output, no artifact.
//
//===----------------------------------------------------------------------===//

#include "test/e2e/Process.h"
#include "test/frontends/onnx/SmallModels.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace dragoman::test;
namespace fs = std::filesystem;
using testing::HasSubstr;

static void expectRefused(const std::string &bytes, const std::string &what) {
  fs::path folder = fs::path(testing::TempDir()) / "broken";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder / "model.onnx", std::ios::binary) << bytes;
  ProcessOptions options;
  options.folder = folder.string();
  ProcessResult result =
      dragomanProgram({"compile", "model.onnx", "-o", "out.dgm"}, options);
  EXPECT_EQ(result.code, 1) << what;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(linesOf(result.err).size(), 1u) << result.err;
  EXPECT_THAT(result.err, HasSubstr("error: model.onnx"));
  EXPECT_THAT(result.err, HasSubstr(what));
  EXPECT_FALSE(fs::exists(folder / "out.dgm"));
}

/// x -> node -> y.
static SmallModel oneNode(const std::string &op,
                          std::vector<std::string> inputs, int64_t opset = 14) {
  SmallModel model(opset);
  model.input("x", {"B", 4});
  model.node(op, std::move(inputs), {"y"});
  model.output("y", {"B", 4});
  return model;
}

TEST(BrokenModel, Fault01EmptyFile) { expectRefused("", "empty file"); }

TEST(BrokenModel, Fault02CutFile) {
  SmallModel model = oneNode("Add", {"x", "w"});
  model.floats("w", {4}, {1, 2, 3, 4});
  std::string bytes = model.bytes();
  expectRefused(bytes.substr(0, bytes.size() - 3), "cut");
}

TEST(BrokenModel, Fault04OtherFiles) {
  expectRefused("<!DOCTYPE html><html></html>", "HTML");
  expectRefused("version https://git-lfs.github.com/spec/v1\noid sha256:ab\n",
                "Git LFS");
}

TEST(BrokenModel, Fault05HugeDimensions) {
  SmallModel model = oneNode("Add", {"x", "w"});
  auto &tensor = model.floats("w", {1}, {1});
  tensor.set_dims(0, int64_t(1) << 33);
  tensor.add_dims(int64_t(1) << 33);
  expectRefused(model.bytes(), "tensor 'w'");
}

TEST(BrokenModel, Fault06SizesThatDoNotFit) {
  SmallModel model = oneNode("Add", {"x", "w"});
  model.floats("w", {4}, {1, 2, 3, 4}).set_dims(0, 5);
  expectRefused(model.bytes(), "tensor 'w'");
  model.graph().mutable_initializer(0)->set_dims(0, -4);
  expectRefused(model.bytes(), "negative dimension -4");
}

TEST(BrokenModel, Fault15NamesOfValues) {
  expectRefused(oneNode("Add", {"x", "ghost"}).bytes(), "'ghost'");
  SmallModel twice = oneNode("Relu", {"x"});
  twice.output("y", {"B", 4});
  expectRefused(twice.bytes(), "graph output 'y' is listed twice");
}

TEST(BrokenModel, Fault16UnknownOperators) {
  expectRefused(oneNode("Foo", {"x"}).bytes(), "Foo (opset 14) x 1");
  expectRefused(oneNode("Relu", {"x"}, 99).bytes(), "opset 99");
}

TEST(BrokenModel, Fault17AxisOutOfRange) {
  SmallModel model = oneNode("Softmax", {"x"});
  SmallModel::setInt(*model.graph().mutable_node(0), "axis", 7);
  expectRefused(model.bytes(), "Softmax");
}
