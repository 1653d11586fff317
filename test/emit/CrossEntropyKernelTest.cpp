//===- CrossEntropyKernelTest.cpp - Losses of rows on the CPU -------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/CrossEntropyKernel.h"
#include "test/emit/TensorKernel.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace dragoman;
using namespace dragoman::test;

namespace {

/// All results, dlogits in the memory of the logits.
std::string lossText(int64_t vocabulary, const std::string &attributes) {
  std::string v = std::to_string(vocabulary);
  std::string x = "tensor<?x" + v + "xf32>", r = "tensor<?xf32>";
  std::string row = r + " {xf.dims = [\"N\"]}";
  std::string rows = " {xf.dims = [\"N\", \"" + v + "\"]";
  return "plan.kernel @k(%x: " + x + rows +
         "}, %y: tensor<?xi64> {xf.dims = [\"N\"]}, %d: " + row + ") -> (" + x +
         rows + ", plan.alias = 0}, " + row + ", " + row + ", " + row + ", " +
         row +
         ") attributes {dims = [\"N\"]} {\n  %r:5 = "
         "xf.cross_entropy_grad %x, %y dloss %d {" +
         attributes + "} : (" + x + ", tensor<?xi64>, " + r + ") -> (" + x +
         ", " + r + ", " + r + ", " + r + ", " + r +
         ")\n  plan.yield %r#0, %r#1, %r#2, %r#3, %r#4 : " + x + ", " + r +
         ", " + r + ", " + r + ", " + r + "\n}";
}

struct Losses {
  GuardedBuffer<float> x, loss, nll, correct, lse;
  ErrorBlock error;
};

struct CrossEntropyKernelTest : testing::Test {
  std::unique_ptr<mlir::MLIRContext> context = kernelContext();

  std::unique_ptr<Losses> run(const TensorKernel &kernel,
                              const std::vector<float> &x,
                              std::vector<int64_t> target, float dloss = 1) {
    size_t n = target.size();
    std::unique_ptr<Losses> out(
        new Losses{GuardedBuffer<float>(x), GuardedBuffer<float>(n),
                   GuardedBuffer<float>(n), GuardedBuffer<float>(n),
                   GuardedBuffer<float>(n), ErrorBlock()});
    std::vector<float> d(n, dloss);
    out->error =
        kernel.run({out->x.data(), target.data(), d.data(), out->loss.data(),
                    out->nll.data(), out->correct.data(), out->lse.data()},
                   {{"N", static_cast<int64_t>(n)}}, 2);
    return out;
  }
};

/// Logits that differ, the largest at `best`.
std::vector<float> logits(int64_t vocabulary, int64_t best) {
  std::vector<float> x(vocabulary);
  for (int64_t i = 0; i < vocabulary; ++i)
    x[i] = 3 * std::sin(0.7 * i + 0.001 * i * i);
  x[best] = 4;
  return x;
}

TEST_F(CrossEntropyKernelTest, VocabularyInPlace) {
  std::vector<float> first;
  constexpr int64_t v = 32000;
  for (auto &kernel : compileTensorKernel(
           *context,
           lossText(v, "smoothing = 0.1, forbidden = array<i64: 1, 9>"),
           lowerCrossEntropy)) {
    ASSERT_TRUE(kernel);
    std::vector<float> x = logits(v, 31999);
    x[9] = 50; // forbidden: no part
    auto out = run(*kernel, x, {31999}, 2);
    double sum = 0, all = 0;
    for (int64_t i = 0; i < v; ++i)
      if (i != 1 && i != 9) {
        sum += std::exp(double(x[i]));
        all += x[i];
      }
    double lse = std::log(sum);
    EXPECT_NEAR(out->lse[0], lse, 1e-5);
    EXPECT_NEAR(out->nll[0], lse - 4, 1e-5);
    EXPECT_NEAR(out->loss[0], 0.9 * (lse - 4) + 0.1 * (lse - all / (v - 2)),
                1e-5);
    EXPECT_EQ(out->correct[0], 1);
    EXPECT_EQ(out->x[1], 0);
    EXPECT_EQ(out->x[9], 0);
    for (int64_t i : {0, 2, 16, 777, 31998, 31999}) {
      double gradient =
          2 * (std::exp(x[i] - lse) - 0.1 / (v - 2) - (i == 31999 ? 0.9 : 0));
      EXPECT_NEAR(out->x[i], gradient, 1e-6) << i;
    }
    if (first.empty())
      first.assign(out->x.data(), out->x.data() + v);
    EXPECT_EQ(std::memcmp(first.data(), out->x.data(), v * sizeof(float)), 0)
        << "the bits depend on the level";
  }
}

TEST_F(CrossEntropyKernelTest, TheFirstOfEqualLogitsIsTheAnswer) {
  constexpr int64_t v = 133;
  for (auto &kernel :
       compileTensorKernel(*context, lossText(v, "forbidden = array<i64: 3>"),
                           lowerCrossEntropy)) {
    ASSERT_TRUE(kernel);
    std::vector<float> x;
    for (auto [best, other] :
         {std::pair{40, 90}, {40, 90}, {17, 132}, {132, 3}, {2, 130}}) {
      std::vector<float> row = logits(v, best);
      row[other] = row[best];
      x.insert(x.end(), row.begin(), row.end());
    }
    auto out = run(*kernel, x, {40, 90, 132, 132, 2});
    std::vector<float> expected = {1, 0, 0, 1, 1};
    EXPECT_EQ(std::vector<float>(out->correct.data(), out->correct.data() + 5),
              expected);
  }
}

TEST_F(CrossEntropyKernelTest, IgnoredRowsAreZeroAndNaNIsSeen) {
  constexpr int64_t v = 21;
  for (auto &kernel :
       compileTensorKernel(*context, lossText(v, "smoothing = 0.1, site = 4"),
                           lowerCrossEntropy)) {
    ASSERT_TRUE(kernel);
    std::vector<float> x(4 * v, NAN);
    for (int64_t i = 0; i < v; ++i)
      x[2 * v + i] = x[3 * v + i] = 0;
    x[v + 3] = 1;
    auto out = run(*kernel, x, {-100, 0, 5, 5});
    for (int64_t i = 0; i < v; ++i)
      ASSERT_EQ(out->x[i], 0);
    EXPECT_EQ(out->loss[0], 0);
    EXPECT_EQ(out->lse[0], 0);
    EXPECT_TRUE(std::isnan(out->loss[1]));
    EXPECT_TRUE(std::isnan(out->nll[1]));
    EXPECT_NEAR(out->loss[2], std::log(21.0), 1e-6);
    EXPECT_EQ(out->correct[2], 0);
    EXPECT_EQ(out->error.site, -1);
    out = run(*kernel, std::vector<float>(3 * v, 0), {5, 21, -1});
    EXPECT_EQ(out->error.site, 4);
    EXPECT_EQ(out->error.index, 1);
    EXPECT_EQ(out->error.value, 21);
    EXPECT_EQ(out->error.bound, 21);
  }
}

} // namespace
