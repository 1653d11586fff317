//===- OptimizerKernelTest.cpp - Optimisers on the CPU --------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/OptimizerKernel.h"
#include "test/emit/TensorKernel.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace dragoman;
using namespace dragoman::test;

namespace {

/// adam in place on `n` elements: AdamW on the first `decayEnd`.
std::string adamText(int64_t n, int64_t decayEnd) {
  std::string t = "tensor<" + std::to_string(n) + "xf32>";
  std::string dims = " {xf.dims = [\"" + std::to_string(n) + "\"]}";
  auto result = [&](int alias) {
    return t + " {xf.dims = [\"" + std::to_string(n) +
           "\"], plan.alias = " + std::to_string(alias) + "}";
  };
  return "plan.kernel @k(%p: " + t + dims + ", %g: " + t + dims + ", %m: " + t +
         dims + ", %v: " + t + dims +
         ", %lr: tensor<f32>, %step: tensor<i64>, %scale: tensor<f32>, "
         "%skip: tensor<i1>) -> (" +
         result(0) + ", " + result(2) + ", " + result(3) +
         ") attributes {dims = []} {\n"
         "  %r:3 = xf.adam %p, %g, %m, %v lr %lr step %step scale %scale skip "
         "%skip {beta1 = 0.9, beta2 = 0.98, eps = 1.0e-9, decay = 0.1, "
         "decoupled = true, decay_end = " +
         std::to_string(decayEnd) + "} : (" + t + ", " + t + ", " + t + ", " +
         t + ", tensor<f32>, tensor<i64>, tensor<f32>, tensor<i1>) -> (" + t +
         ", " + t + ", " + t + ")\n  plan.yield %r#0, %r#1, %r#2 : " + t +
         ", " + t + ", " + t + "\n}";
}

std::vector<float> numbers(int64_t n, double phase, bool positive = false) {
  std::vector<float> values(n);
  for (int64_t i = 0; i < n; ++i)
    values[i] = positive ? std::abs(std::sin(phase + 0.37 * i))
                         : std::sin(phase + 0.37 * i);
  return values;
}

struct OptimizerKernelTest : testing::Test {
  std::unique_ptr<mlir::MLIRContext> context = kernelContext();
};

TEST_F(OptimizerKernelTest, AdamInPlaceForAnyTile) {
  constexpr int64_t n = 40011, decayEnd = 20005;
  std::vector<float> first;
  for (auto &kernel :
       compileTensorKernel(*context, adamText(n, decayEnd), lowerOptimizer)) {
    ASSERT_TRUE(kernel);
    for (int64_t parts : {1, 2, 3}) {
      GuardedBuffer<float> p(numbers(n, 0)), g(numbers(n, 1)), m(numbers(n, 2)),
          v(numbers(n, 3, true));
      float lr = 0.01f, scale = 0.5f;
      int64_t step = 7;
      uint8_t skip = 0;
      kernel->run(
          {p.data(), g.data(), m.data(), v.data(), &lr, &step, &scale, &skip},
          {}, parts);
      if (first.empty())
        first.assign(p.data(), p.data() + n);
      ASSERT_EQ(std::memcmp(first.data(), p.data(), n * sizeof(float)), 0)
          << "the bits depend on tiles or level";
      std::vector<float> p0 = numbers(n, 0), g0 = numbers(n, 1),
                         m0 = numbers(n, 2), v0 = numbers(n, 3, true);
      for (int64_t i = 0; i < n; ++i) {
        double gi = 0.5 * g0[i], mi = 0.9 * m0[i] + 0.1 * gi,
               vi = 0.98 * v0[i] + 0.02 * gi * gi;
        double move = mi / (1 - std::pow(0.9, 7)) /
                      (std::sqrt(vi / (1 - std::pow(0.98, 7))) + 1e-9);
        double pi = p0[i] - 0.01 * move - (i < decayEnd ? 0.001 * p0[i] : 0);
        ASSERT_NEAR(p[i], pi, 2e-6) << i;
        ASSERT_NEAR(m[i], mi, 1e-6) << i;
        ASSERT_NEAR(v[i], vi, 1e-6) << i;
      }
    }
  }
}

TEST_F(OptimizerKernelTest, SkippedUpdateLeavesEveryBit) {
  constexpr int64_t n = 35;
  for (auto &kernel :
       compileTensorKernel(*context, adamText(n, n), lowerOptimizer)) {
    ASSERT_TRUE(kernel);
    GuardedBuffer<float> p(numbers(n, 0)), g(std::vector<float>(n, NAN)),
        m(numbers(n, 2)), v(numbers(n, 3, true));
    float lr = 0.01f, scale = NAN;
    int64_t step = 1;
    uint8_t skip = 1;
    kernel->run(
        {p.data(), g.data(), m.data(), v.data(), &lr, &step, &scale, &skip},
        {});
    std::vector<float> p0 = numbers(n, 0), m0 = numbers(n, 2),
                       v0 = numbers(n, 3, true);
    EXPECT_EQ(std::memcmp(p0.data(), p.data(), n * sizeof(float)), 0);
    EXPECT_EQ(std::memcmp(m0.data(), m.data(), n * sizeof(float)), 0);
    EXPECT_EQ(std::memcmp(v0.data(), v.data(), n * sizeof(float)), 0);
  }
}

/// The first step from zero moves by nearly lr; late corrections are exact.
TEST_F(OptimizerKernelTest, CorrectionsOfFirstAndLateSteps) {
  for (auto &kernel :
       compileTensorKernel(*context, adamText(1, 0), lowerOptimizer)) {
    ASSERT_TRUE(kernel);
    for (int64_t step : {int64_t(1), int64_t(100000)}) {
      float p = 0, g = 1e-4f, m = 0, v = 0, lr = 1e-3f, scale = 1;
      uint8_t skip = 0;
      kernel->run({&p, &g, &m, &v, &lr, &step, &scale, &skip}, {});
      double move =
          0.1 * 1e-4 / (1 - std::pow(0.9, double(step))) /
          (std::sqrt(0.02 * 1e-8 / (1 - std::pow(0.98, double(step)))) + 1e-9);
      EXPECT_NEAR(p, -1e-3 * move, 1e-9) << step;
    }
  }
}

} // namespace
