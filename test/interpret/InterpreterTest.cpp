//===- InterpreterTest.cpp - The interpreter's C++ interface --------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/interpret/Interpreter.h"

#include "dialects/plan/NormalWeights.h"
#include "dialects/xf/Xf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cmath>
#include <fstream>

using namespace dragoman;
using namespace dragoman::interpret;

namespace {

class InterpreterTest : public testing::Test {
protected:
  InterpreterTest() {
    context.loadDialect<xf::XfDialect, plan::PlanDialect,
                        mlir::arith::ArithDialect, mlir::func::FuncDialect,
                        mlir::linalg::LinalgDialect,
                        mlir::tensor::TensorDialect>();
  }
  mlir::ModuleOp parse(const char *text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return *module;
  }
  static Tensor floats(std::vector<int64_t> shape, std::vector<double> values) {
    Tensor tensor(Element::F32, std::move(shape));
    std::copy(values.begin(), values.end(), tensor.mutableFloats());
    return tensor;
  }
  static std::vector<double> values(const Tensor &tensor) {
    return {tensor.floats(), tensor.floats() + tensor.elements()};
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

constexpr const char *cacheModule = R"(
  plan.state @k : tensor<?x1x?x1xf32> {dims = ["Rows", "1", "Cap", "1"]}
  plan.site 4, "cache", "no room for {value} of {bound}"
  func.func @step(%x: tensor<?x1x1x1xf32> {xf.dims = ["Rows", "1", "1", "1"], xf.name = "x"},
                  %at: tensor<?xi64> {xf.dims = ["Rows"], xf.name = "at"},
                  %k: tensor<?x1x?x1xf32> {xf.dims = ["Rows", "1", "Cap", "1"], plan.state = @k})
      -> (tensor<?x1x?x1xf32> {plan.state = @k}, tensor<?x1x1x1xf32>) {
    %k1 = xf.cache_append %k, %x at %at {site = 4} : (tensor<?x1x?x1xf32>, tensor<?x1x1x1xf32>, tensor<?xi64>) -> tensor<?x1x?x1xf32>
    return %k1, %x : tensor<?x1x?x1xf32>, tensor<?x1x1x1xf32>
  })";

Tensor position(int64_t at) {
  Tensor tensor(Element::I64, {1});
  tensor.mutableIntegers()[0] = at;
  return tensor;
}

TEST_F(InterpreterTest, StatesLiveBetweenRuns) {
  Interpreter interpreter(parse(cacheModule));
  Result<StateMap> states = interpreter.makeStates({{"Rows", 1}, {"Cap", 3}});
  ASSERT_TRUE(states) << states.status().toString();
  for (int64_t at : {0, 1}) {
    auto out = interpreter.run(
        "step", {floats({1, 1, 1, 1}, {at + 5.0}), position(at)}, &*states);
    ASSERT_TRUE(out) << out.status().toString();
    ASSERT_EQ(out->size(), 1u);
  }
  EXPECT_EQ(values(states->at("k")), (std::vector<double>{5, 6, 0}));
}

TEST_F(InterpreterTest, FailedRunKeepsStatesAndNamesTheSite) {
  Interpreter interpreter(parse(cacheModule));
  StateMap states = *interpreter.makeStates({{"Rows", 1}, {"Cap", 2}});
  auto out = interpreter.run("step", {floats({1, 1, 1, 1}, {7}), position(2)},
                             &states);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.status().code(), StatusCode::RuntimeError);
  EXPECT_EQ(out.status().toString(), "cache: no room for 3 of 2");
  EXPECT_EQ(values(states.at("k")), (std::vector<double>{0, 0}));
  // The record of one run is not seen by the next.
  EXPECT_TRUE(interpreter.run("step", {floats({1, 1, 1, 1}, {7}), position(1)},
                              &states));
}

TEST_F(InterpreterTest, InputsThatDoNotFitAreNamed) {
  Interpreter interpreter(parse(cacheModule));
  StateMap states = *interpreter.makeStates({{"Rows", 1}, {"Cap", 2}});
  Tensor x = floats({1, 1, 1, 1}, {7});
  EXPECT_EQ(interpreter.run("stop", {}).status().message(),
            "expected the name of a function or entry, found 'stop'");
  EXPECT_EQ(interpreter.run("step", {x}, &states).status().message(),
            "expected an input for argument 1, found 1 inputs");
  EXPECT_EQ(interpreter.run("step", {x, position(0)}).status().message(),
            "expected a value for state @k");
  Tensor two = floats({2, 1, 1, 1}, {7, 8});
  EXPECT_EQ(
      interpreter.run("step", {two, position(0)}, &states).status().message(),
      "expected axis 0 of at (Rows) to be 2, found 1");
  EXPECT_EQ(interpreter.run("step", {position(0), position(0)}, &states)
                .status()
                .message(),
            "expected argument 0 of tensor<?x1x1x1xf32>, found 1xi64");
}

TEST_F(InterpreterTest, WeightsFromFileNormalAndInitialiser) {
  std::string folder = testing::TempDir();
  float stored[3] = {1.5f, -2.0f, 4.0f};
  std::ofstream(folder + "/w.bin", std::ios::binary)
      .write(reinterpret_cast<char *>(stored), sizeof stored);
  Options options;
  options.modelFolder = folder;
  Interpreter interpreter(parse(R"(
    plan.weight @file : tensor<2xf32> {source = #plan.file<"w.bin", 4, 8>}
    plan.weight @beyond : tensor<2xf32> {source = #plan.file<"w.bin", 8, 8>}
    plan.weight @normal : tensor<3xf32> {source = #plan.normal<7, 0.5>}
    plan.weight @both : tensor<5xf32> {derived = @init}
    func.func private @init() -> tensor<5xf32> {
      %a = plan.load @file : tensor<2xf32>
      %b = plan.load @normal : tensor<3xf32>
      %c = tensor.concat dim(0) %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
      return %c : tensor<5xf32>
    })"),
                          options);
  Result<Tensor> both = interpreter.weight("both");
  ASSERT_TRUE(both) << both.status().toString();
  EXPECT_EQ(both->floats()[0], -2.0);
  EXPECT_EQ(both->floats()[1], 4.0);
  for (uint64_t i = 0; i < 3; ++i)
    EXPECT_EQ(both->floats()[2 + i],
              static_cast<float>(plan::normalDraw(7, 0.5, i)));
  Status beyond = interpreter.weight("beyond").status();
  EXPECT_EQ(beyond.message(),
            "expected 8 bytes at offset 8, found a file of 12");
}

TEST_F(InterpreterTest, TypedRoundsAndWideDoesNot) {
  const char *text = R"(
    func.func @third(%x: tensor<1xf16>) -> tensor<1xf16> {
      %three = arith.constant dense<3.0> : tensor<1xf16>
      %y = arith.divf %x, %three : tensor<1xf16>
      return %y : tensor<1xf16>
    })";
  Tensor one(Element::F16, {1});
  one.mutableFloats()[0] = 1.0;
  Interpreter typed(parse(text));
  EXPECT_EQ((*typed.run("third", {one}))[0].floats()[0], 0x1.554p-2);
  Interpreter wide(parse(text), {Mode::Wide, {}, {}, {}});
  EXPECT_EQ((*wide.run("third", {one}))[0].floats()[0], 1.0 / 3.0);
}

TEST(Tensor, RoundsToNearestEven) {
  EXPECT_EQ(roundTo(Element::F16, 2049.0), 2048.0);
  EXPECT_EQ(roundTo(Element::F16, 2051.0), 2052.0);
  EXPECT_EQ(roundTo(Element::F16, 65519.0), 65504.0);
  EXPECT_TRUE(std::isinf(roundTo(Element::F16, 65520.0)));
  EXPECT_EQ(roundTo(Element::F16, 0x1p-25), 0.0);
  EXPECT_EQ(roundTo(Element::F16, 0x1.8p-25), 0x1p-24);
  EXPECT_EQ(roundTo(Element::BF16, 257.0), 256.0);
  EXPECT_EQ(roundTo(Element::BF16, 259.0), 260.0);
  EXPECT_TRUE(std::isnan(roundTo(Element::BF16, NAN)));
  EXPECT_TRUE(std::signbit(roundTo(Element::F16, -0.0)));
  EXPECT_EQ(roundTo(Element::F32, 0.1), static_cast<double>(0.1f));
}

TEST(Tensor, CopiesShareUntilWritten) {
  Tensor a(Element::F32, {2});
  Tensor b = a;
  EXPECT_EQ(a.floats(), b.floats());
  b.mutableFloats()[0] = 1.0;
  EXPECT_EQ(a.floats()[0], 0.0);
  EXPECT_EQ(b.floats()[0], 1.0);
}

// The values are part of the file format: benchmarks and goldens rest on them.
TEST(NormalWeights, ValuesArePinned) {
  EXPECT_EQ(plan::splitMix(0, 0), 0xe220a8397b1dcdafu);
  double sum = 0, squares = 0;
  constexpr int count = 20000;
  for (int i = 0; i < count; ++i) {
    double x = plan::normalDraw(3, 2.0, i);
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / count, 0.0, 0.05);
  EXPECT_NEAR(squares / count, 4.0, 0.1);
  EXPECT_NEAR(plan::normalDraw(7, 1.0, 0), plan::normalDraw(7, 2.0, 0) / 2, 0);
}

} // namespace
