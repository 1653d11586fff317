//===- SelectKernelTest.cpp - Best candidates of a row on the CPU ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/SelectKernel.h"
#include "test/emit/TensorKernel.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace dragoman;
using namespace dragoman::test;

namespace {

constexpr int64_t slots = 128;

std::string selectText(int64_t vocabulary) {
  std::string v = std::to_string(vocabulary);
  return R"(
plan.kernel @k(%x: tensor<?x)" +
         v + R"(xf32> {xf.dims = ["N", ")" + v + R"("]},
               %count: tensor<i64>, %bits: tensor<i64>,
               %id: tensor<?x?xi32> {xf.dims = ["N", "E"]},
               %kind: tensor<?x?xi32> {xf.dims = ["N", "E"]},
               %value: tensor<?x?xf32> {xf.dims = ["N", "E"]})
    -> (tensor<?x128xf32>, tensor<?x128xi32>, tensor<?xf32>)
    attributes {dims = ["N", "E"]} {
  %v, %i, %l = xf.select %x count %count normalize %bits
      edits(%id, %kind, %value)
      : (tensor<?x)" +
         v +
         R"(xf32>, tensor<i64>, tensor<i64>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xf32>)
      -> (tensor<?x128xf32>, tensor<?x128xi32>, tensor<?xf32>)
  plan.yield %v, %i, %l : tensor<?x128xf32>, tensor<?x128xi32>, tensor<?xf32>
})";
}

struct Edit {
  int32_t id, kind;
  float value;
};

double logSumExp(const std::vector<double> &row) {
  double top = -INFINITY, sum = 0;
  for (double x : row) {
    if (std::isnan(x))
      return NAN;
    top = std::max(top, x);
  }
  if (std::isinf(top))
    return top;
  for (double x : row)
    sum += std::exp(x - top);
  return top + std::log(sum);
}

struct SelectKernelTest : testing::Test {
  std::unique_ptr<mlir::MLIRContext> context = kernelContext();

  /// One row per entry of `rows`, all with the same edits, against loops.
  void check(const TensorKernel &kernel,
             const std::vector<std::vector<float>> &rows, int64_t count,
             int64_t bits, const std::vector<Edit> &edits) {
    int64_t n = rows.size(), vocabulary = rows[0].size(), e = edits.size();
    std::vector<float> all;
    for (auto &row : rows)
      all.insert(all.end(), row.begin(), row.end());
    GuardedBuffer<float> x(all), editValue(n * e), values(n * slots), lse(n);
    GuardedBuffer<int32_t> id(n * e), kind(n * e), ids(n * slots);
    for (int64_t i = 0; i < n * e; ++i) {
      id[i] = edits[i % e].id;
      kind[i] = edits[i % e].kind;
      editValue[i] = edits[i % e].value;
    }
    kernel.run({x.data(), &count, &bits, id.data(), kind.data(),
                editValue.data(), values.data(), ids.data(), lse.data()},
               {{"N", n}, {"E", e}}, 2);
    for (int64_t r = 0; r < n; ++r) {
      std::vector<double> row(rows[r].begin(), rows[r].end());
      if (bits & 1) {
        double constant = logSumExp(row);
        for (double &value : row)
          value -= constant;
      }
      for (const Edit &edit : edits)
        if (edit.id >= 0 && edit.id < vocabulary) {
          double &value = row[edit.id];
          value = edit.kind == 1   ? edit.value
                  : edit.kind == 2 ? value + edit.value
                  : edit.kind == 3
                      ? (value < 0 ? value * edit.value : value / edit.value)
                      : value;
        }
      double constant = logSumExp(row);
      std::vector<int64_t> order;
      for (int64_t i = 0; i < vocabulary; ++i)
        if (row[i] > -INFINITY)
          order.push_back(i);
      std::stable_sort(order.begin(), order.end(),
                       [&](int64_t a, int64_t b) { return row[a] > row[b]; });
      int64_t taken =
          std::min<int64_t>(std::min<int64_t>(count, vocabulary), order.size());
      for (int64_t i = 0; i < slots; ++i) {
        if (i >= taken) {
          ASSERT_EQ(ids[r * slots + i], -1) << "row " << r << " rank " << i;
          ASSERT_EQ(values[r * slots + i], -INFINITY);
          continue;
        }
        ASSERT_EQ(ids[r * slots + i], order[i]) << "row " << r << " rank " << i;
        double want = row[order[i]] - (bits & 2 ? constant : 0);
        if (std::isnan(want))
          ASSERT_TRUE(std::isnan(values[r * slots + i]));
        else if (std::isinf(want))
          ASSERT_EQ(values[r * slots + i], want);
        else
          ASSERT_NEAR(values[r * slots + i], want, 2e-5);
      }
      if (std::isnan(constant))
        ASSERT_TRUE(std::isnan(lse[r]));
      else if (std::isinf(constant))
        ASSERT_EQ(lse[r], constant);
      else
        ASSERT_NEAR(lse[r], constant, 2e-5);
    }
  }
};

TEST_F(SelectKernelTest, RandomRowsOfAnySize) {
  for (int64_t vocabulary : {1, 5, 63, 200, 4000}) {
    for (auto &kernel :
         compileTensorKernel(*context, selectText(vocabulary), lowerSelect)) {
      ASSERT_TRUE(kernel);
      std::vector<std::vector<float>> rows;
      RandomFloats random(vocabulary);
      for (int64_t r = 0; r < 3; ++r) {
        rows.push_back(random.vector(vocabulary));
        for (float &x : rows.back())
          x *= 20;
      }
      for (int64_t count : {0, 1, 8, 128, 500})
        for (int64_t bits : {0, 1, 2, 3})
          check(*kernel, rows, std::min<int64_t>(count, 128), bits, {});
      check(*kernel, rows, 8, 2,
            {{0, 1, 50.0f},
             {4, 2, 3.0f},
             {7, 3, 2.0f},
             {-1, 1, 99.0f},
             {4000, 1, 99.0f},
             {3, 0, 99.0f},
             {4, 1, -INFINITY}});
      check(*kernel, rows, 8, 1, {{0, 1, -INFINITY}, {2, 2, 30.0f}});
      check(*kernel, rows, 8, 3, {{0, 1, -INFINITY}});
      if (HasFatalFailure())
        return;
    }
  }
}

// Ties, constant rows, rising and falling rows, infinities and NaN.
TEST_F(SelectKernelTest, HardRows) {
  int64_t vocabulary = 1000;
  std::vector<std::vector<float>> rows(8, std::vector<float>(vocabulary, 0));
  for (int64_t i = 0; i < vocabulary; ++i) {
    rows[1][i] = -3;
    rows[2][i] = i % 3;
    rows[3][i] = i * 0.01f;
    rows[4][i] = -i * 0.01f;
    rows[5][i] = i % 211 == 5 ? 1.0f : -INFINITY;
    rows[6][i] = -INFINITY;
    rows[7][i] = i == 500 ? INFINITY : i % 7;
  }
  for (auto &kernel :
       compileTensorKernel(*context, selectText(vocabulary), lowerSelect)) {
    ASSERT_TRUE(kernel);
    for (int64_t count : {1, 8, 128})
      for (int64_t bits : {0, 2})
        check(*kernel, rows, count, bits, {});
    std::vector<std::vector<float>> nan(2, rows[2]);
    nan[0][77] = NAN;
    check(*kernel, nan, 8, 0, {});
    check(*kernel, nan, 8, 1, {});
  }
}

TEST_F(SelectKernelTest, TopKRanksNaNLast) {
  for (bool largest : {true, false}) {
    auto kernels =
        compileTensorKernel(*context,
                            R"(
plan.kernel @k(%x: tensor<?x?xf32> {xf.dims = ["M", "N"]})
    -> (tensor<?x6xf32>, tensor<?x6xi64>) attributes {dims = ["M", "N"]} {
  %v, %i = xf.top_k %x {k = 6 : i64, largest = )" +
                                std::string(largest ? "true" : "false") + R"(}
      : (tensor<?x?xf32>) -> (tensor<?x6xf32>, tensor<?x6xi64>)
  plan.yield %v, %i : tensor<?x6xf32>, tensor<?x6xi64>
})",
                            lowerTopK);
    for (auto &kernel : kernels) {
      ASSERT_TRUE(kernel);
      GuardedBuffer<float> x(std::vector<float>{NAN, 2, 2, -INFINITY, 5, NAN, 2,
                                                7, 1, 7, 2, 2, 2, 0}),
          v(12);
      GuardedBuffer<int64_t> i(12);
      kernel->run({x.data(), v.data(), i.data()}, {{"M", 2}, {"N", 7}});
      std::vector<int64_t> want =
          largest ? std::vector<int64_t>{4, 1, 2, 6, 3, 0, 0, 2, 3, 4, 5, 1}
                  : std::vector<int64_t>{3, 1, 2, 6, 4, 0, 6, 1, 3, 4, 5, 0};
      EXPECT_EQ(std::vector<int64_t>(i.begin(), i.end()), want);
      EXPECT_TRUE(std::isnan(v[5]));
      EXPECT_EQ(v[6], x[7 + want[6]]);
    }
  }
}

} // namespace
