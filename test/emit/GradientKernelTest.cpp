//===- GradientKernelTest.cpp - Gradients of norms and tables -------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/EmbeddingGradKernel.h"
#include "compiler/lowering/cpu/NormGradKernel.h"
#include "test/emit/TensorKernel.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace dragoman;
using namespace dragoman::test;

namespace {

struct GradientKernelTest : testing::Test {
  std::unique_ptr<mlir::MLIRContext> context = kernelContext();
};

/// The rows of the gradient of layer_norm, in double.
struct Rows {
  std::vector<double> dx, mean, rstd;
};

Rows layerNormGrad(GuardedBuffer<float> &dy, GuardedBuffer<float> &x,
                   GuardedBuffer<float> &g, double eps) {
  size_t n = g.size(), m = x.size() / n;
  Rows rows;
  for (size_t i = 0; i < m; ++i) {
    double mean = 0, variance = 0, sum = 0, product = 0;
    for (size_t c = 0; c < n; ++c)
      mean += x[i * n + c] / double(n);
    for (size_t c = 0; c < n; ++c)
      variance += std::pow(x[i * n + c] - mean, 2) / double(n);
    double rstd = 1 / std::sqrt(variance + eps);
    for (size_t c = 0; c < n; ++c) {
      double z = double(dy[i * n + c]) * g[c];
      sum += z / double(n);
      product += z * (x[i * n + c] - mean) * rstd / double(n);
    }
    for (size_t c = 0; c < n; ++c)
      rows.dx.push_back(rstd * (double(dy[i * n + c]) * g[c] - sum -
                                (x[i * n + c] - mean) * rstd * product));
    rows.mean.push_back(mean);
    rows.rstd.push_back(rstd);
  }
  return rows;
}

// All three results, rows with a tail and without; parts give the same bits.
TEST_F(GradientKernelTest, LayerNormRowsInAnyParts) {
  for (int64_t n : {16, 37, 512}) {
    std::string c = std::to_string(n), type = "tensor<?x" + c + "xf32>",
                dims = " {xf.dims = [\"M\", \"" + c + "\"]}";
    auto kernels = compileTensorKernel(
        *context,
        "plan.kernel @k(%dy: " + type + dims + ", %x: " + type + dims +
            ", %g: tensor<" + c + "xf32> {xf.dims = [\"" + c + "\"]}) -> (" +
            type +
            ", tensor<?xf32>, tensor<?xf32>) attributes {dims = [\"M\"]} {"
            "%dx, %m, %r = xf.layer_norm_grad %dy, %x gain %g {eps = 1.0e-5} : "
            "(" +
            type + ", " + type + ", tensor<" + c + "xf32>) -> (" + type +
            ", tensor<?xf32>, tensor<?xf32>) "
            "plan.yield %dx, %m, %r : " +
            type + ", tensor<?xf32>, tensor<?xf32>}",
        lowerNormGrad);
    for (auto &kernel : kernels) {
      ASSERT_TRUE(kernel);
      for (int64_t m : {1, 83}) {
        RandomFloats random(n + m);
        GuardedBuffer<float> dy(random.vector(m * n)), x(random.vector(m * n)),
            g(random.vector(n));
        GuardedBuffer<float> dx(m * n), mean(m), rstd(m), again(m * n);
        kernel->run({dy.data(), x.data(), g.data(), dx.data(), mean.data(),
                     rstd.data()},
                    {{"M", m}});
        kernel->run({dy.data(), x.data(), g.data(), again.data(), mean.data(),
                     rstd.data()},
                    {{"M", m}}, 3);
        Rows want = layerNormGrad(dy, x, g, 1e-5);
        for (int64_t i = 0; i < m * n; ++i) {
          ASSERT_NEAR(dx[i], want.dx[i], 3e-6) << n << " " << i;
          ASSERT_EQ(dx[i], again[i]);
        }
        for (int64_t i = 0; i < m; ++i) {
          ASSERT_NEAR(mean[i], want.mean[i], 1e-6);
          ASSERT_NEAR(rstd[i], want.rstd[i], 1e-5);
        }
      }
    }
  }
}

// Rows are added in the order of the ids, bit for bit, in any number of parts;
// the padding row and ids outside stay out.
TEST_F(GradientKernelTest, EmbeddingRowsInTokenOrder) {
  constexpr int64_t rows = 9, width = 75, tokens = 400;
  auto kernels = compileTensorKernel(*context, R"(
plan.kernel @k(%dy: tensor<?x75xf32> {xf.dims = ["N", "75"]},
               %ids: tensor<?xi64> {xf.dims = ["N"]}) -> tensor<9x75xf32>
    attributes {dims = ["N"]} {
  %d = xf.embedding_grad %dy, %ids {padding_id = 2, scale = 3.0}
      : (tensor<?x75xf32>, tensor<?xi64>) -> tensor<9x75xf32>
  plan.yield %d : tensor<9x75xf32>
})",
                                     lowerEmbeddingGrad);
  for (auto &kernel : kernels) {
    ASSERT_TRUE(kernel);
    GuardedBuffer<float> dy(RandomFloats(3).vector(tokens * width));
    GuardedBuffer<int64_t> ids(tokens);
    for (int64_t i = 0; i < tokens; ++i)
      ids[i] = i * i % 12 - 1; // -1 and 9, 10 lie outside
    for (int64_t parts : {1, 3}) {
      GuardedBuffer<float> d(rows * width);
      kernel->run({dy.data(), ids.data(), d.data()}, {{"N", tokens}}, parts);
      std::vector<float> want(rows * width);
      for (int64_t i = 0; i < tokens; ++i)
        for (int64_t c = 0; c < width; ++c)
          if (ids[i] >= 0 && ids[i] < rows && ids[i] != 2)
            want[ids[i] * width + c] += dy[i * width + c] * 3.0f;
      for (int64_t i = 0; i < rows * width; ++i)
        ASSERT_EQ(d[i], want[i]) << i;
    }
  }
}

} // namespace
