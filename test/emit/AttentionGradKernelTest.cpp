//===- AttentionGradKernelTest.cpp - Attention's gradient on the CPU ------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/AttentionGradKernel.h"
#include "dialects/xf/reference/Philox.h"
#include "test/emit/TensorKernel.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace dragoman;
using namespace dragoman::test;

namespace {

/// One problem in the form [B,T,H,D] / [B,S,Hk,D], and its gradients in double.
struct Problem {
  int64_t batch, queries, keys, heads, keyHeads, size;
  std::vector<float> q, k, v, dout, out, lse;
  std::vector<double> dq, dk, dv;
  std::function<bool(int64_t b, int64_t i, int64_t j)> visible;
  /// What a score is raised by, and what a weight is multiplied with.
  std::function<double(int64_t b, int64_t h, int64_t i, int64_t j)> raise, kept;
  std::vector<double> dslopes; ///< [B,H]: of a raise of slope * (j - i)

  Problem(int64_t batch, int64_t queries, int64_t keys, int64_t heads,
          int64_t keyHeads, int64_t size)
      : batch(batch), queries(queries), keys(keys), heads(heads),
        keyHeads(keyHeads), size(size) {
    RandomFloats random(batch * 31 + queries * 7 + keys + size);
    q = random.vector(batch * queries * heads * size);
    k = random.vector(batch * keys * keyHeads * size);
    v = random.vector(batch * keys * keyHeads * size);
    dout = random.vector(q.size());
    visible = [](int64_t, int64_t, int64_t) { return true; };
    raise = [](int64_t, int64_t, int64_t, int64_t) { return 0.0; };
    kept = [](int64_t, int64_t, int64_t, int64_t) { return 1.0; };
  }

  size_t qAt(int64_t b, int64_t h, int64_t i) const {
    return ((b * queries + i) * heads + h) * size;
  }
  size_t kAt(int64_t b, int64_t h, int64_t j) const {
    return ((b * keys + j) * keyHeads + h / (heads / keyHeads)) * size;
  }
  double dot(const std::vector<float> &x, size_t at,
             const std::vector<float> &y, size_t from) const {
    double sum = 0;
    for (int64_t d = 0; d < size; ++d)
      sum += double(x[at + d]) * y[from + d];
    return sum;
  }

  /// Fills out, lse and the gradients.
  void solve() {
    out.assign(q.size(), 0);
    lse.assign(batch * heads * queries, -INFINITY);
    dq.assign(q.size(), 0);
    dk.assign(k.size(), 0);
    dv.assign(v.size(), 0);
    dslopes.assign(batch * heads, 0);
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t i = 0; i < queries; ++i)
          solveRow(b, h, i);
  }
  void solveRow(int64_t b, int64_t h, int64_t i) {
    double scale = 1 / std::sqrt(double(size)), top = -INFINITY, sum = 0;
    std::vector<std::pair<int64_t, double>> seen;
    for (int64_t j = 0; j < keys; ++j)
      if (visible(b, i, j)) {
        double s = scale * dot(q, qAt(b, h, i), k, kAt(b, h, j));
        seen.push_back({j, s + raise(b, h, i, j)});
        top = std::max(top, seen.back().second);
      }
    if (seen.empty())
      return;
    for (auto [j, s] : seen)
      sum += std::exp(s - top);
    lse[(b * heads + h) * queries + i] = top + std::log(sum);
    std::vector<double> row(size, 0), dw;
    double mean = 0;
    for (auto &[j, s] : seen) {
      s = std::exp(s - top) / sum;
      double factor = kept(b, h, i, j);
      dw.push_back(factor * dot(dout, qAt(b, h, i), v, kAt(b, h, j)));
      mean += s * dw.back();
      for (int64_t d = 0; d < size; ++d)
        row[d] += factor * s * v[kAt(b, h, j) + d];
    }
    for (int64_t d = 0; d < size; ++d)
      out[qAt(b, h, i) + d] = row[d];
    for (size_t n = 0; n < seen.size(); ++n) {
      auto [j, w] = seen[n];
      double ds = w * (dw[n] - mean) * scale, used = w * kept(b, h, i, j);
      dslopes[b * heads + h] += ds / scale * double(j - i);
      for (int64_t d = 0; d < size; ++d) {
        dq[qAt(b, h, i) + d] += ds * k[kAt(b, h, j) + d];
        dk[kAt(b, h, j) + d] += ds * q[qAt(b, h, i) + d];
        dv[kAt(b, h, j) + d] += used * dout[qAt(b, h, i) + d];
      }
    }
  }

  void check(const std::vector<float> &found, double tolerance = 1e-5) const {
    size_t at = 0;
    for (const std::vector<double> *want : {&dq, &dk, &dv})
      for (size_t i = 0; i < want->size(); ++i, ++at)
        ASSERT_NEAR(found[at], (*want)[i], tolerance)
            << "element " << i << " of "
            << (want == &dq   ? "dq"
                : want == &dk ? "dk"
                              : "dv")
            << ", " << queries << " queries, " << keys << " keys, size "
            << size;
  }
};

std::string number(int64_t value) { return std::to_string(value); }

/// The gradient of [B,T,H,D] and [B,S,Hk,D] with optional parts.
std::string
kernelText(int64_t heads, int64_t keyHeads, int64_t size,
           const std::string &attributes, const std::string &arguments = "",
           const std::string &operands = "", const std::string &types = "",
           const std::string &regions = "", const std::string &capture = "") {
  std::string q = "tensor<?x?x" + number(heads) + "x" + number(size) + "xf32>",
              k = "tensor<?x?x" + number(keyHeads) + "x" + number(size) +
                  "xf32>",
              lse = "tensor<?x" + number(heads) + "x?xf32>";
  auto dims = [&](const std::string &length, int64_t h) {
    return " {xf.dims = [\"B\", \"" + length + "\", \"" + number(h) + "\", \"" +
           number(size) + "\"]}";
  };
  std::string qd = dims("T", heads), kd = dims("S", keyHeads);
  std::string plain = q + ", " + k + ", " + k,
              results = plain + (capture.empty() ? "" : ", " + capture);
  return "plan.kernel @k(%dout: " + q + qd + ", %q: " + q + qd + ", %k: " + k +
         kd + ", %v: " + k + kd + ", %out: " + q + qd + ", %lse: " + lse +
         " {xf.dims = [\"B\", \"" + number(heads) + "\", \"T\"]}" + arguments +
         ") -> (" + results +
         ") attributes {dims = [\"B\", \"T\", \"S\"]} {\n" + "  %dq, %dk, %dv" +
         (capture.empty() ? "" : ", %dt") +
         " = xf.attention_grad %dout, %q, %k, %v out %out "
         "%lse " +
         operands +
         " {q_layout = \"bthd\", k_layout = \"bthd\", v_layout = \"bthd\", "
         "out_layout = \"bthd\"" +
         attributes + "} " + regions + " : (" + q + ", " + q + ", " + k + ", " +
         k + ", " + q + ", " + lse + types + ") -> " + plain +
         (capture.empty() ? "" : " captures " + capture) +
         "\n  plan.yield %dq, %dk, %dv" + (capture.empty() ? "" : ", %dt") +
         " : " + results + "\n}";
}

struct AttentionGradKernelTest : testing::Test {
  std::unique_ptr<mlir::MLIRContext> context = kernelContext();

  auto compile(const std::string &text) {
    return compileTensorKernel(*context, text, lowerAttentionGrad);
  }
};

/// Runs a problem with `extra` slots behind lse; returns dq, dk and dv, and
/// writes the gradient of the captured tensor to `captured`.
std::vector<float> run(const TensorKernel &kernel, const Problem &p,
                       std::vector<void *> extra = {}, int64_t parts = 1,
                       float *captured = nullptr) {
  GuardedBuffer<float> dout(p.dout), q(p.q), k(p.k), v(p.v), out(p.out),
      lse(p.lse), dq(p.q.size()), dk(p.k.size()), dv(p.v.size());
  std::vector<void *> slots = {dout.data(), q.data(),   k.data(),
                               v.data(),    out.data(), lse.data()};
  slots.insert(slots.end(), extra.begin(), extra.end());
  slots.insert(slots.end(), {dq.data(), dk.data(), dv.data()});
  if (captured)
    slots.push_back(captured);
  kernel.run(slots, {{"B", p.batch}, {"T", p.queries}, {"S", p.keys}}, parts);
  std::vector<float> all(dq.begin(), dq.end());
  all.insert(all.end(), dk.begin(), dk.end());
  all.insert(all.end(), dv.begin(), dv.end());
  return all;
}

bool sameBits(const std::vector<float> &x, const std::vector<float> &y) {
  return x.size() == y.size() && memcmp(x.data(), y.data(), x.size() * 4) == 0;
}

// Sizes around vectors, tiles and blocks; equal bits at every level and for any
// division of the tiles.
TEST_F(AttentionGradKernelTest, AllLengthsAndSizes) {
  struct Shape {
    int64_t heads, keyHeads, size;
  };
  for (Shape shape : {Shape{2, 2, 64}, {4, 2, 32}, {1, 1, 16}, {2, 1, 40}}) {
    auto kernels =
        compile(kernelText(shape.heads, shape.keyHeads, shape.size, ""));
    for (auto [queries, keys] :
         std::vector<std::pair<int64_t, int64_t>>{{1, 1},
                                                  {15, 17},
                                                  {16, 16},
                                                  {33, 31},
                                                  {31, 63},
                                                  {65, 255},
                                                  {5, 257},
                                                  {257, 49}}) {
      Problem p(2, queries, keys, shape.heads, shape.keyHeads, shape.size);
      p.solve();
      std::vector<float> first;
      for (auto &kernel : kernels) {
        ASSERT_TRUE(kernel);
        std::vector<float> found = run(*kernel, p);
        p.check(found);
        if (HasFatalFailure())
          return;
        if (first.empty())
          first = found;
        EXPECT_TRUE(sameBits(first, found));
        EXPECT_TRUE(sameBits(run(*kernel, p, {}, 3), found));
      }
    }
  }
}

// Whatever a hidden key, value or a row without keys holds leaves no trace, and
// a row without keys has a gradient of exactly zero.
TEST_F(AttentionGradKernelTest, CausalWindowsAndKeyCounts) {
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
    Problem p(4, 37, 300, 2, 2, 32);
    GuardedBuffer<int64_t> count(std::vector<int64_t>{300, 0, 270, 20}),
        offset(std::vector<int64_t>{0, 5, 240, -9});
    p.visible = [&](int64_t b, int64_t i, int64_t j) {
      int64_t at = i + offset[b];
      return j < count[b] && (!test.causal || j <= at) &&
             (test.left < 0 || j >= at - test.left) &&
             (test.right < 0 || j <= at + test.right);
    };
    p.solve();
    Problem poisoned = p;
    for (int64_t b = 0; b < 4; ++b)
      for (int64_t j = 0; j < 300; ++j) {
        bool seen = false;
        for (int64_t i = 0; i < 37; ++i)
          seen |= p.visible(b, i, j);
        for (int64_t d = 0; d < 64 && !seen; ++d) {
          poisoned.k[(b * 300 + j) * 64 + d] = d % 2 ? NAN : INFINITY;
          poisoned.v[(b * 300 + j) * 64 + d] = j % 2 ? NAN : INFINITY;
        }
      }
    for (int64_t b = 0; b < 4; ++b)
      for (int64_t i = 0; i < 37; ++i)
        if (p.lse[b * 2 * 37 + i] == -INFINITY)
          for (int64_t d = 0; d < 64; ++d) {
            poisoned.q[(b * 37 + i) * 64 + d] = NAN;
            poisoned.dout[(b * 37 + i) * 64 + d] = INFINITY;
          }
    for (auto &kernel : kernels) {
      ASSERT_TRUE(kernel);
      std::vector<float> clean = run(*kernel, p, {count.data(), offset.data()});
      p.check(clean);
      if (HasFatalFailure())
        return;
      EXPECT_TRUE(sameBits(
          run(*kernel, poisoned, {count.data(), offset.data()}), clean));
      for (int64_t i = 37 * 64; i < 2 * 37 * 64; ++i)
        ASSERT_EQ(clean[i], 0);
    }
  }
}

// A value that later queries see poisons these, not the earlier ones.
TEST_F(AttentionGradKernelTest, PoisonReachesOnlyThoseWhoSeeIt) {
  auto kernels = compile(kernelText(1, 1, 32, ", causal"));
  Problem p(1, 40, 40, 1, 1, 32);
  p.visible = [](int64_t, int64_t i, int64_t j) { return j <= i; };
  p.solve();
  Problem poisoned = p;
  for (int64_t d = 0; d < 32; ++d)
    poisoned.k[25 * 32 + d] = NAN;
  for (auto &kernel : kernels) {
    ASSERT_TRUE(kernel);
    std::vector<float> clean = run(*kernel, p), bad = run(*kernel, poisoned);
    p.check(clean);
    EXPECT_EQ(memcmp(clean.data(), bad.data(), 25 * 32 * 4), 0);
    for (int64_t i = 25 * 32; i < 40 * 32; ++i)
      ASSERT_TRUE(std::isnan(bad[i]));
  }
}

// A sentence in a padded batch has the gradient that it has alone, bit by bit.
TEST_F(AttentionGradKernelTest, PaddingChangesNothing) {
  auto kernels = compile(kernelText(2, 2, 32, "",
                                    ", %n: tensor<?xi64> {xf.dims = [\"B\"]}",
                                    "key_count %n", ", tensor<?xi64>"));
  Problem alone(1, 30, 30, 2, 2, 32), padded(1, 80, 80, 2, 2, 32);
  GuardedBuffer<int64_t> count(std::vector<int64_t>{30});
  padded.visible = [&](int64_t, int64_t, int64_t j) { return j < 30; };
  for (auto [from, to] : {std::pair{&alone.q, &padded.q},
                          {&alone.k, &padded.k},
                          {&alone.v, &padded.v}})
    std::copy(from->begin(), from->end(), to->begin());
  padded.dout.assign(padded.dout.size(), 0);
  std::copy(alone.dout.begin(), alone.dout.end(), padded.dout.begin());
  alone.solve();
  padded.solve();
  std::copy(alone.out.begin(), alone.out.end(), padded.out.begin());
  for (int64_t h = 0; h < 2; ++h)
    for (int64_t i = 0; i < 30; ++i)
      padded.lse[h * 80 + i] = alone.lse[h * 30 + i];
  for (auto &kernel : kernels) {
    ASSERT_TRUE(kernel);
    std::vector<float> small = run(*kernel, alone, {count.data()}),
                       large = run(*kernel, padded, {count.data()});
    for (size_t part = 0; part < 3; ++part)
      EXPECT_EQ(memcmp(small.data() + part * alone.q.size(),
                       large.data() + part * padded.q.size(),
                       alone.q.size() * 4),
                0);
  }
}

// Slopes for each head, and their gradient by row.
TEST_F(AttentionGradKernelTest, ScoreRegionAndItsCapture) {
  auto kernels =
      compile(kernelText(2, 2, 16, ", causal, score_reads = array<i64: 0>",
                         ", %t: tensor<2xf32> {xf.dims = [\"2\"]}",
                         "captures(%t)", ", tensor<2xf32>", R"(score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %slope = tensor.extract %t[%h] : tensor<2xf32>
    %d = arith.subi %j, %i : index
    %n = arith.index_cast %d : index to i64
    %f = arith.sitofp %n : i64 to f32
    %x = arith.mulf %slope, %f : f32
    %r = arith.addf %s, %x : f32
    xf.yield %r : f32
  } score_reverse {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: f32):
    %d = arith.subi %j, %i : index
    %n = arith.index_cast %d : index to i64
    %f = arith.sitofp %n : i64 to f32
    %x = arith.mulf %c, %f : f32
    xf.yield %c, %x, %h : f32, f32, index
  })",
                         "tensor<?x2x2xf32>"));
  GuardedBuffer<float> slopes(std::vector<float>{0.25, -0.125});
  for (auto [queries, keys] :
       std::vector<std::pair<int64_t, int64_t>>{{5, 3}, {40, 40}, {30, 270}}) {
    Problem p(2, queries, keys, 2, 2, 16);
    p.visible = [](int64_t, int64_t i, int64_t j) { return j <= i; };
    p.raise = [&](int64_t, int64_t h, int64_t i, int64_t j) {
      return slopes[h] * double(j - i);
    };
    p.solve();
    for (auto &kernel : kernels) {
      ASSERT_TRUE(kernel);
      GuardedBuffer<float> found(2 * 2 * 2);
      p.check(run(*kernel, p, {slopes.data()}, 1, found.data()));
      if (HasFatalFailure())
        return;
      for (int64_t b = 0; b < 2; ++b)
        for (int64_t h = 0; h < 2; ++h) {
          EXPECT_NEAR(found[(b * 2 + h) * 2 + h], p.dslopes[b * 2 + h], 1e-4);
          EXPECT_EQ(found[(b * 2 + h) * 2 + 1 - h], 0);
        }
    }
  }
}

// The gradient drops the weights that the forward kernel dropped.
TEST_F(AttentionGradKernelTest, DropoutRepeatsItsDraws) {
  auto kernels = compile(kernelText(
      2, 1, 32, ", dropout = 0.25 : f64, site = 7 : i64",
      ", %seed: tensor<i64> {xf.dims = []}, %keys: tensor<?xi64> {xf.dims = "
      "[\"B\"]}",
      "seed %seed row_key %keys", ", tensor<i64>, tensor<?xi64>"));
  GuardedBuffer<int64_t> seed(std::vector<int64_t>{99}),
      keys(std::vector<int64_t>{12, int64_t(5) << 33});
  xf::DropoutDraws draws(seed[0], 7, 0.25);
  Problem p(2, 35, 70, 2, 1, 32);
  p.kept = [&](int64_t b, int64_t h, int64_t i, int64_t j) {
    return draws.keep(keys[b], h * (1 << 20) + i, j) ? draws.scale() : 0.0;
  };
  p.solve();
  for (auto &kernel : kernels) {
    ASSERT_TRUE(kernel);
    p.check(run(*kernel, p, {seed.data(), keys.data()}));
  }
}

} // namespace
