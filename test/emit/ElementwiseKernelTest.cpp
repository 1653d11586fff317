//===- ElementwiseKernelTest.cpp - Pulled clusters on the CPU -------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/ElementwiseKernel.h"
#include "test/emit/TensorKernel.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace dragoman;
using namespace dragoman::test;

namespace {

struct ElementwiseKernelTest : testing::Test {
  std::unique_ptr<mlir::MLIRContext> context = kernelContext();

  auto compile(const std::string &text) {
    return compileTensorKernel(*context, text, lowerElementwise);
  }
};

TEST_F(ElementwiseKernelTest, ResidualSumOverAnyWidth) {
  for (int64_t width : {1, 7, 16, 33, 64}) {
    std::string c = std::to_string(width), type = "tensor<?x" + c + "xf32>";
    auto kernels = compile(R"(
plan.kernel @k(%x: )" + type +
                           " {xf.dims = [\"M\", \"" + c + "\"]}, %y: " + type +
                           " {xf.dims = [\"M\", \"" + c + "\"]}) -> " + type +
                           R"( attributes {dims = ["M"]} {
  %0 = arith.addf %x, %y : )" +
                           type + R"(
  plan.yield %0 : )" + type +
                           R"(
})");
    for (auto &kernel : kernels) {
      ASSERT_TRUE(kernel);
      for (int64_t rows : {1, 5, 300}) {
        RandomFloats random(rows + width);
        GuardedBuffer<float> x(random.vector(rows * width)),
            y(random.vector(rows * width)), z(rows * width);
        kernel->run({x.data(), y.data(), z.data()}, {{"M", rows}}, 3);
        for (int64_t i = 0; i < rows * width; ++i)
          ASSERT_EQ(z[i], x[i] + y[i]) << width << " " << i;
      }
    }
  }
}

// Broadcasts, a transpose, casts, comparisons and functions in one chain.
TEST_F(ElementwiseKernelTest, GenericWithMapsAndFunctions) {
  auto kernels = compile(R"(
#id = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (j)>
#column = affine_map<(i, j) -> (i)>
plan.kernel @k(%x: tensor<?x?xf32> {xf.dims = ["M", "N"]},
               %t: tensor<?x?xf32> {xf.dims = ["N", "M"]},
               %b: tensor<?xf32> {xf.dims = ["N"]},
               %n: tensor<?xi64> {xf.dims = ["M"]}) -> tensor<?x?xf32>
    attributes {dims = ["M", "N"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%d0, %d1) : tensor<?x?xf32>
  %0 = linalg.generic {indexing_maps = [#id, #t, #row, #column, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %t, %b, %n : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xi64>)
      outs(%e : tensor<?x?xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %s: i64, %o: f32):
    %j = linalg.index 1 : index
    %ji = arith.index_cast %j : index to i64
    %inside = arith.cmpi slt, %ji, %s : i64
    %h = arith.constant 0.5 : f32
    %two = arith.constant 2.0 : f32
    %a = math.tanh %p : f32
    %a2 = math.powf %a, %two : f32
    %m = arith.maximumf %q, %h : f32
    %u = arith.mulf %a2, %m : f32
    %v = arith.addf %u, %r : f32
    %f = arith.sitofp %s : i64 to f32
    %w = arith.select %inside, %v, %f : f32
    linalg.yield %w : f32
  } -> tensor<?x?xf32>
  plan.yield %0 : tensor<?x?xf32>
})");
  for (auto &kernel : kernels) {
    ASSERT_TRUE(kernel);
    int64_t rows = 5, columns = 37;
    RandomFloats random(3);
    GuardedBuffer<float> x(random.vector(rows * columns)),
        t(random.vector(rows * columns)), b(random.vector(columns)),
        y(rows * columns);
    GuardedBuffer<int64_t> n(std::vector<int64_t>{0, 40, 16, 7, 37});
    kernel->run({x.data(), t.data(), b.data(), n.data(), y.data()},
                {{"M", rows}, {"N", columns}});
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        double a = std::tanh(double(x[i * columns + j]));
        double want =
            j < n[i] ? a * a * std::max(t[j * rows + i], 0.5f) + b[j] : n[i];
        ASSERT_NEAR(y[i * columns + j], want, 1e-6) << i << " " << j;
      }
  }
}

TEST_F(ElementwiseKernelTest, EmbeddingChecksAndClampsIds) {
  auto kernels = compile(R"(
plan.kernel @k(%table: tensor<10x24xf32> {xf.dims = ["10", "24"]},
               %ids: tensor<?x?xi64> {xf.dims = ["B", "S"]},
               %pos: tensor<?x24xf32> {xf.dims = ["S", "24"]})
    -> tensor<?x?x24xf32> attributes {dims = ["B", "S"]} {
  %0 = xf.embedding %table, %ids {scale = 2.0 : f64, site = 5 : i64}
      : (tensor<10x24xf32>, tensor<?x?xi64>) -> tensor<?x?x24xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(b, s, c) -> (b, s, c)>,
                                        affine_map<(b, s, c) -> (s, c)>,
                                        affine_map<(b, s, c) -> (b, s, c)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0, %pos : tensor<?x?x24xf32>, tensor<?x24xf32>)
      outs(%0 : tensor<?x?x24xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %v = arith.addf %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<?x?x24xf32>
  plan.yield %1 : tensor<?x?x24xf32>
})");
  for (auto &kernel : kernels) {
    ASSERT_TRUE(kernel);
    RandomFloats random(9);
    GuardedBuffer<float> table(random.vector(240)), pos(random.vector(3 * 24)),
        y(2 * 3 * 24);
    GuardedBuffer<int64_t> ids(std::vector<int64_t>{0, 9, 4, 3, 2, 1});
    std::vector<void *> slots = {table.data(), ids.data(), pos.data(),
                                 y.data()};
    EXPECT_EQ(kernel->run(slots, {{"B", 2}, {"S", 3}}).site, -1);
    for (int64_t i = 0; i < 6; ++i)
      for (int64_t c = 0; c < 24; ++c)
        ASSERT_EQ(y[i * 24 + c],
                  table[ids[i] * 24 + c] * 2 + pos[i % 3 * 24 + c]);
    ids[2] = 10;
    ids[4] = -1;
    ErrorBlock error = kernel->run(slots, {{"B", 2}, {"S", 3}});
    EXPECT_EQ(error.site, 5);
    EXPECT_EQ(error.index, 2);
    EXPECT_EQ(error.value, 10);
    EXPECT_EQ(error.bound, 10);
  }
}

// A gather: the row of a position table by a data-dependent index.
TEST_F(ElementwiseKernelTest, GatherByPositionIsClamped) {
  auto kernels = compile(R"(
plan.kernel @k(%table: tensor<8x32xf32> {xf.dims = ["8", "32"]},
               %position: tensor<?xi64> {xf.dims = ["R"]})
    -> tensor<?x?x32xf32> attributes {dims = ["R", "T"],
       res_attrs = [{xf.dims = ["R", "T", "32"]}]} {
  %c0 = arith.constant 0 : index
  %r = tensor.dim %position, %c0 : tensor<?xi64>
  %c3 = arith.constant 3 : index
  %e = tensor.empty(%r, %c3) : tensor<?x?x32xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(r, t, c) -> (r)>,
                                        affine_map<(r, t, c) -> (r, t, c)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%position : tensor<?xi64>) outs(%e : tensor<?x?x32xf32>) {
  ^bb0(%p: i64, %o: f32):
    %t = linalg.index 1 : index
    %c = linalg.index 2 : index
    %pi = arith.index_cast %p : i64 to index
    %row = arith.addi %pi, %t : index
    %v = tensor.extract %table[%row, %c] : tensor<8x32xf32>
    linalg.yield %v : f32
  } -> tensor<?x?x32xf32>
  plan.yield %0 : tensor<?x?x32xf32>
})");
  for (auto &kernel : kernels) {
    ASSERT_TRUE(kernel);
    GuardedBuffer<float> table(RandomFloats(1).vector(256)), y(2 * 3 * 32);
    GuardedBuffer<int64_t> position(std::vector<int64_t>{2, 7});
    kernel->run({table.data(), position.data(), y.data()},
                {{"R", 2}, {"T", 3}});
    for (int64_t i = 0; i < 6; ++i)
      for (int64_t c = 0; c < 32; ++c) {
        int64_t row = std::min<int64_t>(position[i / 3] + i % 3, 7);
        ASSERT_EQ(y[i * 32 + c], table[row * 32 + c]);
      }
  }
}

// Slices, reshapes, concat and pad; booleans are bytes in memory.
TEST_F(ElementwiseKernelTest, MovementAndBooleans) {
  auto kernels = compile(R"(
plan.kernel @k(%x: tensor<?x48xf32> {xf.dims = ["M", "48"]},
               %y: tensor<?x20xf32> {xf.dims = ["M", "20"]})
    -> (tensor<?x2x20xf32>, tensor<?x20xi1>) attributes {dims = ["M"]} {
  %zero = arith.constant 0.25 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x48xf32>
  %s = tensor.extract_slice %x[0, 16] [%m, 16] [1, 1] : tensor<?x48xf32> to tensor<?x16xf32>
  %p = tensor.pad %s low[0, 1] high[0, 3] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x16xf32> to tensor<?x20xf32>
  %sum = arith.addf %p, %y : tensor<?x20xf32>
  %z = tensor.concat dim(1) %sum, %y : (tensor<?x20xf32>, tensor<?x20xf32>) -> tensor<?x40xf32>
  %w = tensor.expand_shape %z [[0], [1, 2]] output_shape [%m, 2, 20] : tensor<?x40xf32> into tensor<?x2x20xf32>
  %b = arith.cmpf ogt, %p, %y : tensor<?x20xf32>
  plan.yield %w, %b : tensor<?x2x20xf32>, tensor<?x20xi1>
})");
  for (auto &kernel : kernels) {
    ASSERT_TRUE(kernel);
    int64_t rows = 9;
    RandomFloats random(4);
    GuardedBuffer<float> x(random.vector(rows * 48)),
        y(random.vector(rows * 20)), w(rows * 40);
    GuardedBuffer<char> b(rows * 20);
    kernel->run({x.data(), y.data(), w.data(), b.data()}, {{"M", rows}}, 2);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < 20; ++j) {
        float p = j >= 1 && j < 17 ? x[i * 48 + 16 + j - 1] : 0.25f;
        float q = y[i * 20 + j];
        ASSERT_EQ(w[i * 40 + j], p + q) << i << " " << j;
        ASSERT_EQ(w[i * 40 + 20 + j], q);
        ASSERT_EQ(b[i * 20 + j], p > q);
      }
  }
}

// Division by zero would trap: the quotient is the dividend.
TEST_F(ElementwiseKernelTest, IntegerDivisionNeverTraps) {
  auto kernels = compile(R"(
plan.kernel @k(%x: tensor<?xi64> {xf.dims = ["M"]},
               %y: tensor<?xi64> {xf.dims = ["M"]}) -> tensor<?xi64>
    attributes {dims = ["M"]} {
  %0 = arith.divsi %x, %y : tensor<?xi64>
  plan.yield %0 : tensor<?xi64>
})");
  for (auto &kernel : kernels) {
    ASSERT_TRUE(kernel);
    GuardedBuffer<int64_t> x(std::vector<int64_t>{7, INT64_MIN, -9}),
        y(std::vector<int64_t>{0, -1, 2}), z(3);
    kernel->run({x.data(), y.data(), z.data()}, {{"M", 3}});
    EXPECT_EQ(z[0], 7);
    EXPECT_EQ(z[1], INT64_MIN);
    EXPECT_EQ(z[2], -4);
  }
}

TEST_F(ElementwiseKernelTest, RefusesWhatItCannotPull) {
  std::string message;
  mlir::ScopedDiagnosticHandler handler(context.get(),
                                        [&](mlir::Diagnostic &diagnostic) {
                                          message = diagnostic.str();
                                          return mlir::success();
                                        });
  auto kernels = compile(R"(
plan.kernel @k(%x: tensor<?xf32> {xf.dims = ["M"]}) -> tensor<?xf32>
    attributes {dims = ["M"]} {
  %0 = math.sin %x : tensor<?xf32>
  plan.yield %0 : tensor<?xf32>
})");
  EXPECT_FALSE(kernels[0]);
  EXPECT_EQ(message, "'math.sin' op has no lowering as a pulled producer on "
                     "the CPU");
}

} // namespace
