//===- RowwiseKernelTest.cpp - Norms and softmax on the CPU ---------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/RowwiseKernel.h"
#include "test/emit/TensorKernel.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace dragoman;
using namespace dragoman::test;

namespace {

struct RowwiseKernelTest : testing::Test {
  std::unique_ptr<mlir::MLIRContext> context = kernelContext();

  auto compile(const std::string &text) {
    return compileTensorKernel(*context, text, lowerRowwise);
  }
};

/// layer_norm of x + r over C; also returns the sum.
std::string layerNorm(int64_t width) {
  std::string c = std::to_string(width), type = "tensor<?x" + c + "xf32>",
              vector = "tensor<" + c + "xf32>";
  return "plan.kernel @k(%x: " + type + " {xf.dims = [\"M\", \"" + c +
         "\"]}, %r: " + type + " {xf.dims = [\"M\", \"" + c +
         "\"]}, %g: " + vector + ", %b: " + vector + ") -> (" + type + ", " +
         type + R"() attributes {dims = ["M"]} {
  %0 = arith.addf %x, %r : )" +
         type + R"(
  %1 = xf.layer_norm %0 gain %g bias %b {eps = 1.0e-5 : f64} : ()" +
         type + ", " + vector + ", " + vector + ") -> " + type +
         "\n  plan.yield %1, %0 : " + type + ", " + type + "\n}";
}

TEST_F(RowwiseKernelTest, LayerNormOfAResidualSum) {
  for (int64_t width : {1, 15, 16, 37, 64, 512}) {
    auto kernels = compile(layerNorm(width));
    int64_t rows = 19;
    RandomFloats random(width);
    GuardedBuffer<float> x(random.vector(rows * width)),
        r(random.vector(rows * width)), g(random.vector(width)),
        b(random.vector(width)), sum(rows * width);
    std::vector<float> first;
    for (auto &kernel : kernels) {
      ASSERT_TRUE(kernel);
      GuardedBuffer<float> y(rows * width);
      kernel->run(
          {x.data(), r.data(), g.data(), b.data(), y.data(), sum.data()},
          {{"M", rows}}, 2);
      for (int64_t m = 0; m < rows; ++m) {
        double mean = 0, variance = 0;
        for (int64_t c = 0; c < width; ++c) {
          ASSERT_EQ(sum[m * width + c], x[m * width + c] + r[m * width + c]);
          mean += sum[m * width + c];
        }
        mean /= width;
        for (int64_t c = 0; c < width; ++c)
          variance += std::pow(sum[m * width + c] - mean, 2);
        variance /= width;
        for (int64_t c = 0; c < width; ++c)
          ASSERT_NEAR(y[m * width + c],
                      (sum[m * width + c] - mean) / std::sqrt(variance + 1e-5) *
                              g[c] +
                          b[c],
                      2e-5)
              << width << " row " << m;
      }
      // Equal bits at every level, and for a row alone.
      if (first.empty())
        first.assign(y.begin(), y.end());
      EXPECT_EQ(memcmp(first.data(), y.data(), first.size() * 4), 0);
      GuardedBuffer<float> alone(width), aloneSum(width);
      kernel->run({&x[5 * width], &r[5 * width], g.data(), b.data(),
                   alone.data(), aloneSum.data()},
                  {{"M", 1}});
      EXPECT_EQ(memcmp(&y[5 * width], alone.data(), width * 4), 0);
    }
  }
}

TEST_F(RowwiseKernelTest, RmsNormOverTwoAxes) {
  auto kernels = compile(R"(
plan.kernel @k(%x: tensor<?x3x20xf32> {xf.dims = ["M", "3", "20"]},
               %g: tensor<3x20xf32>) -> tensor<?x60xf32>
    attributes {dims = ["M"]} {
  %0 = xf.rms_norm %x gain %g {eps = 1.0e-6 : f64, axes = 2 : i64}
      : (tensor<?x3x20xf32>, tensor<3x20xf32>) -> tensor<?x3x20xf32>
  %1 = tensor.collapse_shape %0 [[0], [1, 2]]
      : tensor<?x3x20xf32> into tensor<?x60xf32>
  plan.yield %1 : tensor<?x60xf32>
})");
  for (auto &kernel : kernels) {
    ASSERT_TRUE(kernel);
    RandomFloats random(2);
    GuardedBuffer<float> x(random.vector(240)), g(random.vector(60)), y(240);
    kernel->run({x.data(), g.data(), y.data()}, {{"M", 4}});
    for (int64_t m = 0; m < 4; ++m) {
      double squares = 0;
      for (int64_t c = 0; c < 60; ++c)
        squares += std::pow(double(x[m * 60 + c]), 2);
      for (int64_t c = 0; c < 60; ++c)
        ASSERT_NEAR(y[m * 60 + c],
                    x[m * 60 + c] / std::sqrt(squares / 60 + 1e-6) * g[c],
                    2e-6);
    }
  }
}

// key_count and a mask hide entries, NaN or not; an empty row gives zeros.
TEST_F(RowwiseKernelTest, SoftmaxHidesMaskedEntries) {
  for (bool log : {false, true}) {
    std::string op = log ? "xf.log_softmax" : "xf.softmax";
    auto kernels = compile(R"(
plan.kernel @k(%x: tensor<?x?xf32> {xf.dims = ["B", "S"]},
               %m: tensor<1x?xi1> {xf.dims = ["1", "S"]},
               %n: tensor<?xi64> {xf.dims = ["B"]}) -> tensor<?x?xf32>
    attributes {dims = ["B", "S"]} {
  %0 = )" + op + R"( %x mask %m key_count %n
      : (tensor<?x?xf32>, tensor<1x?xi1>, tensor<?xi64>) -> tensor<?x?xf32>
  plan.yield %0 : tensor<?x?xf32>
})");
    int64_t size = 37;
    GuardedBuffer<float> x(RandomFloats(8).vector(4 * size));
    GuardedBuffer<int64_t> n(std::vector<int64_t>{37, 20, 0, 1});
    GuardedBuffer<char> mask(size);
    for (int64_t j = 0; j < size; ++j)
      mask[j] = j % 5 != 3;
    for (int64_t b = 0; b < 4; ++b)
      for (int64_t j = 0; j < size; ++j)
        if (j >= n[b] || !mask[j])
          x[b * size + j] = NAN;
    std::vector<float> first;
    for (auto &kernel : kernels) {
      ASSERT_TRUE(kernel);
      GuardedBuffer<float> y(4 * size);
      kernel->run({x.data(), mask.data(), n.data(), y.data()},
                  {{"B", 4}, {"S", size}});
      for (int64_t b = 0; b < 4; ++b) {
        double sum = 0;
        auto visible = [&](int64_t j) { return j < n[b] && mask[j]; };
        for (int64_t j = 0; j < size; ++j)
          if (visible(j))
            sum += std::exp(double(x[b * size + j]));
        for (int64_t j = 0; j < size; ++j) {
          float found = y[b * size + j];
          if (!visible(j))
            ASSERT_EQ(found, log ? -INFINITY : 0.0f);
          else if (log)
            ASSERT_NEAR(found, x[b * size + j] - std::log(sum), 1e-6);
          else
            ASSERT_NEAR(found, std::exp(double(x[b * size + j])) / sum, 1e-7);
        }
      }
      if (first.empty())
        first.assign(y.begin(), y.end());
      EXPECT_EQ(memcmp(first.data(), y.data(), first.size() * 4), 0);
    }
  }
}

TEST_F(RowwiseKernelTest, SoftmaxAlongAnInnerAxis) {
  auto kernels = compile(R"(
plan.kernel @k(%x: tensor<?x21x?xf32> {xf.dims = ["B", "21", "N"]})
    -> tensor<?x21x?xf32> attributes {dims = ["B", "N"]} {
  %0 = xf.softmax %x {axis = 1 : i64}
      : (tensor<?x21x?xf32>) -> tensor<?x21x?xf32>
  plan.yield %0 : tensor<?x21x?xf32>
})");
  for (auto &kernel : kernels) {
    ASSERT_TRUE(kernel);
    int64_t n = 3;
    GuardedBuffer<float> x(RandomFloats(8).vector(2 * 21 * n)), y(2 * 21 * n);
    kernel->run({x.data(), y.data()}, {{"B", 2}, {"N", n}});
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t c = 0; c < n; ++c) {
        auto at = [&](int64_t j) { return (b * 21 + j) * n + c; };
        double sum = 0;
        for (int64_t j = 0; j < 21; ++j)
          sum += std::exp(double(x[at(j)]));
        for (int64_t j = 0; j < 21; ++j)
          ASSERT_NEAR(y[at(j)], std::exp(double(x[at(j)])) / sum, 1e-7);
      }
  }
}

} // namespace
