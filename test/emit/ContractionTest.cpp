//===- ContractionTest.cpp - Linear and matmul kernels from tensors -------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/Lowering.h"
#include "test/emit/TensorKernel.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::test;

namespace {

struct ContractionTest : testing::Test {
  std::unique_ptr<mlir::MLIRContext> context = kernelContext();

  /// The diagnostic of a kernel that cannot be lowered.
  std::string refusal(const std::string &text, LowerFunction lower) {
    std::string message;
    mlir::ScopedDiagnosticHandler handler(
        context.get(), [&](mlir::Diagnostic &d) { message = d.str(); });
    EXPECT_FALSE(TensorKernel::compile(*context, text, lower,
                                       *CpuTarget::parse("x86-64-v3")));
    return message;
  }
};

/// w [columns][depth] in panels of 16 columns.
std::vector<float> pack(const std::vector<float> &w, int64_t columns,
                        int64_t depth) {
  std::vector<float> packed((columns + 15) / 16 * 16 * depth, 0.0f);
  for (int64_t n = 0; n < columns; ++n)
    for (int64_t k = 0; k < depth; ++k)
      packed[(n / 16 * depth + k) * 16 + n % 16] = w[n * depth + k];
  return packed;
}

/// The rows come out of a slice, a residual [B,S,N] and a table [S,N] are added
/// behind, and the result leaves as heads.
const char *const linearText = R"(
#id = affine_map<(b, s, n) -> (b, s, n)>
#table = affine_map<(b, s, n) -> (s, n)>
plan.kernel @k(%x: tensor<?x?x40xf32> {xf.dims = ["B", "S", "40"]},
               %w: tensor<36x20xf32> {xf.dims = ["36", "20"],
                                      plan.layout = "panel16"},
               %b: tensor<36xf32> {xf.dims = ["36"]},
               %r: tensor<?x?x36xf32> {xf.dims = ["B", "S", "36"]}TABLE)
    -> tensor<?x?x36xf32> attributes {dims = ["B", "S"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?x40xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?x40xf32>
  %q = tensor.extract_slice %x[0, 0, 16] [%d0, %d1, 20] [1, 1, 1]
      : tensor<?x?x40xf32> to tensor<?x?x20xf32>
  %y = xf.linear %q, %w bias %b {activation = "relu"}
      : (tensor<?x?x20xf32>, tensor<36x20xf32>, tensor<36xf32>)
      -> tensor<?x?x36xf32>
  BODY
}
)";

std::string replace(std::string text, const std::string &from,
                    const std::string &to) {
  return text.replace(text.find(from), from.size(), to);
}

struct LinearInputs {
  int64_t b, s;
  std::vector<float> x, w, bias, residual, table;

  LinearInputs(int64_t b, int64_t s) : b(b), s(s) {
    RandomFloats random(b * 100 + s);
    x = random.vector(b * s * 40);
    w = random.vector(36 * 20);
    bias = random.vector(36);
    residual = random.vector(b * s * 36);
    table = random.vector(s * 36);
  }

  float expected(int64_t row, int64_t n) const {
    float sum = 0;
    for (int64_t k = 0; k < 20; ++k)
      sum = std::fma(x[row * 40 + 16 + k], w[n * 20 + k], sum);
    sum += bias[n];
    return (sum < 0 ? 0 : sum) + residual[row * 36 + n];
  }
};

TEST_F(ContractionTest, LinearReadsSlicesAndAddsAResidual) {
  std::string text = replace(replace(linearText, "TABLE", ""), "BODY", R"(
  %z = arith.addf %y, %r : tensor<?x?x36xf32>
  plan.yield %z : tensor<?x?x36xf32>)");
  for (auto &kernel : compileTensorKernel(*context, text, lowerLinear)) {
    ASSERT_TRUE(kernel);
    for (auto [b, s] : {std::pair<int64_t, int64_t>{1, 1}, {2, 3}, {5, 31}}) {
      LinearInputs in(b, s);
      GuardedBuffer<float> x(in.x), w(pack(in.w, 36, 20)), bias(in.bias),
          residual(in.residual), y(b * s * 36);
      kernel->run({x.data(), w.data(), bias.data(), residual.data(), y.data()},
                  {{"B", b}, {"S", s}});
      for (int64_t row = 0; row < b * s; ++row)
        for (int64_t n = 0; n < 36; ++n)
          ASSERT_EQ(y[row * 36 + n], in.expected(row, n)) << row << "," << n;
    }
  }
}

TEST_F(ContractionTest, EpilogueMayDependOnOneOfTheRowAxes) {
  std::string text =
      replace(replace(linearText, "TABLE",
                      ", %t: tensor<?x36xf32> {xf.dims = [\"S\", \"36\"]}"),
              "BODY", R"(
  %z = linalg.generic {indexing_maps = [#id, #id, #table, #id],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y, %r, %t : tensor<?x?x36xf32>, tensor<?x?x36xf32>,
          tensor<?x36xf32>)
      outs(%y : tensor<?x?x36xf32>) {
  ^bb0(%p: f32, %q1: f32, %q2: f32, %o: f32):
    %0 = arith.addf %p, %q1 : f32
    %1 = arith.addf %0, %q2 : f32
    linalg.yield %1 : f32
  } -> tensor<?x?x36xf32>
  plan.yield %z : tensor<?x?x36xf32>)");
  for (auto &kernel : compileTensorKernel(*context, text, lowerLinear)) {
    ASSERT_TRUE(kernel);
    LinearInputs in(4, 7);
    GuardedBuffer<float> x(in.x), w(pack(in.w, 36, 20)), bias(in.bias),
        residual(in.residual), table(in.table), y(4 * 7 * 36);
    kernel->run({x.data(), w.data(), bias.data(), residual.data(), table.data(),
                 y.data()},
                {{"B", 4}, {"S", 7}});
    for (int64_t row = 0; row < 28; ++row)
      for (int64_t n = 0; n < 36; ++n)
        ASSERT_EQ(y[row * 36 + n],
                  in.expected(row, n) + in.table[row % 7 * 36 + n]);
  }
}

TEST_F(ContractionTest, LinearWithoutRowsRunsNothing) {
  std::string text = replace(replace(linearText, "TABLE", ""), "BODY", R"(
  plan.yield %y : tensor<?x?x36xf32>)");
  for (auto &kernel : compileTensorKernel(*context, text, lowerLinear)) {
    ASSERT_TRUE(kernel);
    LinearInputs in(1, 1);
    std::vector<float> w = pack(in.w, 36, 20);
    kernel->run({nullptr, w.data(), in.bias.data(), nullptr, nullptr},
                {{"B", 3}, {"S", 0}});
  }
}

TEST_F(ContractionTest, LinearRefusesAWeightInRows) {
  EXPECT_EQ(refusal(R"(
plan.kernel @k(%x: tensor<?x8xf32> {xf.dims = ["M", "8"]},
               %w: tensor<16x8xf32> {xf.dims = ["16", "8"]})
    -> tensor<?x16xf32> attributes {dims = ["M"]} {
  %y = xf.linear %x, %w : (tensor<?x8xf32>, tensor<16x8xf32>)
      -> tensor<?x16xf32>
  plan.yield %y : tensor<?x16xf32>
})",
                    lowerLinear),
            "'xf.linear' op expected the weight to be an argument in layout "
            "panel16");
}

/// c[B,H,M,N] = 0.5 a b: a has no batch axis B, dims are dynamic.
std::string matmulText(bool transposeA, bool transposeB) {
  auto shape = [](bool transposed, const char *x, const char *y) {
    return std::string("\"") + (transposed ? y : x) + "\", \"" +
           (transposed ? x : y) + "\"]}";
  };
  std::string attributes = "alpha = 0.5 : f64";
  if (transposeA)
    attributes += ", transpose_a";
  if (transposeB)
    attributes += ", transpose_b";
  return R"(
plan.kernel @k(%a: tensor<1x?x?x?xf32> {xf.dims = ["1", "H", )" +
         shape(transposeA, "M", "K") + R"(,
               %b: tensor<?x?x?x?xf32> {xf.dims = ["B", "H", )" +
         shape(transposeB, "K", "N") + R"(,
               %r: tensor<?x?x?x?xf32> {xf.dims = ["B", "H", "M", "N"]})
    -> tensor<?x?x?x?xf32> attributes {dims = ["B", "H", "M", "N", "K"]} {
  %c = xf.matmul %a, %b {)" +
         attributes + R"(}
      : (tensor<1x?x?x?xf32>, tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %d = arith.addf %c, %r : tensor<?x?x?x?xf32>
  plan.yield %d : tensor<?x?x?x?xf32>
})";
}

struct MatmulShape {
  int64_t b, h, m, n, k;
};

void checkMatmul(const TensorKernel &kernel, MatmulShape p, bool transposeA,
                 bool transposeB) {
  RandomFloats random(p.m * 31 + p.n * 7 + p.k);
  GuardedBuffer<float> a(random.vector(p.h * p.m * p.k)),
      b(random.vector(p.b * p.h * p.k * p.n)),
      r(random.vector(p.b * p.h * p.m * p.n)), c(p.b * p.h * p.m * p.n);
  kernel.run({a.data(), b.data(), r.data(), c.data()},
             {{"B", p.b}, {"H", p.h}, {"M", p.m}, {"N", p.n}, {"K", p.k}}, 2);
  for (int64_t batch = 0; batch < p.b * p.h; ++batch)
    for (int64_t m = 0; m < p.m; ++m)
      for (int64_t n = 0; n < p.n; ++n) {
        const float *am = a.data() + batch % p.h * p.m * p.k;
        const float *bm = b.data() + batch * p.k * p.n;
        float sum = 0;
        for (int64_t k = 0; k < p.k; ++k)
          sum = std::fma(transposeA ? am[k * p.m + m] : am[m * p.k + k],
                         transposeB ? bm[n * p.k + k] : bm[k * p.n + n], sum);
        int64_t at = (batch * p.m + m) * p.n + n;
        ASSERT_EQ(c[at], 0.5f * sum + r[at])
            << "M " << p.m << " N " << p.n << " K " << p.k << " transposed "
            << transposeA << transposeB << " at " << batch << "," << m << ","
            << n;
      }
}

TEST_F(ContractionTest, MatmulIsOneChainInEveryLayout) {
  for (bool transposeA : {false, true})
    for (bool transposeB : {false, true})
      for (auto &kernel : compileTensorKernel(
               *context, matmulText(transposeA, transposeB), lowerMatmul)) {
        ASSERT_TRUE(kernel);
        for (MatmulShape shape : {MatmulShape{1, 1, 1, 1, 1},
                                  {2, 3, 5, 7, 9},
                                  {1, 2, 17, 33, 16},
                                  {1, 1, 97, 130, 270},
                                  {2, 1, 6, 64, 0}})
          checkMatmul(*kernel, shape, transposeA, transposeB);
        auto traffic = countVectorStackTraffic(kernel->code().object);
        EXPECT_EQ(traffic["kernel"], 0);
      }
}

/// c[B,T,N] = x[B,T,K] w + r: all batches meet one w, given as [1,N,K] or
/// [1,K,N]; K and N are static, x is the middle of a wider tensor.
std::string sharedText(int64_t n, int64_t k, bool transposed) {
  std::string N = std::to_string(n), K = std::to_string(k),
              wide = std::to_string(2 * k);
  std::string w = transposed ? N + "x" + K : K + "x" + N;
  std::string wDims = transposed ? N + "\", \"" + K : K + "\", \"" + N;
  std::string y = "tensor<?x?x" + N + "xf32>", x = "tensor<?x?x" + K + "xf32>",
              source = "tensor<?x?x" + wide + "xf32>",
              weight = "tensor<1x" + w + "xf32>";
  return "plan.kernel @k(%s: " + source + " {xf.dims = [\"B\", \"T\", \"" +
         wide + "\"]}, %w: " + weight + " {xf.dims = [\"1\", \"" + wDims +
         "\"]}, %r: " + y + " {xf.dims = [\"B\", \"T\", \"" + N + "\"]}) -> " +
         y + " attributes {dims = [\"B\", \"T\"]} {\n" +
         "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
         "  %d0 = tensor.dim %s, %c0 : " +
         source + "\n  %d1 = tensor.dim %s, %c1 : " + source +
         "\n  %x = tensor.extract_slice %s[0, 0, 3] [%d0, %d1, " + K +
         "] [1, 1, 1] : " + source + " to " + x + "\n  %c = xf.matmul %x, %w " +
         (transposed ? "{transpose_b} " : "") + ": (" + x + ", " + weight +
         ") -> " + y + "\n  %d = arith.addf %c, %r : " + y +
         "\n  plan.yield %d : " + y + "\n}\n";
}

// K in one block, in several kept ones, and with b packed for every tile; the
// sum is written over its own operand.
TEST_F(ContractionTest, MatmulOfBatchesThatShareAWeight) {
  for (auto [n, k] :
       {std::pair<int64_t, int64_t>{70, 40}, {300, 600}, {256, 2100}})
    for (bool transposed : {false, true})
      for (auto &kernel : compileTensorKernel(
               *context, sharedText(n, k, transposed), lowerMatmul)) {
        ASSERT_TRUE(kernel);
        EXPECT_EQ(countVectorStackTraffic(kernel->code().object)["kernel"], 0);
        for (auto [b, t] : {std::pair<int64_t, int64_t>{1, 1}, {3, 67}}) {
          RandomFloats random(n + k + t);
          GuardedBuffer<float> s(random.vector(b * t * 2 * k)),
              w(random.vector(n * k)), c(random.vector(b * t * n));
          std::vector<float> before(c.begin(), c.end());
          kernel->run({s.data(), w.data(), c.data(), c.data()},
                      {{"B", b}, {"T", t}}, 3);
          for (int64_t row = 0; row < b * t; ++row)
            for (int64_t j = 0; j < n; ++j) {
              float sum = 0;
              for (int64_t i = 0; i < k; ++i)
                sum = std::fma(s[row * 2 * k + 3 + i],
                               w[transposed ? j * k + i : i * n + j], sum);
              ASSERT_EQ(c[row * n + j], sum + before[row * n + j])
                  << "N " << n << " K " << k << " at " << row << "," << j;
            }
        }
      }
}

// The gradient of a weight: rows of both operands are summed over.
TEST_F(ContractionTest, MatmulOverTheRowsOfABatch) {
  constexpr int64_t m = 100, n = 70;
  for (auto &kernel : compileTensorKernel(*context, R"(
plan.kernel @k(%a: tensor<?x100xf32> {xf.dims = ["R", "100"]},
               %b: tensor<?x70xf32> {xf.dims = ["R", "70"]})
    -> tensor<100x70xf32> attributes {dims = ["R"]} {
  %c = xf.matmul %a, %b {transpose_a}
      : (tensor<?x100xf32>, tensor<?x70xf32>) -> tensor<100x70xf32>
  plan.yield %c : tensor<100x70xf32>
})",
                                          lowerMatmul)) {
    ASSERT_TRUE(kernel);
    for (int64_t rows : {0, 1, 255, 513}) {
      RandomFloats random(rows);
      GuardedBuffer<float> a(random.vector(rows * m)),
          b(random.vector(rows * n)), c(m * n);
      kernel->run({a.data(), b.data(), c.data()}, {{"R", rows}}, 2);
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          float sum = 0;
          for (int64_t r = 0; r < rows; ++r)
            sum = std::fma(a[r * m + i], b[r * n + j], sum);
          ASSERT_EQ(c[i * n + j], sum) << rows << " rows at " << i << "," << j;
        }
    }
  }
}

TEST_F(ContractionTest, LowersAModuleByRoot) {
  std::string message;
  mlir::ScopedDiagnosticHandler handler(
      context.get(), [&](mlir::Diagnostic &d) { message = d.str(); });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
plan.kernel @k(%x: tensor<4xf32> {xf.dims = ["4"]}) -> tensor<4xf32>
    attributes {dims = [], schedule = #plan.schedule<"unknown", {}>} {
  plan.yield %x : tensor<4xf32>
})",
                                                        context.get());
  ASSERT_TRUE(module);
  EXPECT_FALSE(lowerAllKernels(*module, *CpuTarget::parse("x86-64-v3")));
  EXPECT_EQ(message,
            "'plan.kernel' op has no lowering on the CPU for root 'unknown'");
}

} // namespace
