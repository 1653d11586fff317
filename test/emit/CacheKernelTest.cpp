//===- CacheKernelTest.cpp - Caches: append, and attention over them ------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/AttentionKernel.h"
#include "compiler/lowering/cpu/CacheAppendKernel.h"
#include "test/emit/TensorKernel.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace dragoman;
using namespace dragoman::test;

namespace {

constexpr int64_t heads = 2, size = 32;

std::string appendText(const std::string &layout) {
  return R"(
plan.kernel @k(%c: tensor<?x2x?x32xf32> {xf.dims = ["Rows", "2", "Cap", "32"], plan.layout = ")" +
         layout + R"("},
               %qkv: tensor<?x?x192xf32> {xf.dims = ["R", "T", "192"]},
               %at: tensor<?xi64> {xf.dims = ["R"]},
               %row: tensor<?xi32> {xf.dims = ["R"]})
    -> (tensor<?x2x?x32xf32> {plan.alias = 0 : i64})
    attributes {dims = ["Rows", "Cap", "R", "T"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tensor.dim %qkv, %c0 : tensor<?x?x192xf32>
  %t = tensor.dim %qkv, %c1 : tensor<?x?x192xf32>
  %s = tensor.extract_slice %qkv[0, 0, 64] [%r, %t, 64] [1, 1, 1] : tensor<?x?x192xf32> to tensor<?x?x64xf32>
  %f = tensor.expand_shape %s [[0], [1], [2, 3]] output_shape [%r, %t, 2, 32] : tensor<?x?x64xf32> into tensor<?x?x2x32xf32>
  %o = xf.cache_append %c, %f at %at row %row {layout = ")" +
         layout + R"(", fresh_layout = "bthd", site = 3 : i64}
      : (tensor<?x2x?x32xf32>, tensor<?x?x2x32xf32>, tensor<?xi64>, tensor<?xi32>) -> tensor<?x2x?x32xf32>
  plan.yield %o : tensor<?x2x?x32xf32>
})";
}

/// Causal attention of q over caches; `columns` of the row table: "1" or "K".
std::string attentionText(const std::string &columns) {
  std::string rows = columns == "1" ? "tensor<?x1xi32>" : "tensor<?x?xi32>";
  return R"(
plan.kernel @k(%q: tensor<?x?x64xf32> {xf.dims = ["R", "T", "64"]},
               %k: tensor<?x2x?x32xf32> {xf.dims = ["Rows", "2", "Cap", "32"], plan.layout = "panel16"},
               %v: tensor<?x2x?x32xf32> {xf.dims = ["Rows", "2", "Cap", "32"]},
               %n: tensor<?xi64> {xf.dims = ["R"]},
               %at: tensor<?xi64> {xf.dims = ["R"]},
               %rows: )" +
         rows + R"( {xf.dims = ["R", ")" + columns + R"("]})
    -> tensor<?x?x64xf32> attributes {dims = ["R", "T", "Rows", "Cap", "K"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tensor.dim %q, %c0 : tensor<?x?x64xf32>
  %t = tensor.dim %q, %c1 : tensor<?x?x64xf32>
  %qe = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [%r, %t, 2, 32] : tensor<?x?x64xf32> into tensor<?x?x2x32xf32>
  %o, %l = xf.attention %qe, %k, %v key_count %n offset %at rows %rows
      {causal, q_layout = "bthd", k_layout = "panel16", out_layout = "bthd"}
      : (tensor<?x?x2x32xf32>, tensor<?x2x?x32xf32>, tensor<?x2x?x32xf32>, tensor<?xi64>, tensor<?xi64>, )" +
         rows + R"() -> (tensor<?x?x2x32xf32>, tensor<?x2x?xf32>)
  %c = tensor.collapse_shape %o [[0], [1], [2, 3]] : tensor<?x?x2x32xf32> into tensor<?x?x64xf32>
  plan.yield %c : tensor<?x?x64xf32>
})";
}

struct CacheKernelTest : testing::Test {
  std::unique_ptr<mlir::MLIRContext> context = kernelContext();
};

/// Where key t of (row, head) keeps element d.
size_t rowsAt(int64_t cap, int64_t row, int64_t h, int64_t t, int64_t d) {
  return ((row * heads + h) * cap + t) * size + d;
}
size_t panelAt(int64_t cap, int64_t row, int64_t h, int64_t t, int64_t d) {
  return ((row * heads + h) * cap + t / 16 * 16) * size + d * 16 + t % 16;
}

TEST_F(CacheKernelTest, AppendWritesBothLayoutsAndChecksBounds) {
  for (std::string layout : {"rows", "panel16"}) {
    for (auto &kernel :
         compileTensorKernel(*context, appendText(layout), lowerCacheAppend)) {
      ASSERT_TRUE(kernel);
      int64_t rows = 3, cap = 32, fresh = 2, length = 5;
      GuardedBuffer<float> cache(rows * heads * cap * size),
          qkv(RandomFloats(5).vector(fresh * length * 192));
      GuardedBuffer<int64_t> at(std::vector<int64_t>{13, 27});
      GuardedBuffer<int32_t> row(std::vector<int32_t>{2, 0});
      std::map<std::string, int64_t> dims = {
          {"Rows", rows}, {"Cap", cap}, {"R", fresh}, {"T", length}};
      cache.fill(-7);
      std::vector<void *> slots = {cache.data(), qkv.data(), at.data(),
                                   row.data()};
      EXPECT_EQ(kernel->run(slots, dims, 2).site, -1);
      int64_t written = 0;
      for (int64_t n = 0; n < fresh; ++n)
        for (int64_t h = 0; h < heads; ++h)
          for (int64_t t = 0; t < length; ++t)
            for (int64_t d = 0; d < size; ++d, ++written) {
              auto place = layout == "rows" ? rowsAt : panelAt;
              ASSERT_EQ(cache[place(cap, row[n], h, at[n] + t, d)],
                        qkv[(n * length + t) * 192 + 64 + h * size + d]);
            }
      EXPECT_EQ(std::count(cache.begin(), cache.end(), -7.0f),
                int64_t(cache.size()) - written);
      // Behind the capacity; then no such row.
      at[1] = 28;
      ErrorBlock error = kernel->run(slots, dims);
      EXPECT_EQ(error.site, 3);
      EXPECT_EQ(error.index, 1);
      EXPECT_EQ(error.value, 33);
      EXPECT_EQ(error.bound, 32);
      row[0] = -1;
      error = kernel->run(slots, dims);
      EXPECT_EQ(error.index, 0);
      EXPECT_EQ(error.value, -1);
      EXPECT_EQ(error.bound, 3);
    }
  }
}

/// Two levels of caches filled from the keys of `tokens` tokens per cache row.
struct Caches {
  int64_t rows, cap;
  GuardedBuffer<float> k, v;
  Caches(int64_t rows, int64_t cap)
      : rows(rows), cap(cap), k(rows * heads * cap * size),
        v(rows * heads * cap * size) {}

  /// Random keys and values for the first `tokens` of every row; the rest
  /// stays NaN.
  void fill(int64_t tokens) {
    RandomFloats random(rows + tokens);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t t = 0; t < tokens; ++t)
          for (int64_t d = 0; d < size; ++d) {
            k[panelAt(cap, r, h, t, d)] = random.next() * 4;
            v[rowsAt(cap, r, h, t, d)] = random.next();
          }
  }
};

/// out of one query q over keys 0..count-1, key j from cache row rows(j).
template <typename Rows>
void checkQuery(Caches &c, const float *q, const float *out, int64_t h,
                int64_t count, Rows rows) {
  std::vector<double> p(count);
  double sum = 0;
  for (int64_t j = 0; j < count; ++j) {
    double s = 0;
    for (int64_t d = 0; d < size; ++d)
      s += double(q[h * size + d]) * c.k[panelAt(c.cap, rows(j), h, j, d)];
    sum += p[j] = std::exp(s / std::sqrt(double(size)));
  }
  for (int64_t d = 0; d < size; ++d) {
    double want = 0;
    for (int64_t j = 0; j < count; ++j)
      want += p[j] / sum * c.v[rowsAt(c.cap, rows(j), h, j, d)];
    ASSERT_NEAR(out[h * size + d], want, 2e-6) << "count " << count;
  }
}

// Every key may lie in another row: a table that mixes rows inside panels.
TEST_F(CacheKernelTest, AttentionThroughARowTable) {
  for (auto &kernel :
       compileTensorKernel(*context, attentionText("K"), lowerAttention)) {
    ASSERT_TRUE(kernel);
    Caches c(4, 304);
    c.fill(290);
    int64_t batch = 4, length = 2, columns = 291;
    GuardedBuffer<float> q(RandomFloats(3).vector(batch * length * 64)),
        out(batch * length * 64);
    GuardedBuffer<int64_t> count(std::vector<int64_t>{290, 17, 2, 40}),
        at(std::vector<int64_t>{288, 15, 0, 38});
    GuardedBuffer<int32_t> rows(batch * columns);
    for (int64_t r = 0; r < batch; ++r)
      for (int64_t j = 0; j < columns; ++j)
        rows[r * columns + j] = r == 3 ? 1 : j < 16 ? 2 : (j * 7 + r) % 4;
    for (int64_t j = count[2]; j < columns; ++j)
      rows[2 * columns + j] = -5; // beyond what the row sees
    kernel->run({q.data(), c.k.data(), c.v.data(), count.data(), at.data(),
                 rows.data(), out.data()},
                {{"R", batch},
                 {"T", length},
                 {"Rows", c.rows},
                 {"Cap", c.cap},
                 {"K", columns}},
                3);
    for (int64_t r = 0; r < batch; ++r)
      for (int64_t t = 0; t < length; ++t)
        for (int64_t h = 0; h < heads; ++h)
          checkQuery(c, &q[(r * length + t) * 64], &out[(r * length + t) * 64],
                     h, std::min(count[r], at[r] + t + 1),
                     [&](int64_t j) { return rows[r * columns + j]; });
  }
}

// Neighbours with one source are one block of queries: same bits as alone.
TEST_F(CacheKernelTest, SharedSourcesGiveTheBitsOfSingleRows) {
  for (auto &kernel :
       compileTensorKernel(*context, attentionText("1"), lowerAttention)) {
    ASSERT_TRUE(kernel);
    Caches c(3, 64);
    c.fill(50);
    int64_t batch = 21, length = 1;
    GuardedBuffer<float> q(RandomFloats(3).vector(batch * 64)), out(batch * 64);
    GuardedBuffer<int64_t> count(batch), at(batch);
    GuardedBuffer<int32_t> rows(batch);
    for (int64_t r = 0; r < batch; ++r) {
      rows[r] = r < 4 ? 2 : r < 20 ? 0 : 1;
      count[r] = 20 + r;
      at[r] = 100;
    }
    std::map<std::string, int64_t> dims = {{"R", batch},
                                           {"T", length},
                                           {"Rows", c.rows},
                                           {"Cap", c.cap},
                                           {"K", 1}};
    kernel->run({q.data(), c.k.data(), c.v.data(), count.data(), at.data(),
                 rows.data(), out.data()},
                dims, 5);
    dims["R"] = 1;
    for (int64_t r = 0; r < batch; ++r) {
      for (int64_t h = 0; h < heads; ++h)
        checkQuery(c, &q[r * 64], &out[r * 64], h, count[r],
                   [&](int64_t) { return rows[r]; });
      GuardedBuffer<float> alone(64);
      kernel->run({&q[r * 64], c.k.data(), c.v.data(), &count[r], &at[r],
                   &rows[r], alone.data()},
                  dims);
      ASSERT_EQ(memcmp(alone.data(), &out[r * 64], 256), 0) << r;
    }
  }
}

// Past and step, chunks of 7, and one pass give one answer, over two blocks.
TEST_F(CacheKernelTest, StepsGiveTheBitsOfOnePass) {
  for (const CpuTarget &target : hostTargets()) {
    auto attention = TensorKernel::compile(*context, attentionText("1"),
                                           lowerAttention, target);
    ASSERT_TRUE(attention);
    int64_t tokens = 270;
    Caches c(1, 272);
    c.fill(tokens);
    GuardedBuffer<float> q(RandomFloats(3).vector(tokens * 64));
    GuardedBuffer<int32_t> rows(std::vector<int32_t>{0});
    auto pass = [&](int64_t chunk) {
      std::vector<float> out(tokens * 64);
      for (int64_t first = 0; first < tokens; first += chunk) {
        int64_t length = std::min(chunk, tokens - first);
        int64_t count = first + length, at = first;
        attention->run(
            {&q[first * 64], c.k.data(), c.v.data(), &count, &at, rows.data(),
             &out[first * 64]},
            {{"R", 1}, {"T", length}, {"Rows", 1}, {"Cap", c.cap}, {"K", 1}});
      }
      return out;
    };
    std::vector<float> whole = pass(tokens);
    EXPECT_EQ(pass(1), whole);
    EXPECT_EQ(pass(7), whole);
  }
}

} // namespace
