//===- OnnxModelTest.cpp - Loading and refusing ONNX files -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmallModels.h"

#include "frontends/onnx/GraphCheck.h"
#include "frontends/onnx/OnnxModel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

using namespace dragoman;
using namespace dragoman::onnx;
using dragoman::test::SmallModel;
using testing::HasSubstr;

/// y = relu(x . w + b), about 2 KB.
static SmallModel linearModel() {
  SmallModel model;
  model.input("x", {"batch", 16}).output("y", {"batch", 24});
  model.floats("w", {16, 24}, std::vector<float>(16 * 24, 0.5f));
  model.floats("b", {24}, std::vector<float>(24, 1.0f));
  model.node("MatMul", {"x", "w"}, {"p"});
  model.node("Add", {"p", "b"}, {"s"});
  model.node("Relu", {"s"}, {"y"});
  return model;
}

static bool knowsAll(const Node &) { return true; }

/// The message of the refusal, or "" if the model passes every check.
static std::string refusal(const std::string &bytes) {
  Result<std::unique_ptr<Model>> model = Model::parse(bytes);
  if (!model)
    return model.status().toString();
  if (Status status = checkOperators(**model, knowsAll); !status)
    return status.toString();
  auto order = sortNodes((*model)->graph);
  return order ? "" : order.status().toString();
}

TEST(OnnxModel, tensorsAreSpansOfTheFile) {
  std::string bytes = linearModel().bytes();
  Result<std::unique_ptr<Model>> model = Model::parse(bytes);
  ASSERT_TRUE(model) << model.status().toString();
  const Graph &graph = (*model)->graph;
  ASSERT_EQ(graph.initializers.size(), 2u);
  const Tensor &w = graph.initializers[0];
  ASSERT_TRUE(w.fileOffset);
  EXPECT_EQ(w.bytes.data(), bytes.data() + *w.fileOffset);
  float first = 0;
  std::memcpy(&first, w.bytes.data(), 4);
  EXPECT_EQ(first, 0.5f);
  EXPECT_EQ(graph.inputs[0].shape[0].param, "batch");
  EXPECT_EQ(graph.inputs[0].shape[1].size, 16);
}

TEST(OnnxModel, packedFloatDataIsAlsoASpan) {
  SmallModel small;
  ::onnx::TensorProto &tensor = *small.graph().add_initializer();
  tensor.set_name("t");
  tensor.set_data_type(1);
  tensor.add_dims(3);
  for (float value : {1.0f, 2.0f, 3.0f})
    tensor.add_float_data(value);
  std::string bytes = small.bytes();
  Result<std::unique_ptr<Model>> model = Model::parse(bytes);
  ASSERT_TRUE(model) << model.status().toString();
  EXPECT_TRUE((*model)->graph.initializers[0].fileOffset);
  EXPECT_EQ((*model)->graph.initializers[0].elements(), 3);
}

TEST(OnnxModel, bfloat16InInt32DataIsPacked) {
  SmallModel small;
  ::onnx::TensorProto &tensor = *small.graph().add_initializer();
  tensor.set_name("t");
  tensor.set_data_type(16);
  tensor.add_dims(2);
  tensor.add_int32_data(0x3f80);
  tensor.add_int32_data(0xbf80);
  Result<std::unique_ptr<Model>> model = Model::parse(small.bytes());
  ASSERT_TRUE(model) << model.status().toString();
  EXPECT_EQ((*model)->graph.initializers[0].bytes,
            std::string_view("\x80\x3f\x80\xbf", 4));
}

TEST(OnnxModel, emptyFileIsRefused) {
  EXPECT_THAT(refusal(""), HasSubstr("empty file"));
}

TEST(OnnxModel, cutFilesAreRefused) {
  std::string bytes = linearModel().bytes();
  for (size_t i = 0; i < 64; ++i) {
    size_t length = 1 + i * (bytes.size() - 1) / 64;
    Result<std::unique_ptr<Model>> model =
        Model::parse(bytes.substr(0, length));
    ASSERT_FALSE(model) << length;
    EXPECT_THAT(model.status().message(),
                testing::AnyOf(HasSubstr("offset"), HasSubstr("no graph"),
                               HasSubstr("opset")))
        << length;
  }
}

TEST(OnnxModel, pagesAndPointersAreNamed) {
  EXPECT_THAT(refusal("<!DOCTYPE html><html>"), HasSubstr("an HTML page"));
  EXPECT_THAT(refusal("version https://git-lfs.github.com/spec/v1\noid"),
              HasSubstr("a Git LFS pointer"));
}

TEST(OnnxModel, hugeDimensionsAreRefused) {
  SmallModel small;
  small.floats("huge", {1ll << 33, 1ll << 33}, {1.0f});
  EXPECT_THAT(refusal(small.bytes()), HasSubstr("exceeds 64 bits"));
}

TEST(OnnxModel, negativeDimensionIsRefused) {
  SmallModel small;
  small.floats("odd", {-4}, {1.0f});
  EXPECT_THAT(refusal(small.bytes()),
              HasSubstr("tensor 'odd' has the negative dimension -4"));
}

TEST(OnnxModel, wrongSizeNamesBoth) {
  SmallModel small;
  small.floats("short", {2, 3}, {1.0f});
  EXPECT_THAT(refusal(small.bytes()),
              HasSubstr("tensor 'short': expected 24 bytes for its dimensions, "
                        "found 4"));
}

TEST(OnnxModel, externalDataIsRefusedByName) {
  SmallModel small;
  ::onnx::TensorProto &tensor = small.floats("away", {1}, {1.0f});
  auto &entry = *tensor.add_external_data();
  entry.set_key("location");
  entry.set_value("../secret");
  EXPECT_THAT(refusal(small.bytes()), HasSubstr("tensor 'away' lies outside"));
  EXPECT_THAT(refusal(small.bytes()), HasSubstr("'../secret'"));
}

/// The format's own limit, found before anything is read.
TEST(OnnxModel, filesAbove2GiBAreRefused) {
  std::string path = testing::TempDir() + "/above2GiB.onnx";
  std::ofstream(path).put(8);
  std::filesystem::resize_file(path, 3ull << 30); // sparse
  Result<std::unique_ptr<Model>> model = Model::load(path);
  std::filesystem::remove(path);
  ASSERT_FALSE(model);
  EXPECT_THAT(model.status().toString(), HasSubstr("limit of 2 GiB"));
}

TEST(OnnxModel, versionsBeyondAreRefused) {
  EXPECT_THAT(refusal(SmallModel(14, 99).bytes()),
              HasSubstr("IR version 99 is not supported"));
  SmallModel small(99);
  EXPECT_THAT(refusal(small.bytes()), HasSubstr("not supported: opset 99"));
}

TEST(OnnxModel, deepNestingIsRefused) {
  SmallModel small;
  ::onnx::GraphProto *graph = &small.graph();
  for (int depth = 0; depth < 200; ++depth) {
    auto &attribute = *graph->add_node()->add_attribute();
    attribute.set_type(::onnx::AttributeProto::GRAPH);
    graph = attribute.mutable_g();
  }
  EXPECT_THAT(refusal(small.bytes()), HasSubstr("nested deeper than 100"));
}

TEST(GraphCheck, unsupportedOperatorsAreCountedOnce) {
  SmallModel small;
  small.node("Foo", {}, {"a"});
  small.node("Foo", {}, {"b"});
  small.node("Bar", {}, {"c"}).set_domain("com.example");
  Result<std::unique_ptr<Model>> model = Model::parse(small.bytes());
  ASSERT_TRUE(model);
  Status status = checkOperators(
      **model, [](const Node &node) { return node.opType == "Add"; });
  EXPECT_EQ(status.message(), "not supported: Foo (opset 14) x 2, "
                              "com.example.Bar (domain not imported) x 1");
}

TEST(GraphCheck, cycleNamesNodeAndValue) {
  SmallModel small;
  small.node("Add", {"b", "b"}, {"a"});
  small.node("Relu", {"a"}, {"b"});
  EXPECT_THAT(refusal(small.bytes()), HasSubstr("(a cycle)"));
  EXPECT_THAT(refusal(small.bytes()),
              HasSubstr("node 'the_Relu' (Relu) reads value 'a'"));
}

TEST(GraphCheck, doubleDefinitionIsRefused) {
  SmallModel small;
  small.input("x", {1});
  small.node("Relu", {"x"}, {"a"});
  small.node("Neg", {"x"}, {"a"});
  EXPECT_THAT(
      refusal(small.bytes()),
      HasSubstr("node 'the_Neg' (Neg) defines value 'a' a second time"));
}

TEST(GraphCheck, undefinedInputIsRefused) {
  SmallModel small;
  small.node("Relu", {"ghost"}, {"a"});
  EXPECT_THAT(refusal(small.bytes()),
              HasSubstr("reads value 'ghost', which is never defined"));
  SmallModel other;
  other.output("nothing", {1});
  EXPECT_THAT(refusal(other.bytes()),
              HasSubstr("graph output 'nothing' is never defined"));
}

TEST(GraphCheck, repeatedOutputIsRefused) {
  SmallModel small;
  small.input("x", {1});
  small.node("Relu", {"x"}, {"y"});
  small.output("y", {1});
  small.output("y", {1});
  EXPECT_THAT(refusal(small.bytes()),
              HasSubstr("graph output 'y' is listed twice"));
}

TEST(GraphCheck, nodesOutOfOrderAreSorted) {
  SmallModel small;
  small.input("x", {1});
  small.node("Neg", {"a"}, {"b"});
  small.node("Relu", {"x"}, {"a"});
  Result<std::unique_ptr<Model>> model = Model::parse(small.bytes());
  ASSERT_TRUE(model);
  auto order = sortNodes((*model)->graph);
  ASSERT_TRUE(order);
  EXPECT_EQ((*order)[0]->opType, "Relu");
}

/// Any single changed byte loads or is refused; what loads has tensors whose
/// spans can be read.
TEST(OnnxModel, changedBytesNeverCrash) {
  const std::string good = linearModel().bytes();
  for (uint32_t seed = 0; seed < 4000; ++seed) {
    std::minstd_rand random(seed);
    std::string bytes = good;
    bytes[random() % bytes.size()] = static_cast<char>(random());
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Result<std::unique_ptr<Model>> model = Model::parse(bytes);
    if (!model) {
      ASSERT_FALSE(model.status().message().empty());
      continue;
    }
    for (const Tensor &tensor : (*model)->graph.initializers)
      if (!tensor.bytes.empty())
        ASSERT_EQ(tensor.bytes.size() % elementBytes(tensor.type), 0u);
    (void)sortNodes((*model)->graph);
  }
}
