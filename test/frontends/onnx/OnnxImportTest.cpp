//===- OnnxImportTest.cpp - Imported graphs: meaning and refusals ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmallModels.h"

#include "compiler/interpret/Interpreter.h"
#include "frontends/onnx/OnnxImport.h"

#include "mlir/IR/Diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

using namespace dragoman;
using dragoman::interpret::Element;
using dragoman::interpret::Tensor;
using dragoman::test::SmallModel;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Imports a model that a test built; keeps the first diagnostic.
class OnnxImport : public testing::Test {
protected:
  bool import(const SmallModel &model) {
    std::string path =
        testing::TempDir() + "/" +
        testing::UnitTest::GetInstance()->current_test_info()->name() + ".onnx";
    std::ofstream(path, std::ios::binary) << model.bytes();
    mlir::ScopedDiagnosticHandler handler(&context,
                                          [&](mlir::Diagnostic &diagnostic) {
                                            if (error.empty())
                                              error = diagnostic.str();
                                            return mlir::success();
                                          });
    auto result = dragoman::onnx::importOnnxFile(path, context);
    if (failed(result))
      return false;
    module = std::move(*result);
    folder = testing::TempDir();
    return true;
  }

  /// Runs `main`; a failure's text goes to `error`.
  std::vector<Tensor> run(std::vector<Tensor> inputs) {
    interpret::Options options;
    options.modelFolder = folder;
    interpret::Interpreter interpreter(*module, options);
    auto results = interpreter.run("main", std::move(inputs));
    if (results)
      return *results;
    error = results.status().toString();
    return {};
  }

  static Tensor floats(std::vector<int64_t> shape,
                       const std::vector<double> &values) {
    Tensor tensor(Element::F32, std::move(shape));
    std::copy(values.begin(), values.end(), tensor.mutableFloats());
    return tensor;
  }
  static Tensor ints(std::vector<int64_t> shape,
                     const std::vector<int64_t> &values,
                     Element element = Element::I64) {
    Tensor tensor(element, std::move(shape));
    std::copy(values.begin(), values.end(), tensor.mutableIntegers());
    return tensor;
  }
  static std::vector<double> values(const Tensor &tensor) {
    std::vector<double> result;
    for (int64_t i = 0; i < tensor.elements(); ++i)
      result.push_back(tensor.at(i));
    return result;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string folder, error;
};

/// y[i] = data[indices[i]] over 7 entries.
SmallModel gatherModel(int32_t indexType) {
  SmallModel model;
  model.input("data", {7})
      .input("indices", {"n"}, indexType)
      .output("y", {"n"});
  model.node("Gather", {"data", "indices"}, {"y"});
  return model;
}

const std::vector<double> seven = {10, 20, 30, 40, 50, 60, 70};

TEST_F(OnnxImport, negativeGatherIndicesCountFromTheEnd) {
  for (auto [code, element] :
       {std::pair(7, Element::I64), std::pair(6, Element::I32)}) {
    ASSERT_TRUE(import(gatherModel(code))) << error;
    auto results = run({floats({7}, seven), ints({3}, {-1, 0, -3}, element)});
    ASSERT_EQ(results.size(), 1u) << error;
    EXPECT_THAT(values(results[0]), ElementsAre(70, 10, 50));
  }
}

TEST_F(OnnxImport, gatherIndexOutsideNamesIndexSizeAndNode) {
  ASSERT_TRUE(import(gatherModel(7))) << error;
  EXPECT_TRUE(run({floats({7}, seven), ints({1}, {7})}).empty());
  EXPECT_THAT(error, HasSubstr("index 7 is outside of size 7"));
  EXPECT_THAT(error, HasSubstr("the_Gather"));
  EXPECT_TRUE(run({floats({7}, seven), ints({1}, {-8})}).empty());
  EXPECT_THAT(error, HasSubstr("is outside of size 7"));
}

TEST_F(OnnxImport, gatherOfAShapeIsFolded) {
  SmallModel model;
  model.input("x", {2, 3, 5}).output("y", {1}, 7);
  model.ints("last", {1}, {-1});
  model.node("Shape", {"x"}, {"s"});
  model.node("Gather", {"s", "last"}, {"y"});
  ASSERT_TRUE(import(model)) << error;
  auto results = run({Tensor(Element::F32, {2, 3, 5})});
  ASSERT_EQ(results.size(), 1u) << error;
  EXPECT_THAT(values(results[0]), ElementsAre(5));
}

TEST_F(OnnxImport, embeddingRowsMayBeNegative) {
  SmallModel model;
  model.input("ids", {"b", "s"}, 7).output("y", {"b", "s", 2});
  model.floats("table", {3, 2}, {1, 2, 3, 4, 5, 6});
  model.node("Gather", {"table", "ids"}, {"y"});
  ASSERT_TRUE(import(model)) << error;
  auto results = run({ints({1, 2}, {-1, 1})});
  ASSERT_EQ(results.size(), 1u) << error;
  EXPECT_THAT(values(results[0]), ElementsAre(5, 6, 3, 4));
}

/// x reshaped by a constant shape.
SmallModel reshapeModel(std::vector<dragoman::test::Axis> from,
                        const std::vector<int64_t> &shape, int64_t allowZero) {
  SmallModel model;
  model.input("x", std::move(from)).output("y", {});
  model.ints("shape", {static_cast<int64_t>(shape.size())}, shape);
  auto &node = model.node("Reshape", {"x", "shape"}, {"y"});
  SmallModel::setInt(node, "allowzero", allowZero);
  return model;
}

TEST_F(OnnxImport, reshapeCopiesAndInfers) {
  ASSERT_TRUE(import(reshapeModel({2, 3, 4}, {0, -1}, 0))) << error;
  auto results = run({Tensor(Element::F32, {2, 3, 4})});
  ASSERT_EQ(results.size(), 1u) << error;
  EXPECT_THAT(results[0].shape(), ElementsAre(2, 12));
}

TEST_F(OnnxImport, reshapeWithZeroAllowed) {
  ASSERT_TRUE(import(reshapeModel({0, 3}, {3, 0}, 1))) << error;
  auto results = run({Tensor(Element::F32, {0, 3})});
  ASSERT_EQ(results.size(), 1u) << error;
  EXPECT_THAT(results[0].shape(), ElementsAre(3, 0));
}

TEST_F(OnnxImport, reshapeThatCannotBeToldIsRefused) {
  EXPECT_FALSE(import(reshapeModel({0, 3}, {0, -1}, 0)));
  EXPECT_THAT(error, HasSubstr("-1 cannot be told"));
}

TEST_F(OnnxImport, reshapeWithTwoInferredAxesIsRefused) {
  EXPECT_FALSE(import(reshapeModel({2, 3}, {-1, -1}, 0)));
  EXPECT_THAT(error, HasSubstr("at most one -1"));
}

TEST_F(OnnxImport, reshapeOfOtherSizeShowsBothShapes) {
  EXPECT_FALSE(import(reshapeModel({2, 3}, {4, 2}, 0)));
  EXPECT_THAT(error, HasSubstr("[2, 3]"));
  EXPECT_THAT(error, HasSubstr("[4, 2]"));
}

/// [B,S,64] -> [B,S,4,16] by Shape, Gather, Unsqueeze, Concat, Reshape, then
/// heads first: the split of multi-head attention.
TEST_F(OnnxImport, oneModuleServesEverySize) {
  SmallModel model(13);
  model.input("x", {"batch", "length", 64}).output("y", {});
  model.ints("zero", {}, {0}).set_name("zero");
  model.ints("one", {}, {1});
  model.ints("axis", {1}, {0});
  model.ints("heads", {2}, {4, 16});
  model.node("Shape", {"x"}, {"s"});
  model.node("Gather", {"s", "zero"}, {"b"});
  model.node("Gather", {"s", "one"}, {"l"});
  model.node("Unsqueeze", {"b", "axis"}, {"b1"});
  model.node("Unsqueeze", {"l", "axis"}, {"l1"});
  SmallModel::setInt(model.node("Concat", {"b1", "l1", "heads"}, {"shape"}),
                     "axis", 0);
  model.node("Reshape", {"x", "shape"}, {"split"});
  auto &perm = *model.node("Transpose", {"split"}, {"y"}).add_attribute();
  perm.set_name("perm");
  perm.set_type(::onnx::AttributeProto::INTS);
  for (int64_t axis : {0, 2, 1, 3})
    perm.add_ints(axis);
  ASSERT_TRUE(import(model)) << error;
  for (auto [b, s] :
       {std::pair(1, 1), std::pair(2, 5), std::pair(3, 1), std::pair(1, 7)}) {
    Tensor x(Element::F32, {b, s, 64});
    for (int64_t i = 0; i < x.elements(); ++i)
      x.mutableFloats()[i] = static_cast<double>(i);
    auto results = run({x});
    ASSERT_EQ(results.size(), 1u) << error;
    ASSERT_THAT(results[0].shape(), ElementsAre(b, 4, s, 16));
    for (int64_t h = 0; h < 4; ++h)
      EXPECT_EQ(results[0].at(((b - 1) * 4 + h) * s * 16),
                ((b - 1) * s) * 64 + h * 16);
  }
}

TEST_F(OnnxImport, softmaxBeforeOpset13Flattens) {
  auto model = [](int64_t opset) {
    SmallModel small(opset);
    small.input("x", {1, 2, 2}).output("y", {1, 2, 2});
    small.node("Softmax", {"x"}, {"y"});
    return small;
  };
  Tensor x = floats({1, 2, 2}, {1, 2, 3, 4});
  ASSERT_TRUE(import(model(11))) << error;
  auto old = run({x});
  ASSERT_EQ(old.size(), 1u) << error;
  EXPECT_NEAR(old[0].at(0), .03206, 1e-5);
  EXPECT_NEAR(old[0].at(3), .64391, 1e-5);
  ASSERT_TRUE(import(model(13))) << error;
  auto recent = run({x});
  ASSERT_EQ(recent.size(), 1u) << error;
  EXPECT_NEAR(recent[0].at(0), .26894, 1e-5);
  EXPECT_NEAR(recent[0].at(3), .73106, 1e-5);
}

TEST_F(OnnxImport, unequalDimensionsAreCheckedAtEntry) {
  SmallModel model;
  model.input("x", {"n"}).input("y", {"m"}).output("z", {"n"});
  model.node("Add", {"x", "y"}, {"z"});
  ASSERT_TRUE(import(model)) << error;
  auto results = run({floats({2}, {1, 2}), floats({2}, {3, 4})});
  ASSERT_EQ(results.size(), 1u) << error;
  EXPECT_THAT(values(results[0]), ElementsAre(4, 6));
  EXPECT_TRUE(run({floats({2}, {1, 2}), floats({1}, {3})}).empty());
  EXPECT_THAT(error, HasSubstr("must be equal"));
}

TEST_F(OnnxImport, gemmWithEverything) {
  SmallModel model;
  model.input("a", {2, "m"}).output("y", {"m", 3});
  model.floats("b", {3, 2}, {1, 2, 3, 4, 5, 6});
  model.floats("c", {3}, {10, 20, 30});
  auto &node = model.node("Gemm", {"a", "b", "c"}, {"y"});
  SmallModel::setInt(node, "transA", 1);
  SmallModel::setInt(node, "transB", 1);
  SmallModel::setFloat(node, "alpha", 2.0f);
  SmallModel::setFloat(node, "beta", 0.5f);
  ASSERT_TRUE(import(model)) << error;
  auto results = run({floats({2, 1}, {1, 1})});
  ASSERT_EQ(results.size(), 1u) << error;
  EXPECT_THAT(values(results[0]), ElementsAre(11, 24, 37));
}

TEST_F(OnnxImport, positionsBeyondTheTableAreNamed) {
  SmallModel model;
  model.input("x", {"b", "s"}).output("y", {"s", 2});
  model.floats("table", {3, 2}, {1, 2, 3, 4, 5, 6});
  model.ints("one", {}, {1});
  model.ints("zero", {}, {0});
  model.node("Shape", {"x"}, {"shape"});
  model.node("Gather", {"shape", "one"}, {"s"});
  model.node("Range", {"zero", "s", "one"}, {"r"});
  model.node("Gather", {"table", "r"}, {"y"}).set_name("positions");
  ASSERT_TRUE(import(model)) << error;
  auto results = run({Tensor(Element::F32, {1, 3})});
  ASSERT_EQ(results.size(), 1u) << error;
  EXPECT_THAT(values(results[0]), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_TRUE(run({Tensor(Element::F32, {1, 4})}).empty());
  EXPECT_THAT(error, HasSubstr("node 'positions' (Gather)"));
  EXPECT_THAT(error, HasSubstr("position 3 is outside of the table of 3"));
}

TEST_F(OnnxImport, smallestAndSizesAndFlatRows) {
  SmallModel model;
  model.input("x", {"b", 2, 2}).output("flat", {"b", 4}).output("least", {"b"});
  model.output("size", {}, 7).output("odd", {"b", 4}, 9);
  model.node("Flatten", {"x"}, {"flat"});
  auto &reduce = model.node("ReduceMin", {"flat"}, {"least"});
  SmallModel::setInt(reduce, "keepdims", 0);
  auto &axes = *reduce.add_attribute();
  axes.set_name("axes");
  axes.set_type(::onnx::AttributeProto::INTS);
  axes.add_ints(1);
  model.node("Size", {"x"}, {"size"});
  model.node("IsNaN", {"flat"}, {"odd"});
  ASSERT_TRUE(import(model)) << error;
  auto results = run({floats({2, 2, 2}, {1, -2, 3, 4, 5, 6, std::nan(""), 8})});
  ASSERT_EQ(results.size(), 4u) << error;
  EXPECT_THAT(results[0].shape(), ElementsAre(2, 4));
  EXPECT_EQ(results[1].at(0), -2);
  EXPECT_TRUE(std::isnan(results[1].at(1)));
  EXPECT_THAT(values(results[2]), ElementsAre(8));
  EXPECT_THAT(values(results[3]), ElementsAre(0, 0, 0, 0, 0, 0, 1, 0));
}

TEST_F(OnnxImport, wrongKindOfAttributeNamesTheNode) {
  SmallModel model;
  model.input("x", {2, 3, 4}).output("y", {2, 3, 4});
  SmallModel::setFloat(model.node("Softmax", {"x"}, {"y"}), "axis", 1.0f);
  EXPECT_FALSE(import(model));
  EXPECT_EQ(error, "node 'the_Softmax' (Softmax): expected attribute 'axis' to "
                   "be an int, found a float");
}

TEST_F(OnnxImport, missingAttributeNamesTheNode) {
  SmallModel model;
  model.input("x", {2}).output("y", {2});
  model.node("Cast", {"x"}, {"y"});
  EXPECT_FALSE(import(model));
  EXPECT_EQ(error, "node 'the_Cast' (Cast): attribute 'to' is required");
}

TEST_F(OnnxImport, axisOutOfRangeNamesTheNode) {
  SmallModel model;
  model.input("x", {2, 3, 4}).output("y", {2, 3, 4});
  SmallModel::setInt(model.node("Softmax", {"x"}, {"y"}), "axis", 7);
  EXPECT_FALSE(import(model));
  EXPECT_EQ(error, "node 'the_Softmax' (Softmax): expected an axis in -3..2, "
                   "found 7");
}

TEST_F(OnnxImport, concatOfDifferentRanksNamesTheNode) {
  SmallModel model;
  model.input("x", {2, 3}).input("y", {2}).output("z", {4, 3});
  SmallModel::setInt(model.node("Concat", {"x", "y"}, {"z"}), "axis", 0);
  EXPECT_FALSE(import(model));
  EXPECT_THAT(error, HasSubstr("node 'the_Concat' (Concat): expected operands "
                               "of one rank and type"));
}

TEST_F(OnnxImport, unsupportedOperatorsAreListedAtOnce) {
  SmallModel model;
  model.input("x", {2}).output("c", {2});
  model.node("LSTM", {"x"}, {"a"});
  model.node("LSTM", {"a"}, {"b"});
  model.node("Einsum", {"b"}, {"c"});
  EXPECT_FALSE(import(model));
  EXPECT_THAT(error, HasSubstr("not supported: Einsum (opset 14) x 1, "
                               "LSTM (opset 14) x 2"));
}

/// Heads split off and put together again, a mask, a slice and a table.
SmallModel busyModel() {
  SmallModel model(13);
  model.input("x", {"batch", "length", 8}).input("ids", {"batch", "length"}, 7);
  model.output("y", {});
  model.floats("table", {5, 8}, std::vector<float>(40, 0.25f));
  model.ints("split", {4}, {0, -1, 2, 4});
  model.ints("joined", {3}, {0, 0, 8});
  model.ints("start", {1}, {0});
  model.ints("stop", {1}, {4});
  model.ints("axis", {1}, {2});
  model.node("Gather", {"table", "ids"}, {"e"});
  model.node("Add", {"x", "e"}, {"h"});
  model.node("Reshape", {"h", "split"}, {"s"});
  auto &perm = *model.node("Transpose", {"s"}, {"t"}).add_attribute();
  perm.set_name("perm");
  perm.set_type(::onnx::AttributeProto::INTS);
  for (int64_t axis : {0, 2, 1, 3})
    perm.add_ints(axis);
  model.node("Softmax", {"t"}, {"p"});
  model.node("Reshape", {"h", "joined"}, {"j"});
  model.node("Slice", {"j", "start", "stop", "axis"}, {"c"});
  SmallModel::setInt(model.node("Concat", {"c", "j"}, {"y"}), "axis", -1);
  return model;
}

/// Any single changed byte imports or is refused with a message.
TEST_F(OnnxImport, changedBytesImportOrAreRefused) {
  const SmallModel good = busyModel();
  ASSERT_TRUE(import(good)) << error;
  const std::string bytes = good.bytes();
  for (uint32_t seed = 0; seed < 2500; ++seed) {
    std::minstd_rand random(seed);
    std::string changed = bytes;
    changed[random() % changed.size()] = static_cast<char>(random());
    SmallModel model;
    if (!model.proto.ParseFromString(changed))
      continue;
    error.clear();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    if (!import(model))
      ASSERT_FALSE(error.empty());
  }
}

} // namespace
