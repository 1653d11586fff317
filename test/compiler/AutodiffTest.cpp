//===- AutodiffTest.cpp - The training entries on the interpreter ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/autodiff/Passes.h"
#include "compiler/interpret/Interpreter.h"
#include "dialects/plan/Parameters.h"
#include "dialects/xf/Xf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace dragoman;
using interpret::Element;
using interpret::Interpreter;
using interpret::StateMap;
using interpret::Tensor;

namespace {

/// Two layers with a shared bias; loss = sum (f(x) - y)^2 with dropout behind
/// the first layer.
const char *network = R"mlir(
plan.weight @w2 : tensor<2x4xf32> {source = #plan.normal<2, 0.5>, trainable, decay}
plan.weight @b : tensor<4xf32> {source = #plan.normal<3, 0.5>, trainable}
plan.weight @w1 : tensor<4x3xf32> {source = #plan.normal<1, 0.5>, trainable, decay}
plan.weight @fixed : tensor<2xf32> {source = #plan.normal<4, 0.5>}
plan.weight @unread : tensor<2xf32> {source = #plan.normal<5, 0.5>, trainable}

func.func @loss(%x: tensor<?x3xf32> {xf.dims = ["B", "3"], xf.name = "x"},
                %y: tensor<?x2xf32> {xf.dims = ["B", "2"], xf.name = "y"},
                %key: tensor<?xi64> {xf.dims = ["B"], xf.name = "row_key"},
                %seed: tensor<i64> {xf.dims = [], xf.name = "seed"})
    -> (tensor<f32> {xf.name = "loss"}, tensor<f32> {xf.name = "nll"}) {
  %w1 = plan.load @w1 : tensor<4x3xf32>
  %b = plan.load @b : tensor<4xf32>
  %w2 = plan.load @w2 : tensor<2x4xf32>
  %c = plan.load @fixed : tensor<2xf32>
  %h0 = xf.linear %x, %w1 bias %b {activation = "ACTIVATION"} : (tensor<?x3xf32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %h1 = xf.dropout %h0 seed %seed row_key %key {p = DROPOUT : f64, site = 1 : i64} : (tensor<?x4xf32>, tensor<i64>, tensor<?xi64>) -> tensor<?x4xf32>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%h1, %b : tensor<?x4xf32>, tensor<4xf32>) outs(%h1 : tensor<?x4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  %f = xf.linear %h, %w2 bias %c : (tensor<?x4xf32>, tensor<2x4xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  %d = arith.subf %f, %y : tensor<?x2xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%d : tensor<?x2xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.mulf %p, %p : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %nll = arith.mulf %sum, %half : tensor<f32>
  return %sum, %nll : tensor<f32>, tensor<f32>
}
)mlir";

struct Options {
  std::string activation = "gelu", dropout = "0.0", training = "";
};

class Training : public testing::Test {
protected:
  void make(const Options &options = {}) {
    context.loadDialect<plan::PlanDialect, xf::XfDialect,
                        mlir::arith::ArithDialect, mlir::func::FuncDialect,
                        mlir::linalg::LinalgDialect, mlir::math::MathDialect,
                        mlir::tensor::TensorDialect>();
    std::string text = network;
    replace(text, "ACTIVATION", options.activation);
    replace(text, "DROPOUT", options.dropout);
    if (!options.training.empty())
      text = "module attributes {xf.training = {" + options.training + "}} {" +
             text + "}";
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    auto passes = mlir::PassManager::on<mlir::ModuleOp>(&context);
    passes.addPass(autodiff::createDifferentiatePass());
    ASSERT_TRUE(succeeded(passes.run(*module)));
    interpreter = std::make_unique<Interpreter>(
        *module, interpret::Options{interpret::Mode::Wide, "", {}, {}});
    Result<StateMap> made = interpreter->makeStates({});
    ASSERT_TRUE(made) << made.status().toString();
    states = std::move(*made);
    for (const ParameterDesc &parameter : listParameters(*module)) {
      Tensor value = *interpreter->weight(parameter.name);
      for (int64_t i = 0; i < parameter.elements(); ++i)
        states["parameters"].mutableFloats()[parameter.offset + i] =
            value.at(i);
    }
  }

  static void replace(std::string &text, const std::string &key,
                      const std::string &value) {
    text.replace(text.find(key), key.size(), value);
  }

  static std::vector<Tensor> batch() {
    Tensor x(Element::F32, {3, 3}), y(Element::F32, {3, 2}),
        key(Element::I64, {3});
    for (int64_t i = 0; i < 9; ++i)
      x.mutableFloats()[i] = std::sin(1.0 + i);
    for (int64_t i = 0; i < 6; ++i)
      y.mutableFloats()[i] = std::cos(2.0 + i);
    for (int64_t i = 0; i < 3; ++i)
      key.mutableIntegers()[i] = 7 * i;
    return {x, y, key, Tensor::scalar(Element::I64, int64_t(5))};
  }

  static std::vector<Tensor> settings(double rate, int64_t step,
                                      double inverseCount, double clip) {
    return {Tensor::scalar(Element::F32, rate),
            Tensor::scalar(Element::I64, step),
            Tensor::scalar(Element::F32, inverseCount),
            Tensor::scalar(Element::F32, clip)};
  }

  std::vector<double> run(const char *entry, std::vector<Tensor> inputs) {
    Result<std::vector<Tensor>> results =
        interpreter->run(entry, std::move(inputs), &states);
    EXPECT_TRUE(results) << results.status().toString();
    std::vector<double> values;
    if (results)
      for (const Tensor &result : *results)
        values.push_back(result.at(0));
    return values;
  }

  std::vector<double> step(std::vector<Tensor> last) {
    std::vector<Tensor> inputs = batch();
    inputs.insert(inputs.end(), last.begin(), last.end());
    return run("step", std::move(inputs));
  }

  std::vector<double> state(const char *name) {
    const Tensor &tensor = states.at(name);
    return {tensor.floats(), tensor.floats() + tensor.elements()};
  }

  static constexpr int64_t size = 8 + 12 + 4 + 2;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<Interpreter> interpreter;
  StateMap states;
};

void expectNear(const std::vector<double> &a, const std::vector<double> &b,
                double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(a[i], b[i], tolerance) << "element " << i;
}

} // namespace

// With dropout 0 the validation loss is what the gradient belongs to.
TEST_F(Training, GradientsAreThoseOfTheLoss) {
  for (const char *activation : {"none", "relu", "gelu", "silu"}) {
    make({.activation = activation});
    std::vector<double> losses = run("backward", batch());
    expectNear(run("loss", batch()), losses, 1e-12);
    std::vector<double> gradients = state("gradients"), expected;
    ASSERT_EQ(gradients.size(), static_cast<size_t>(size));
    double *parameters = states["parameters"].mutableFloats();
    for (int64_t i = 0; i < size; ++i) {
      double value = parameters[i], sides[2];
      for (int side : {0, 1}) {
        parameters[i] = value + (side ? 1e-6 : -1e-6);
        sides[side] = run("loss", batch())[0];
        parameters = states["parameters"].mutableFloats();
      }
      parameters[i] = value;
      expected.push_back((sides[1] - sides[0]) / 2e-6);
    }
    expectNear(gradients, expected, 1e-6);
    // The last parameter takes no part.
    EXPECT_EQ(gradients[size - 1], 0);
  }
}

TEST_F(Training, SegmentsDecayFirst) {
  make();
  std::vector<std::string> names;
  for (const ParameterDesc &parameter : listParameters(*module))
    names.push_back(parameter.name + "@" + std::to_string(parameter.offset));
  EXPECT_THAT(names, testing::ElementsAre("w2@0", "w1@8", "b@20", "unread@24"));
}

TEST_F(Training, BackwardAddsToTheGradients) {
  make();
  run("backward", batch());
  std::vector<double> once = state("gradients");
  run("backward", batch());
  for (double &value : once)
    value *= 2;
  expectNear(state("gradients"), once, 1e-12);
}

TEST_F(Training, StepIsBackwardAndUpdate) {
  make({.dropout = "0.3"});
  StateMap start = states;
  std::vector<double> losses = run("backward", batch());
  std::vector<double> norm = run("update", settings(0.01, 1, 0.25, 0.5));
  std::vector<double> parameters = state("parameters"),
                      moment1 = state("moment1"), moment2 = state("moment2");
  EXPECT_EQ(state("gradients"), std::vector<double>(size, 0.0));
  states = start;
  std::vector<double> whole = step(settings(0.01, 1, 0.25, 0.5));
  losses.push_back(norm[0]);
  EXPECT_EQ(whole, losses);
  EXPECT_EQ(state("parameters"), parameters);
  EXPECT_EQ(state("moment1"), moment1);
  EXPECT_EQ(state("moment2"), moment2);
}

// Without moments and noise the formulas are short.
TEST_F(Training, TheNormIsScaledAndClipped) {
  make({.training = R"(optimizer = "sgd")"});
  StateMap start = states;
  std::vector<double> before = state("parameters");
  run("backward", batch());
  std::vector<double> gradients = state("gradients");
  double length = 0;
  for (double value : gradients)
    length += value * value;
  length = std::sqrt(length) * 0.25;
  for (double clip : {0.0, 2 * length, 0.5 * length}) {
    states = start;
    std::vector<double> results = step(settings(0.1, 1, 0.25, clip));
    EXPECT_NEAR(results.back(), length, 1e-9);
    double factor = clip > 0 && clip < length ? clip / length : 1.0;
    std::vector<double> expected = before;
    for (int64_t i = 0; i < size; ++i)
      expected[i] -= 0.1 * 0.25 * factor * gradients[i];
    expectNear(state("parameters"), expected, 1e-9);
  }
}

TEST_F(Training, WeightDecayStopsAtItsSegments) {
  make({.training = R"(optimizer = "adamw", weight_decay = 0.5 : f64)"});
  // A gradient of zero leaves the decay alone.
  std::vector<double> before = state("parameters");
  run("update", settings(0.1, 1, 1.0, 0.0));
  std::vector<double> expected = before;
  for (int64_t i = 0; i < 20; ++i)
    expected[i] *= 1 - 0.1 * 0.5;
  expectNear(state("parameters"), expected, 1e-9);
}

TEST_F(Training, ANormThatIsNotFiniteChangesNothing) {
  make();
  StateMap start = states;
  run("backward", batch());
  std::vector<double> norm = run("update", settings(0.1, 1, INFINITY, 1.0));
  EXPECT_FALSE(std::isfinite(norm[0]));
  for (const char *name : {"parameters", "moment1", "moment2", "gradients"}) {
    std::vector<double> now = state(name);
    states = start;
    EXPECT_EQ(now, state(name)) << name;
  }
}

TEST_F(Training, ValidationHasNoDropout) {
  make({.dropout = "0.5"});
  double validation = run("loss", batch())[0];
  double trained = run("backward", batch())[0];
  EXPECT_NE(validation, trained);
  make();
  EXPECT_EQ(run("loss", batch())[0], validation);
}

TEST_F(Training, TheAverageMovesByTau) {
  make();
  Tensor tau = Tensor::scalar(Element::F32, 0.25);
  std::vector<double> expected = state("parameters");
  for (double &value : expected)
    value *= 0.25 + 0.75 * 0.25;
  run("average", {tau});
  run("average", {tau});
  expectNear(state("averages"), expected, 1e-12);
}

TEST_F(Training, EveryOptimizerLearns) {
  for (const char *training :
       {R"(optimizer = "adam", beta1 = 0.9 : f64)", R"(optimizer = "adamw")",
        R"(optimizer = "sgd", momentum = 0.9 : f64, nesterov = true)",
        R"(optimizer = "adagrad", average = false)",
        R"(optimizer = "adadelta", eps = 1.0e-2 : f64)"}) {
    make({.training = training});
    EXPECT_EQ(states.count("averages"),
              std::string(training).find("average") == std::string::npos);
    double first = run("loss", batch())[0], rate = 0.02;
    for (int64_t k = 1; k <= 20; ++k)
      step(settings(rate, k, 1.0 / 3, 0.0));
    EXPECT_LT(run("loss", batch())[0], 0.9 * first) << training;
  }
}
