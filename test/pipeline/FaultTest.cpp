//===- FaultTest.cpp - Hard graphs, imported, compiled and run ------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of docs/robustness.md that are about indices, empty sizes, shapes
// and masks: an ONNX graph becomes one artifact, and its machine code runs.
//
//===----------------------------------------------------------------------===//

#include "test/pipeline/CompiledModel.h"

#include "compiler/graph/Passes.h"
#include "compiler/interpret/Interpreter.h"
#include "frontends/onnx/OnnxImport.h"
#include "test/frontends/onnx/SmallModels.h"
#include "tools/driver/Registration.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace dragoman;
using namespace dragoman::test;
using interpret::Element;
using interpret::Tensor;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// An array as the runtime takes it.
struct Array {
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
  std::vector<char> bytes;

  template <typename T> std::vector<T> values() const {
    std::vector<T> result(bytes.size() / sizeof(T));
    std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
  }
};

template <typename T>
Array arrayOf(ElementType type, std::vector<int64_t> shape,
              const std::vector<T> &values) {
  Array array{type, std::move(shape), {}};
  array.bytes.resize(values.size() * sizeof(T));
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

Array floats(std::vector<int64_t> shape, const std::vector<float> &values) {
  return arrayOf(ElementType::F32, std::move(shape), values);
}

/// 0.1, 0.2, ... in the given shape.
Array counted(std::vector<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  std::vector<float> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = 0.1f * static_cast<float>(i + 1);
  return floats(std::move(shape), values);
}

/// Indices of either width.
Array indices(ElementType type, std::vector<int64_t> shape,
              const std::vector<int64_t> &values) {
  if (type == ElementType::I64)
    return arrayOf(type, std::move(shape), values);
  return arrayOf(type, std::move(shape),
                 std::vector<int32_t>(values.begin(), values.end()));
}

class CompiledFault : public testing::TestWithParam<const char *> {
protected:
  CompiledFault() : context(registry()) {
    context.loadAllAvailableDialects();
    context.disableMultithreading();
  }
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  /// The imported graph, or null with its first message in `error`.
  mlir::OwningOpRef<mlir::ModuleOp> import(const SmallModel &model) {
    std::string path = testing::TempDir() + "/fault.onnx";
    std::ofstream(path, std::ios::binary) << model.bytes();
    error.clear();
    mlir::ScopedDiagnosticHandler handler(&context,
                                          [&](mlir::Diagnostic &diagnostic) {
                                            if (error.empty())
                                              error = diagnostic.str();
                                            return mlir::success();
                                          });
    auto result = dragoman::onnx::importOnnxFile(path, context);
    return failed(result) ? nullptr : std::move(*result);
  }

  /// A session over the graph's machine code.
  std::unique_ptr<Session> compile(const SmallModel &model) {
    mlir::OwningOpRef<mlir::ModuleOp> module = import(model);
    EXPECT_TRUE(module) << error;
    if (!module)
      return nullptr;
    auto loaded = compileAndLoad(*module, testing::TempDir(), GetParam());
    EXPECT_TRUE(loaded);
    return loaded ? std::make_unique<Session>(loaded) : nullptr;
  }

  /// Runs `main`; a refusal or failing check is the status.
  static Result<std::vector<Array>> run(Session &session,
                                        std::vector<Array> inputs) {
    const EntryTable &table = *session.model().entry("main");
    std::vector<TensorView> views, results;
    for (Array &input : inputs)
      views.push_back({input.bytes.data(), input.type, input.shape});
    auto shapes = session.outputShapes("main", views);
    if (!shapes)
      return shapes.status();
    std::vector<Array> outputs;
    for (size_t i = 0; i < table.outputs.size(); ++i) {
      size_t bytes = elementSize(table.outputs[i].type);
      for (int64_t size : (*shapes)[i])
        bytes *= static_cast<size_t>(size);
      outputs.push_back({table.outputs[i].type, (*shapes)[i],
                         std::vector<char>(bytes, '\x55')});
    }
    for (Array &output : outputs)
      results.push_back({output.bytes.data(), output.type, output.shape});
    if (Status status = session.run("main", views, results); !status)
      return status;
    return outputs;
  }

  /// The only result of a run that must succeed.
  static Array result(Session &session, std::vector<Array> inputs) {
    auto results = run(session, std::move(inputs));
    EXPECT_TRUE(results) << results.status().toString();
    return results ? results->at(0) : Array();
  }

  mlir::MLIRContext context;
  std::string error;
};

/// y = data[indices] along an axis.
SmallModel gatherModel(int32_t indexType, std::vector<Axis> shape,
                       int64_t axis) {
  SmallModel model;
  model.input("data", std::move(shape))
      .input("indices", {"n"}, indexType)
      .output("y", {});
  SmallModel::setInt(model.node("Gather", {"data", "indices"}, {"y"}), "axis",
                     axis);
  return model;
}

TEST_P(CompiledFault, Fault18GatherIndices) {
  for (auto [code, type] :
       {std::pair(7, ElementType::I64), std::pair(6, ElementType::I32)}) {
    auto session = compile(gatherModel(code, {7}, 0));
    ASSERT_TRUE(session);
    Array data = floats({7}, {10, 20, 30, 40, 50, 60, 70});
    EXPECT_THAT(result(*session, {data, indices(type, {3}, {-1, 6, -7})})
                    .values<float>(),
                ElementsAre(70, 70, 10));
    for (int64_t outside : {7, -8}) {
      auto failed = run(*session, {data, indices(type, {2}, {0, outside})});
      ASSERT_FALSE(failed) << outside;
      EXPECT_EQ(failed.status().code(), StatusCode::RuntimeError);
      EXPECT_THAT(
          failed.status().toString(),
          testing::AllOf(HasSubstr("index " + std::to_string(outside) + " "),
                         HasSubstr("size 7"), HasSubstr("the_Gather")));
    }
    EXPECT_THAT(
        result(*session, {data, indices(type, {1}, {2})}).values<float>(),
        ElementsAre(30));
  }
}

TEST_P(CompiledFault, Fault18GatherAlongAnInnerAxis) {
  auto session = compile(gatherModel(7, {"rows", 7}, 1));
  ASSERT_TRUE(session);
  Array data = counted({2, 7});
  std::vector<float> all = data.values<float>();
  EXPECT_THAT(result(*session, {data, indices(ElementType::I64, {1}, {-1})})
                  .values<float>(),
              ElementsAre(all[6], all[13]));
  for (int64_t outside : {7, -8}) {
    auto failed =
        run(*session, {data, indices(ElementType::I64, {1}, {outside})});
    ASSERT_FALSE(failed);
    EXPECT_THAT(failed.status().toString(),
                HasSubstr("index " + std::to_string(outside) + " "));
  }
}

TEST_P(CompiledFault, Fault18TableRows) {
  for (auto [code, type] :
       {std::pair(7, ElementType::I64), std::pair(6, ElementType::I32)}) {
    SmallModel model;
    model.input("ids", {"b", "s"}, code).output("y", {"b", "s", 2});
    model.floats("table", {3, 2}, {1, 2, 3, 4, 5, 6});
    model.node("Gather", {"table", "ids"}, {"y"});
    auto session = compile(model);
    ASSERT_TRUE(session);
    EXPECT_THAT(
        result(*session, {indices(type, {1, 2}, {-1, 1})}).values<float>(),
        ElementsAre(5, 6, 3, 4));
    for (int64_t outside : {3, -4}) {
      auto failed = run(*session, {indices(type, {1, 2}, {0, outside})});
      ASSERT_FALSE(failed);
      EXPECT_THAT(failed.status().toString(),
                  HasSubstr(" " + std::to_string(outside) + " "));
    }
  }
}

TEST_P(CompiledFault, Case19NegativeIndicesAndAFoldedShape) {
  auto session = compile(gatherModel(7, {3}, 0));
  ASSERT_TRUE(session);
  Array data = floats({3}, {10, 20, 30});
  auto at = [](std::vector<int64_t> values) {
    auto count = static_cast<int64_t>(values.size());
    return indices(ElementType::I64, {count}, values);
  };
  EXPECT_THAT(result(*session, {data, at({-1, 0, -3})}).values<float>(),
              ElementsAre(30, 10, 10));
  for (int64_t outside : {3, -4}) {
    auto failed = run(*session, {data, at({outside})});
    ASSERT_FALSE(failed);
    EXPECT_THAT(
        failed.status().toString(),
        testing::AllOf(HasSubstr("index " + std::to_string(outside) + " "),
                       HasSubstr("size 3")));
  }
  SmallModel model;
  model.input("x", {2, 3, 5}).output("y", {1}, 7);
  model.ints("last", {1}, {-1});
  model.node("Shape", {"x"}, {"s"});
  model.node("Gather", {"s", "last"}, {"y"});
  auto folded = compile(model);
  ASSERT_TRUE(folded);
  EXPECT_THAT(result(*folded, {counted({2, 3, 5})}).values<int64_t>(),
              ElementsAre(5));
}

/// softmax(x w) w', a projection with softmax between.
SmallModel projections() {
  SmallModel model(13);
  model.input("x", {"b", "s", 8}).output("y", {"b", "s", 8});
  std::vector<float> weight(64);
  for (size_t i = 0; i < 64; ++i)
    weight[i] = 0.01f * static_cast<float>(i);
  model.floats("w", {8, 8}, weight);
  model.node("MatMul", {"x", "w"}, {"p"});
  model.node("Softmax", {"p"}, {"q"});
  model.node("MatMul", {"q", "w"}, {"y"});
  return model;
}

TEST_P(CompiledFault, Fault20EmptyBatchAndLength) {
  auto session = compile(projections());
  ASSERT_TRUE(session);
  for (auto [b, s] : {std::pair(0, 3), std::pair(2, 0), std::pair(0, 0)}) {
    Array y = result(*session, {counted({b, s, 8})});
    EXPECT_THAT(y.shape, ElementsAre(b, s, 8));
  }
  EXPECT_EQ(result(*session, {counted({1, 1, 8})}).shape[0], 1);
}

/// Attention over past keys and new ones.
SmallModel pastModel() {
  SmallModel model(13);
  model.input("past", {"b", 2, "past", 4}).input("new", {"b", 2, "t", 4});
  model.output("y", {"b", 2, "t", 4});
  SmallModel::setInt(model.node("Concat", {"past", "new"}, {"k"}), "axis", 2);
  auto &perm = *model.node("Transpose", {"k"}, {"kt"}).add_attribute();
  perm.set_name("perm");
  perm.set_type(::onnx::AttributeProto::INTS);
  for (int64_t axis : {0, 1, 3, 2})
    perm.add_ints(axis);
  model.node("MatMul", {"new", "kt"}, {"scores"});
  model.node("Softmax", {"scores"}, {"p"});
  model.node("MatMul", {"p", "k"}, {"y"});
  return model;
}

TEST_P(CompiledFault, Fault20EmptyPast) {
  auto session = compile(pastModel());
  ASSERT_TRUE(session);
  // One new key and no past: its value is the answer.
  Array one = counted({1, 2, 1, 4});
  EXPECT_THAT(result(*session, {floats({1, 2, 0, 4}, {}), one}).values<float>(),
              testing::Pointwise(testing::FloatEq(), one.values<float>()));
  Array none =
      result(*session, {floats({0, 2, 3, 4}, {}), floats({0, 2, 1, 4}, {})});
  EXPECT_THAT(none.shape, ElementsAre(0, 2, 1, 4));
}

TEST_P(CompiledFault, Fault20ProductOverNothingIsZero) {
  SmallModel model(13);
  model.input("a", {"n", "k"}).input("b", {"k", "m"}).output("y", {"n", "m"});
  model.node("MatMul", {"a", "b"}, {"y"});
  auto session = compile(model);
  ASSERT_TRUE(session);
  Array y = result(*session, {floats({2, 0}, {}), floats({0, 3}, {})});
  EXPECT_THAT(y.shape, ElementsAre(2, 3));
  EXPECT_EQ(y.values<float>(), std::vector<float>(6, 0.0f));
  EXPECT_THAT(result(*session, {floats({1, 2}, {1, 2}), floats({2, 1}, {3, 4})})
                  .values<float>(),
              ElementsAre(11));
}

/// x w, then heads split off by a computed shape. Names or sizes as axes.
SmallModel headsModel(Axis batch, Axis length) {
  SmallModel model(13);
  model.input("x", {batch, length, 64}).output("y", {});
  std::vector<float> weight(64 * 64);
  for (size_t i = 0; i < weight.size(); ++i)
    weight[i] = 0.001f * static_cast<float>((i * 37) % 101);
  model.floats("w", {64, 64}, weight);
  model.ints("zero", {}, {0});
  model.ints("one", {}, {1});
  model.ints("axis", {1}, {0});
  model.ints("heads", {2}, {4, 16});
  model.node("MatMul", {"x", "w"}, {"p"});
  model.node("Shape", {"p"}, {"s"});
  model.node("Gather", {"s", "zero"}, {"b"});
  model.node("Gather", {"s", "one"}, {"l"});
  model.node("Unsqueeze", {"b", "axis"}, {"b1"});
  model.node("Unsqueeze", {"l", "axis"}, {"l1"});
  SmallModel::setInt(model.node("Concat", {"b1", "l1", "heads"}, {"shape"}),
                     "axis", 0);
  model.node("Reshape", {"p", "shape"}, {"split"});
  model.node("Softmax", {"split"}, {"y"});
  return model;
}

TEST_P(CompiledFault, Case18OneArtifactForEverySize) {
  auto dynamic = compile(headsModel("batch", "length"));
  ASSERT_TRUE(dynamic);
  for (auto [b, s] :
       {std::pair(1, 1), std::pair(2, 5), std::pair(3, 1), std::pair(1, 7)}) {
    auto fixed = compile(headsModel(b, s));
    ASSERT_TRUE(fixed);
    Array found = result(*dynamic, {counted({b, s, 64})});
    Array expected = result(*fixed, {counted({b, s, 64})});
    EXPECT_THAT(found.shape, ElementsAre(b, s, 4, 16));
    EXPECT_EQ(found.shape, expected.shape);
    EXPECT_TRUE(found.bytes == expected.bytes) << b << "x" << s;
  }
}

SmallModel reshapeModel(std::vector<Axis> from, std::vector<int64_t> shape,
                        int64_t allowZero) {
  SmallModel model;
  model.input("x", std::move(from)).output("y", {});
  model.ints("shape", {static_cast<int64_t>(shape.size())}, shape);
  SmallModel::setInt(model.node("Reshape", {"x", "shape"}, {"y"}), "allowzero",
                     allowZero);
  return model;
}

TEST_P(CompiledFault, Case21ReshapeWithZerosAndInferredAxes) {
  auto copied = compile(reshapeModel({2, 3, 4}, {0, -1}, 0));
  ASSERT_TRUE(copied);
  Array x = counted({2, 3, 4});
  Array y = result(*copied, {x});
  EXPECT_THAT(y.shape, ElementsAre(2, 12));
  EXPECT_TRUE(y.bytes == x.bytes);
  auto zero = compile(reshapeModel({0, 3}, {3, 0}, 1));
  ASSERT_TRUE(zero);
  EXPECT_THAT(result(*zero, {floats({0, 3}, {})}).shape, ElementsAre(3, 0));
  EXPECT_FALSE(import(reshapeModel({0, 3}, {0, -1}, 0)));
  EXPECT_THAT(error, HasSubstr("-1 cannot be told"));
  EXPECT_FALSE(import(reshapeModel({2, 3}, {-1, -1}, 0)));
  EXPECT_THAT(error, HasSubstr("at most one -1"));
}

TEST_P(CompiledFault, Case21ComputedShape) {
  SmallModel model(13);
  model.input("x", {"b", "s", 6}).output("y", {});
  model.ints("start", {1}, {0});
  model.ints("stop", {1}, {2});
  model.ints("rest", {2}, {2, -1});
  model.node("Shape", {"x"}, {"s"});
  model.node("Slice", {"s", "start", "stop"}, {"lead"});
  SmallModel::setInt(model.node("Concat", {"lead", "rest"}, {"shape"}), "axis",
                     0);
  model.node("Reshape", {"x", "shape"}, {"y"});
  auto session = compile(model);
  ASSERT_TRUE(session);
  for (auto [b, s] : {std::pair(1, 1), std::pair(2, 5)}) {
    Array x = counted({b, s, 6});
    Array y = result(*session, {x});
    EXPECT_THAT(y.shape, ElementsAre(b, s, 2, 3));
    EXPECT_TRUE(y.bytes == x.bytes);
  }
}

/// The entries below on one route: the interpreter ("wide"), the decomposed
/// graph, or machine code of a level.
class AttentionCase : public CompiledFault {
protected:
  std::vector<std::vector<double>> valuesOf(const std::string &route,
                                            const std::string &entry);
};

// All queries are 0: every visible key weighs the same.
const char *attentionCases = R"(
func.func @case1(%q: tensor<1x1x2x2xf32> {xf.dims = ["1", "1", "2", "2"]}) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x1xf32>) {
  %k = arith.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %v = arith.constant dense<[[[[1.0], [3.0]]]]> : tensor<1x1x2x1xf32>
  %m = arith.constant dense<[[[[false, false], [true, true]]]]> : tensor<1x1x2x2xi1>
  %all = arith.constant dense<true> : tensor<1x1x2x2xi1>
  %b = arith.constant dense<[[[[0xFF800000, 0xFF800000], [0.0, 0.0]]]]> : tensor<1x1x2x2xf32>
  %o, %l = xf.attention %q, %k, %k mask %m : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xi1>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2xf32>)
  %p, %n = xf.attention %q, %k, %k bias %b : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2xf32>)
  %c, %e = xf.attention %q, %k, %v mask %all {causal} : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x2xi1>) -> (tensor<1x1x2x1xf32>, tensor<1x1x2xf32>)
  return %o, %p, %c : tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x1xf32>
}
func.func @case2(%q: tensor<1x1x2x1xf32> {xf.dims = ["1", "1", "2", "1"]}) -> (tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>) {
  %q4 = arith.constant dense<0.0> : tensor<1x1x4x1xf32>
  %v = arith.constant dense<[[[[0.0], [3.0], [6.0], [9.0]]]]> : tensor<1x1x4x1xf32>
  %v2 = arith.constant dense<[[[[2.0], [4.0]]]]> : tensor<1x1x2x1xf32>
  %past = arith.constant dense<2> : tensor<i64>
  %before = arith.constant dense<-2> : tensor<i64>
  %n4 = arith.constant dense<[4]> : tensor<1xi64>
  %n2 = arith.constant dense<[2]> : tensor<1xi64>
  %a, %la = xf.attention %q, %q4, %v {causal} : (tensor<1x1x2x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>) -> (tensor<1x1x2x1xf32>, tensor<1x1x2xf32>)
  %b, %lb = xf.attention %q, %q4, %v offset %past {causal} : (tensor<1x1x2x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>, tensor<i64>) -> (tensor<1x1x2x1xf32>, tensor<1x1x2xf32>)
  %c, %lc = xf.attention %q, %q4, %v key_count %n4 offset %past {causal} : (tensor<1x1x2x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>, tensor<1xi64>, tensor<i64>) -> (tensor<1x1x2x1xf32>, tensor<1x1x2xf32>)
  %d, %ld = xf.attention %q4, %q, %v2 {causal} : (tensor<1x1x4x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>) -> (tensor<1x1x4x1xf32>, tensor<1x1x4xf32>)
  %e, %le = xf.attention %q4, %q, %v2 key_count %n2 offset %before {causal} : (tensor<1x1x4x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1xi64>, tensor<i64>) -> (tensor<1x1x4x1xf32>, tensor<1x1x4xf32>)
  return %a, %b, %c, %d, %e : tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>
})";

std::vector<std::vector<double>>
AttentionCase::valuesOf(const std::string &route, const std::string &entry) {
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(attentionCases, &context);
  EXPECT_TRUE(module);
  int64_t channels = entry == "case1" ? 2 : 1;
  std::vector<Tensor> inputs = {Tensor(Element::F32, {1, 1, 2, channels})};
  std::vector<Tensor> tensors;
  if (route == "decomposed") {
    auto passes = mlir::PassManager::on<mlir::ModuleOp>(&context);
    passes.addPass(createXfDecompose());
    EXPECT_TRUE(mlir::succeeded(passes.run(*module)));
  }
  if (route == "compiled") {
    auto model = compileAndLoad(*module, "", GetParam());
    EXPECT_TRUE(model);
    if (!model)
      return {};
    Session session(model);
    tensors = runEntry(session, entry, inputs);
  } else {
    auto results = interpret::Interpreter(*module).run(entry, inputs);
    EXPECT_TRUE(results) << results.status().toString();
    if (results)
      tensors = *results;
  }
  std::vector<std::vector<double>> values;
  for (const Tensor &tensor : tensors) {
    values.emplace_back();
    for (int64_t i = 0; i < tensor.elements(); ++i)
      values.back().push_back(tensor.at(i));
  }
  return values;
}

using Values = std::vector<std::vector<double>>;

TEST_P(AttentionCase, Case01RowsThatSeeNothingAreZero) {
  for (const char *route : {"interpreted", "decomposed", "compiled"})
    EXPECT_EQ(valuesOf(route, "case1"),
              (Values{{0, 0, 2, 3}, {0, 0, 2, 3}, {1, 2}}))
        << route;
}

TEST_P(AttentionCase, Case02CausalAlignment) {
  for (const char *route : {"interpreted", "decomposed", "compiled"})
    EXPECT_EQ(
        valuesOf(route, "case2"),
        (Values{{0, 1.5}, {3, 4.5}, {3, 4.5}, {2, 3, 3, 3}, {0, 0, 2, 3}}))
        << route;
}

std::string levelName(const testing::TestParamInfo<const char *> &info) {
  return std::string(info.param).substr(7);
}

INSTANTIATE_TEST_SUITE_P(Levels, CompiledFault,
                         testing::Values("x86-64-v3", "x86-64-v4"), levelName);
INSTANTIATE_TEST_SUITE_P(Levels, AttentionCase,
                         testing::Values("x86-64-v3", "x86-64-v4"), levelName);

} // namespace
