//===- AttentionKernelTest.cpp - Attention on the CPU ---------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/AttentionKernel.h"
#include "test/emit/TensorKernel.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace dragoman;
using namespace dragoman::test;

namespace {

/// One problem in the form [B,T,H,D] / [B,S,Hk,D], and its reference in double.
struct Problem {
  int64_t batch, queries, keys, heads, keyHeads, size;
  std::vector<float> q, k, v;
  std::function<bool(int64_t b, int64_t i, int64_t j)> visible;
  std::function<double(double s, int64_t b, int64_t h, int64_t i, int64_t j)>
      score = [](double s, int64_t, int64_t, int64_t, int64_t) { return s; };

  Problem(int64_t batch, int64_t queries, int64_t keys, int64_t heads,
          int64_t keyHeads, int64_t size, double spread = 4)
      : batch(batch), queries(queries), keys(keys), heads(heads),
        keyHeads(keyHeads), size(size) {
    RandomFloats random(batch * 31 + queries * 7 + keys + size);
    q = random.vector(batch * queries * heads * size);
    k = random.vector(batch * keys * keyHeads * size);
    v = random.vector(batch * keys * keyHeads * size);
    for (float &x : q)
      x *= spread;
    visible = [](int64_t, int64_t, int64_t) { return true; };
  }

  size_t qAt(int64_t b, int64_t h, int64_t i) const {
    return ((b * queries + i) * heads + h) * size;
  }
  size_t kAt(int64_t b, int64_t h, int64_t j) const {
    return ((b * keys + j) * keyHeads + h / (heads / keyHeads)) * size;
  }

  /// out[D] of one query, and its log-sum-exp.
  std::pair<std::vector<double>, double> reference(int64_t b, int64_t h,
                                                   int64_t i) const {
    std::vector<double> scores(keys, -INFINITY);
    double top = -INFINITY;
    for (int64_t j = 0; j < keys; ++j) {
      if (!visible(b, i, j))
        continue;
      double sum = 0;
      for (int64_t d = 0; d < size; ++d)
        sum += double(q[qAt(b, h, i) + d]) * k[kAt(b, h, j) + d];
      scores[j] = score(sum / std::sqrt(double(size)), b, h, i, j);
      top = std::max(top, scores[j]);
    }
    std::vector<double> out(size, 0);
    if (top == -INFINITY)
      return {out, top};
    double sum = 0;
    for (int64_t j = 0; j < keys; ++j) {
      if (scores[j] == -INFINITY)
        continue;
      double p = std::exp(scores[j] - top);
      sum += p;
      for (int64_t d = 0; d < size; ++d)
        out[d] += p * v[kAt(b, h, j) + d];
    }
    for (double &x : out)
      x /= sum;
    return {out, top + std::log(sum)};
  }

  void check(const float *out, const float *lse, double tolerance = 2e-6) {
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t i = 0; i < queries; ++i) {
          auto [want, wantLse] = reference(b, h, i);
          for (int64_t d = 0; d < size; ++d)
            ASSERT_NEAR(out[qAt(b, h, i) + d], want[d], tolerance)
                << "row " << b << " head " << h << " query " << i << " of "
                << queries << " keys " << keys;
          if (!lse)
            continue;
          float found = lse[(b * heads + h) * queries + i];
          if (wantLse == -INFINITY)
            ASSERT_EQ(found, -INFINITY);
          else
            ASSERT_NEAR(found, wantLse, 1e-5);
        }
  }
};

std::string number(int64_t value) { return std::to_string(value); }

/// Attention of [B,T,H,D] and [B,S,Hk,D] with optional parts.
std::string kernelText(int64_t heads, int64_t keyHeads, int64_t size,
                       const std::string &attributes,
                       const std::string &arguments = "",
                       const std::string &operands = "",
                       const std::string &types = "",
                       const std::string &region = "") {
  std::string hd = number(heads) + "x" + number(size),
              kd = number(keyHeads) + "x" + number(size);
  std::string q = "tensor<?x?x" + hd + "xf32>",
              k = "tensor<?x?x" + kd + "xf32>",
              lse = "tensor<?x" + number(heads) + "x?xf32>";
  auto dims = [&](const std::string &length, int64_t h) {
    return " {xf.dims = [\"B\", \"" + length + "\", \"" + number(h) + "\", \"" +
           number(size) + "\"]}";
  };
  return "plan.kernel @k(%q: " + q + dims("T", heads) + ", %k: " + k +
         dims("S", keyHeads) + ", %v: " + k + dims("S", keyHeads) + arguments +
         ") -> (" + q + ", " + lse +
         ") attributes {dims = [\"B\", \"T\", \"S\"]} {\n"
         "  %o, %l = xf.attention %q, %k, %v " +
         operands +
         " {q_layout = \"bthd\", k_layout = \"bthd\", v_layout = \"bthd\", "
         "out_layout = \"bthd\"" +
         attributes + "} " + region + " : (" + q + ", " + k + ", " + k + types +
         ") -> (" + q + ", " + lse + ")\n  plan.yield %o, %l : " + q + ", " +
         lse + "\n}";
}

struct AttentionKernelTest : testing::Test {
  std::unique_ptr<mlir::MLIRContext> context = kernelContext();

  auto compile(const std::string &text) {
    return compileTensorKernel(*context, text, lowerAttention);
  }
};

/// Runs a problem with `extra` slots behind q, k, v; returns out and lse.
std::vector<float> run(const TensorKernel &kernel, const Problem &p,
                       std::vector<void *> extra = {}, int64_t parts = 1) {
  GuardedBuffer<float> q(p.q), k(p.k), v(p.v), out(p.q.size()),
      lse(p.batch * p.heads * p.queries);
  std::vector<void *> slots = {q.data(), k.data(), v.data()};
  slots.insert(slots.end(), extra.begin(), extra.end());
  slots.insert(slots.end(), {out.data(), lse.data()});
  kernel.run(slots, {{"B", p.batch}, {"T", p.queries}, {"S", p.keys}}, parts);
  std::vector<float> both(out.begin(), out.end());
  both.insert(both.end(), lse.begin(), lse.end());
  return both;
}

TEST_F(AttentionKernelTest, AllLengthsAndSizes) {
  struct Shape {
    int64_t heads, keyHeads, size;
  };
  for (Shape shape : {Shape{2, 2, 64}, {2, 1, 32}, {1, 1, 24}, {2, 2, 80}}) {
    auto kernels =
        compile(kernelText(shape.heads, shape.keyHeads, shape.size, ""));
    for (auto [queries, keys] : std::vector<std::pair<int64_t, int64_t>>{
             {1, 1}, {5, 3}, {17, 16}, {33, 65}, {40, 300}}) {
      Problem p(2, queries, keys, shape.heads, shape.keyHeads, shape.size);
      std::vector<float> first;
      for (auto &kernel : kernels) {
        ASSERT_TRUE(kernel);
        std::vector<float> found = run(*kernel, p);
        p.check(found.data(), found.data() + p.q.size());
        if (HasFatalFailure())
          return;
        if (first.empty())
          first = found;
        EXPECT_EQ(memcmp(first.data(), found.data(), first.size() * 4), 0);
        EXPECT_EQ(run(*kernel, p, {}, 3), found);
      }
    }
  }
}

// Hidden keys are NaN in k and v: no trace of them may be left.
TEST_F(AttentionKernelTest, CausalWindowsAndKeyCounts) {
  struct Case {
    std::string attributes;
    bool causal;
    int64_t left, right;
  };
  for (const Case &test :
       {Case{", causal", true, -1, -1},
        Case{", left = 20 : i64, right = 3 : i64", false, 20, 3},
        Case{", causal, left = 30 : i64", true, 30, -1}}) {
    auto kernels = compile(kernelText(
        2, 2, 32, test.attributes,
        ", %n: tensor<?xi64> {xf.dims = [\"B\"]}, %at: tensor<?xi64> {xf.dims "
        "= [\"B\"]}",
        "key_count %n offset %at", ", tensor<?xi64>, tensor<?xi64>"));
    Problem p(3, 37, 300, 2, 2, 32);
    GuardedBuffer<int64_t> count(std::vector<int64_t>{300, 0, 270}),
        offset(std::vector<int64_t>{0, 5, 240});
    p.visible = [&](int64_t b, int64_t i, int64_t j) {
      int64_t at = i + offset[b];
      return j < count[b] && (!test.causal || j <= at) &&
             (test.left < 0 || j >= at - test.left) &&
             (test.right < 0 || j <= at + test.right);
    };
    for (int64_t b = 0; b < 3; ++b)
      for (int64_t j = 0; j < 300; ++j) {
        bool seen = false;
        for (int64_t i = 0; i < 37; ++i)
          seen |= p.visible(b, i, j);
        for (int64_t d = 0; d < 64 && !seen; ++d) {
          p.k[(b * 300 + j) * 64 + d] = NAN;
          p.v[(b * 300 + j) * 64 + d] = j % 2 ? NAN : INFINITY;
        }
      }
    for (auto &kernel : kernels) {
      ASSERT_TRUE(kernel);
      std::vector<float> found = run(*kernel, p, {count.data(), offset.data()});
      p.check(found.data(), found.data() + p.q.size());
      if (HasFatalFailure())
        return;
    }
  }
}

// A non-finite value that later queries see leaves earlier ones untouched.
TEST_F(AttentionKernelTest, PoisonReachesOnlyThoseWhoSeeIt) {
  auto kernels = compile(kernelText(1, 1, 64, ", causal"));
  Problem p(1, 40, 40, 1, 1, 64);
  Problem poisoned = p;
  for (int64_t d = 0; d < 64; ++d)
    poisoned.v[25 * 64 + d] = d % 2 ? NAN : INFINITY;
  p.visible = [](int64_t, int64_t i, int64_t j) { return j <= i; };
  for (auto &kernel : kernels) {
    ASSERT_TRUE(kernel);
    std::vector<float> clean = run(*kernel, p), bad = run(*kernel, poisoned);
    p.check(clean.data(), nullptr);
    EXPECT_EQ(memcmp(clean.data(), bad.data(), 25 * 64 * 4), 0);
    for (int64_t i = 25 * 64; i < 40 * 64; ++i)
      ASSERT_FALSE(std::isfinite(bad[i]));
  }
}

TEST_F(AttentionKernelTest, BiasMaskSoftcapAndScoreRegion) {
  auto kernels = compile(kernelText(
      2, 2, 32, ", softcap = 3.0 : f64",
      ", %bias: tensor<1x2x?x?xf32> {xf.dims = [\"1\", \"2\", \"T\", \"S\"]}, "
      "%mask: tensor<?x1x1x?xi1> {xf.dims = [\"B\", \"1\", \"1\", \"S\"]}",
      "bias %bias mask %mask", ", tensor<1x2x?x?xf32>, tensor<?x1x1x?xi1>",
      R"(score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %d = arith.subi %i, %j : index
    %n = arith.index_cast %d : index to i64
    %f = arith.sitofp %n : i64 to f32
    %c = arith.constant 0.01 : f32
    %t = arith.mulf %f, %c : f32
    %r = arith.addf %s, %t : f32
    xf.yield %r : f32
  })"));
  Problem p(2, 9, 37, 2, 2, 32);
  RandomFloats random(1);
  GuardedBuffer<float> bias(random.vector(2 * 9 * 37));
  GuardedBuffer<char> mask(2 * 37);
  for (int64_t i = 0; i < 2 * 37; ++i)
    mask[i] = i % 3 != 1 && i < 60;
  p.visible = [&](int64_t b, int64_t, int64_t j) {
    return mask[b * 37 + j] != 0;
  };
  p.score = [&](double s, int64_t, int64_t h, int64_t i, int64_t j) {
    return 3 * std::tanh(s / 3) + bias[(h * 9 + i) * 37 + j] + 0.01 * (i - j);
  };
  for (int64_t j = 0; j < 37; ++j)
    if (!mask[j])
      for (int64_t d = 0; d < 64; ++d)
        p.k[j * 64 + d] = p.v[j * 64 + d] = NAN;
  for (auto &kernel : kernels) {
    ASSERT_TRUE(kernel);
    std::vector<float> found = run(*kernel, p, {bias.data(), mask.data()});
    p.check(found.data(), found.data() + p.q.size());
  }
}

} // namespace
