//===- ReduceKernelTest.cpp - Reductions over axes on the CPU -------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/ReduceKernel.h"
#include "test/emit/TensorKernel.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace dragoman;
using namespace dragoman::test;

namespace {

struct ReduceKernelTest : testing::Test {
  std::unique_ptr<mlir::MLIRContext> context = kernelContext();

  auto compile(const std::string &text) {
    return compileTensorKernel(*context, text, lowerReduce);
  }
};

/// The sum of 16 lanes by index mod 16, then the fixed tree.
float laneSum(const std::vector<float> &x) {
  float lanes[16] = {};
  for (size_t i = 0; i < x.size(); ++i)
    lanes[i % 16] += x[i];
  for (int half = 8; half >= 1; half /= 2)
    for (int i = 0; i < half; ++i)
      lanes[i] += lanes[i + half];
  return lanes[0];
}

// The mean of squares along the last axis: a pulled producer in front, a
// division behind.
TEST_F(ReduceKernelTest, MeanOfSquares) {
  auto kernels = compile(R"(
plan.kernel @k(%x: tensor<?x?xf32> {xf.dims = ["M", "N"]}) -> tensor<?x1xf32>
    attributes {dims = ["M", "N"]} {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %sq = arith.mulf %x, %x : tensor<?x?xf32>
  %s = linalg.reduce ins(%sq : tensor<?x?xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %t = arith.addf %a, %b : f32
      linalg.yield %t : f32
    }
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%s : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%p: f32, %o: f32):
    %n = arith.constant 10.0 : f32
    %q = arith.divf %p, %n : f32
    linalg.yield %q : f32
  } -> tensor<?xf32>
  %y = tensor.expand_shape %r [[0, 1]] output_shape [%m, 1] : tensor<?xf32> into tensor<?x1xf32>
  plan.yield %y : tensor<?x1xf32>
})");
  for (auto &kernel : kernels) {
    ASSERT_TRUE(kernel);
    for (int64_t n : {1, 16, 41, 200}) {
      int64_t m = 21;
      GuardedBuffer<float> x(RandomFloats(n).vector(m * n)), y(m);
      kernel->run({x.data(), y.data()}, {{"M", m}, {"N", n}}, 2);
      for (int64_t i = 0; i < m; ++i) {
        std::vector<float> squares;
        for (int64_t j = 0; j < n; ++j)
          squares.push_back(x[i * n + j] * x[i * n + j]);
        ASSERT_EQ(y[i], laneSum(squares) / 10) << n << " row " << i;
      }
    }
  }
}

// A maximum over the outer axes, and a count of true booleans.
TEST_F(ReduceKernelTest, OuterAxesAndIntegers) {
  auto kernels = compile(R"(
plan.kernel @k(%x: tensor<?x3x?xf32> {xf.dims = ["M", "3", "N"]}) -> tensor<3xf32>
    attributes {dims = ["M", "N"]} {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (b)>],
                       iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<?x3x?xf32>) outs(%f : tensor<3xf32>) {
  ^bb0(%p: f32, %o: f32):
    %q = arith.maximumf %p, %o : f32
    linalg.yield %q : f32
  } -> tensor<3xf32>
  plan.yield %s : tensor<3xf32>
})");
  int64_t m = 4, n = 19;
  std::vector<float> values = RandomFloats(2).vector(m * 3 * n);
  values[30] = NAN;
  for (auto &kernel : kernels) {
    ASSERT_TRUE(kernel);
    GuardedBuffer<float> x(values), y(3);
    kernel->run({x.data(), y.data()}, {{"M", m}, {"N", n}});
    for (int64_t b = 0; b < 3; ++b) {
      float want = -INFINITY;
      for (int64_t a = 0; a < m; ++a)
        for (int64_t c = 0; c < n; ++c)
          if (float v = x[(a * 3 + b) * n + c]; !(v <= want))
            want = std::isnan(want) ? want : v;
      if (std::isnan(want))
        EXPECT_TRUE(std::isnan(y[b]));
      else
        EXPECT_EQ(y[b], want);
    }
  }
  auto counts = compile(R"(
plan.kernel @k(%x: tensor<?x?xi1> {xf.dims = ["M", "N"]}) -> tensor<?xi64>
    attributes {dims = ["M", "N"]} {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi1>
  %zero = arith.constant 0 : i64
  %e = tensor.empty(%m) : tensor<?xi64>
  %f = linalg.fill ins(%zero : i64) outs(%e : tensor<?xi64>) -> tensor<?xi64>
  %s = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xi1>) outs(%f : tensor<?xi64>) {
  ^bb0(%p: i1, %o: i64):
    %w = arith.extui %p : i1 to i64
    %q = arith.addi %w, %o : i64
    linalg.yield %q : i64
  } -> tensor<?xi64>
  plan.yield %s : tensor<?xi64>
})");
  for (auto &kernel : counts) {
    ASSERT_TRUE(kernel);
    GuardedBuffer<char> x(2 * 37);
    GuardedBuffer<int64_t> y(2);
    for (int64_t i = 0; i < 74; ++i)
      x[i] = i % 3 == 0;
    kernel->run({x.data(), y.data()}, {{"M", 2}, {"N", 37}});
    EXPECT_EQ(y[0], 13);
    EXPECT_EQ(y[1], 12);
  }
}

/// Column `j` of x [m,n]: chains of 64 rows, added in order.
float columnSum(GuardedBuffer<float> &x, int64_t m, int64_t n, int64_t j) {
  float total = 0;
  for (int64_t first = 0; first < m; first += 64) {
    float part = 0;
    for (int64_t i = first; i < std::min(first + 64, m); ++i)
      part += x[i * n + j];
    total += part;
  }
  return total;
}

// The gradient of a bias: rows in order, the same bits in any number of parts.
TEST_F(ReduceKernelTest, ColumnSumsInRowOrder) {
  auto kernels = compile(R"(
plan.kernel @k(%x: tensor<?x?xf32> {xf.dims = ["M", "N"]}) -> tensor<?xf32>
    attributes {dims = ["M", "N"]} {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                       iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%p: f32, %o: f32):
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<?xf32>
  plan.yield %s : tensor<?xf32>
})");
  for (auto &kernel : kernels) {
    ASSERT_TRUE(kernel);
    for (int64_t n : {1, 16, 41, 64, 200})
      for (int64_t m : {1, 64, 301}) {
        GuardedBuffer<float> x(RandomFloats(n + m).vector(m * n)), y(n), z(n);
        kernel->run({x.data(), y.data()}, {{"M", m}, {"N", n}});
        kernel->run({x.data(), z.data()}, {{"M", m}, {"N", n}}, 3);
        for (int64_t j = 0; j < n; ++j) {
          ASSERT_EQ(y[j], columnSum(x, m, n, j)) << m << "x" << n << " " << j;
          ASSERT_EQ(y[j], z[j]);
        }
      }
  }
}

// Wide rows: tiles of 128 columns and a rest.
TEST_F(ReduceKernelTest, ColumnSumsOfWideRows) {
  auto kernels = compile(R"(
plan.kernel @k(%x: tensor<?x1045xf32> {xf.dims = ["M", "1045"]}) -> tensor<1045xf32>
    attributes {dims = ["M"]} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1045xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1045xf32>) -> tensor<1045xf32>
  %s = linalg.reduce ins(%x : tensor<?x1045xf32>) outs(%f : tensor<1045xf32>) dimensions = [0]
    (%a: f32, %b: f32) {
      %t = arith.addf %a, %b : f32
      linalg.yield %t : f32
    }
  plan.yield %s : tensor<1045xf32>
})");
  constexpr int64_t m = 70, n = 1045;
  for (auto &kernel : kernels) {
    ASSERT_TRUE(kernel);
    GuardedBuffer<float> x(RandomFloats(9).vector(m * n)), y(n);
    kernel->run({x.data(), y.data()}, {{"M", m}}, 2);
    for (int64_t j = 0; j < n; ++j)
      ASSERT_EQ(y[j], columnSum(x, m, n, j)) << j;
  }
}

// The gradient of a gain over [B,T,C]: products with numbers of the rows, a
// masked producer in front, a division behind. A NaN stays in its column.
TEST_F(ReduceKernelTest, ColumnSumsOfProducts) {
  auto kernels = compile(R"(
#id = affine_map<(a, b, c) -> (a, b, c)>
#row = affine_map<(a, b, c) -> (a, b)>
#column = affine_map<(a, b, c) -> (c)>
plan.kernel @k(%x: tensor<?x?x72xf32> {xf.dims = ["B", "T", "72"]},
               %s: tensor<?x?xf32> {xf.dims = ["B", "T"]}) -> tensor<72xf32>
    attributes {dims = ["B", "T"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x72xf32>
  %t = tensor.dim %x, %c1 : tensor<?x?x72xf32>
  %zero = arith.constant 0.0 : f32
  %e3 = tensor.empty(%b, %t) : tensor<?x?x72xf32>
  %relu = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x?x72xf32>) outs(%e3 : tensor<?x?x72xf32>) {
  ^bb0(%p: f32, %o: f32):
    %less = arith.cmpf olt, %p, %zero : f32
    %q = arith.select %less, %zero, %p : f32
    linalg.yield %q : f32
  } -> tensor<?x?x72xf32>
  %e = tensor.empty() : tensor<72xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<72xf32>) -> tensor<72xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row, #column],
                         iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%relu, %s : tensor<?x?x72xf32>, tensor<?x?xf32>) outs(%f : tensor<72xf32>) {
  ^bb0(%p: f32, %w: f32, %o: f32):
    %v = arith.mulf %p, %w : f32
    %q = arith.addf %o, %v : f32
    linalg.yield %q : f32
  } -> tensor<72xf32>
  %two = arith.constant dense<2.0> : tensor<72xf32>
  %y = arith.divf %sum, %two : tensor<72xf32>
  plan.yield %y : tensor<72xf32>
})");
  constexpr int64_t b = 3, t = 70, n = 72;
  for (auto &kernel : kernels) {
    ASSERT_TRUE(kernel);
    GuardedBuffer<float> x(RandomFloats(7).vector(b * t * n)),
        s(RandomFloats(8).vector(b * t)), y(n);
    x[5 * n + 70] = NAN;
    kernel->run({x.data(), s.data(), y.data()}, {{"B", b}, {"T", t}}, 2);
    for (int64_t c = 0; c < n; ++c) {
      float total = 0;
      for (int64_t i = 0; i < b; ++i)
        for (int64_t first = 0; first < t; first += 64) {
          float part = 0;
          for (int64_t j = first; j < std::min(first + 64, t); ++j) {
            float v = x[(i * t + j) * n + c];
            part += (v < 0 ? 0 : v) * s[i * t + j];
          }
          total += part;
        }
      if (c == 70)
        EXPECT_TRUE(std::isnan(y[c]));
      else
        ASSERT_EQ(y[c], total / 2) << c;
    }
  }
}

} // namespace
