//===- VectorMathTest.cpp - Elementary functions against double -----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/VectorMath.h"
#include "test/emit/KernelTestHarness.h"

#include "mlir/IR/OwningOpRef.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::test;

namespace {

using Emit = mlir::Value (*)(KernelBuilder &, mlir::Value);

/// A function, its judge in double, the range to sample, and what it may lose:
/// `ulps` of the result plus `absolute`.
struct Case {
  const char *name;
  Emit emit;
  double (*exact)(double);
  double from, to;
  double ulps, absolute;
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }
double geluTanh(double x) {
  return 0.5 * x *
         (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}
double silu(double x) { return x * sigmoid(x); }
double relu(double x) { return x > 0 ? x : 0; }

const Case cases[] = {
    {"exp2", emitExp2, std::exp2, -99, 0, 2, 0},
    {"exp2_near", emitExp2, std::exp2, -2, 2, 2, 0},
    {"exp", emitExp, std::exp, -86.6, 88.7, 2, 0},
    {"exp_near", emitExp, std::exp, -2, 2, 2, 0},
    {"log", emitLog, std::log, 1e-30, 10, 2, 0},
    {"log_near", emitLog, std::log, 0.5, 2, 2, 0},
    {"sigmoid", emitSigmoid, sigmoid, -80, 80, 4, 0},
    {"tanh", emitTanh, std::tanh, -10, 10, 6, 0},
    {"tanh_near", emitTanh, std::tanh, -0.01, 0.01, 6, 0},
    {"erf", emitErf, std::erf, -6, 6, 0, 4e-7},
    {"relu", emitRelu, relu, -3, 3, 0, 0},
    {"gelu", emitGelu, gelu, -8, 8, 4, 1.5e-6},
    {"gelu_tanh", emitGeluTanh, geluTanh, -8, 8, 4, 1e-6},
    {"silu", emitSilu, silu, -20, 20, 4, 0},
};

/// One kernel per case: slot 0 x, slot 1 y, one tile of 16 elements.
std::unique_ptr<LoadedCode> compileAll(mlir::MLIRContext &context,
                                       const CpuTarget &target) {
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  for (const Case &test : cases) {
    KernelBuilder k(*module, test.name, target);
    k.forTiles([&](mlir::Value tile) {
      mlir::Value at = k.mul(tile, kernelLanes);
      mlir::Value x = k.loadV(k.slot(0, k.f32()), at);
      k.storeV(test.emit(k, x), k.slot(1, k.f32()), at);
    });
    k.finish();
  }
  return LoadedCode::compile(*module, target);
}

std::vector<float> evaluate(const LoadedCode &code, const Case &test,
                            std::vector<float> input) {
  std::vector<float> output(input.size());
  Launch launch{{input.data(), output.data()},
                {},
                static_cast<int64_t>(input.size()) / kernelLanes};
  EXPECT_EQ(launch.run(code.kernel(test.name)), 0);
  return output;
}

struct VectorMathTest : testing::Test {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

TEST_F(VectorMathTest, StaysWithinItsErrorOfDouble) {
  std::unique_ptr<LoadedCode> code = compileAll(context, hostTargets().back());
  ASSERT_TRUE(code);
  constexpr int count = 160000;
  for (const Case &test : cases) {
    std::vector<float> input(count);
    for (int i = 0; i < count; ++i)
      input[i] = static_cast<float>(test.from +
                                    (test.to - test.from) * i / (count - 1));
    std::vector<float> output = evaluate(*code, test, input);
    double worst = 0, at = 0;
    for (int i = 0; i < count; ++i) {
      double exact = test.exact(input[i]);
      double ulp = std::ldexp(1.0, std::max(std::ilogb(exact), -126) - 23);
      double excess = (std::abs(output[i] - exact) - test.absolute) / ulp;
      if (!(excess <= worst)) {
        worst = excess;
        at = input[i];
      }
    }
    EXPECT_LE(worst, test.ulps) << test.name << " at " << at;
  }
}

TEST_F(VectorMathTest, KeepsNaNAndReachesTheLimits) {
  std::unique_ptr<LoadedCode> code = compileAll(context, hostTargets().back());
  ASSERT_TRUE(code);
  float infinity = INFINITY;
  for (const Case &test : cases) {
    std::vector<float> input(16, NAN);
    for (float value : evaluate(*code, test, input))
      EXPECT_TRUE(std::isnan(value)) << test.name;
  }
  auto at = [&](int i, float x) {
    return evaluate(*code, cases[i], std::vector<float>(16, x))[0];
  };
  EXPECT_EQ(at(0, 0), 1);
  EXPECT_EQ(at(0, -101), 0);
  EXPECT_EQ(at(0, -infinity), 0);
  EXPECT_EQ(at(0, -3e38f), 0);
  EXPECT_EQ(at(2, 0), 1);
  EXPECT_EQ(at(2, 89), infinity);
  EXPECT_EQ(at(2, infinity), infinity);
  EXPECT_EQ(at(2, -infinity), 0);
  EXPECT_EQ(at(4, 0), -infinity);
  EXPECT_EQ(at(4, 1), 0);
  EXPECT_EQ(at(4, infinity), infinity);
  EXPECT_TRUE(std::isnan(at(4, -1)));
  EXPECT_EQ(at(6, -infinity), 0);
  EXPECT_EQ(at(6, infinity), 1);
  EXPECT_NEAR(at(7, infinity), 1, 1e-6);
  EXPECT_NEAR(at(9, -infinity), -1, 1e-6);
}

TEST_F(VectorMathTest, GivesTheSameBitsAtEveryLevel) {
  std::vector<std::vector<float>> results;
  RandomFloats random(3);
  std::vector<float> input = random.vector(4096);
  for (float &value : input)
    value *= 40;
  for (const CpuTarget &target : hostTargets()) {
    std::unique_ptr<LoadedCode> code = compileAll(context, target);
    ASSERT_TRUE(code);
    std::vector<float> all;
    for (const Case &test : cases)
      for (float value : evaluate(*code, test, input))
        all.push_back(value);
    results.push_back(all);
  }
  for (const std::vector<float> &other : results)
    EXPECT_EQ(memcmp(other.data(), results[0].data(), other.size() * 4), 0);
}

} // namespace
