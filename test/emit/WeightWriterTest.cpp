//===- WeightWriterTest.cpp - Tests of the bytes of weights -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/emit/WeightWriter.h"

#include "dialects/plan/NormalWeights.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <numeric>

using namespace dragoman;

namespace {

class WeightWriterTest : public testing::Test {
protected:
  WeightWriterTest() {
    context.loadDialect<plan::PlanDialect, mlir::arith::ArithDialect,
                        mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                        mlir::tensor::TensorDialect>();
    std::vector<float> numbers(12);
    std::iota(numbers.begin(), numbers.end(), 0.0f);
    std::ofstream file(folder + "/weights.bin", std::ios::binary);
    file.write("head", 4);
    file.write(reinterpret_cast<const char *>(numbers.data()),
               numbers.size() * sizeof(float));
  }

  void parse(const std::string &text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module);
  }

  /// The stored bytes of weight `name` as floats, or the failure.
  Result<std::vector<float>> write(const std::string &name) {
    WeightWriter writer(*module, folder);
    std::vector<float> values;
    Status status =
        writer.write(mlir::SymbolTable(*module).lookup<plan::WeightOp>(name),
                     [&](const void *data, size_t bytes) {
                       size_t old = values.size();
                       values.resize(old + bytes / sizeof(float));
                       std::memcpy(values.data() + old, data, bytes);
                       return Status::ok();
                     });
    if (!status)
      return status;
    return values;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string folder = testing::TempDir();
};

} // namespace

TEST_F(WeightWriterTest, ReadsBytesOfAFile) {
  parse(R"(plan.weight @w : tensor<2x3xf32>
      {source = #plan.file<"weights.bin", 12, 24>})");
  Result<std::vector<float>> values = write("w");
  ASSERT_TRUE(values) << values.status().toString();
  EXPECT_EQ(*values, (std::vector<float>{2, 3, 4, 5, 6, 7}));
}

TEST_F(WeightWriterTest, RefusesAShortFile) {
  parse(R"(plan.weight @w : tensor<12xf32>
      {source = #plan.file<"weights.bin", 8, 48>})");
  Result<std::vector<float>> values = write("w");
  ASSERT_FALSE(values);
  EXPECT_NE(values.status().toString().find(
                "expected bytes up to 56, found a file of 52"),
            std::string::npos)
      << values.status().toString();
}

TEST_F(WeightWriterTest, DrawsNormalValuesByElement) {
  parse("plan.weight @w : tensor<3x5xf32> {source = #plan.normal<7, 0.5>}");
  Result<std::vector<float>> values = write("w");
  ASSERT_TRUE(values) << values.status().toString();
  ASSERT_EQ(values->size(), 15u);
  for (uint64_t i = 0; i < 15; ++i)
    EXPECT_EQ((*values)[i], static_cast<float>(plan::normalDraw(7, 0.5, i)));
}

TEST_F(WeightWriterTest, ZeroesTheRowOfPadding) {
  parse("plan.weight @w : tensor<3x5xf32> "
        "{source = #plan.normal<7, 0.5, zero_row = 1>}");
  Result<std::vector<float>> values = write("w");
  ASSERT_TRUE(values) << values.status().toString();
  for (uint64_t i = 0; i < 15; ++i)
    EXPECT_EQ((*values)[i],
              i / 5 == 1 ? 0.0f
                         : static_cast<float>(plan::normalDraw(7, 0.5, i)));
}

TEST_F(WeightWriterTest, DrawsUniformValuesWithinTheBound) {
  parse("plan.weight @w : tensor<100x100xf32> "
        "{source = #plan.uniform<7, 0.25>}");
  Result<std::vector<float>> values = write("w");
  ASSERT_TRUE(values) << values.status().toString();
  ASSERT_EQ(values->size(), 10000u);
  double sum = 0, squares = 0;
  for (uint64_t i = 0; i < 10000; ++i) {
    double value = 0.25 * (2 * plan::uniformDraw(7, i) - 1);
    EXPECT_EQ((*values)[i], static_cast<float>(value));
    EXPECT_LE(std::abs(value), 0.25);
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 10000, 0, 0.005);
  EXPECT_NEAR(squares / 10000, 0.25 * 0.25 / 3, 0.001);
}

TEST_F(WeightWriterTest, RepeatsOneValue) {
  parse(
      "plan.weight @w : tensor<3xf32> {source = #plan.splat<1.5>, trainable}");
  Result<std::vector<float>> values = write("w");
  ASSERT_TRUE(values) << values.status().toString();
  EXPECT_EQ(*values, (std::vector<float>{1.5, 1.5, 1.5}));
}

// Frequencies 1 and 1/100: sines first, then cosines.
TEST_F(WeightWriterTest, MakesATableOfPositions) {
  parse("plan.weight @w : tensor<3x4xf32> {source = #plan.sinusoid<10000.0>}");
  Result<std::vector<float>> values = write("w");
  ASSERT_TRUE(values) << values.status().toString();
  ASSERT_EQ(values->size(), 12u);
  for (int p = 0; p < 3; ++p) {
    EXPECT_FLOAT_EQ((*values)[4 * p], std::sin(1.0 * p));
    EXPECT_FLOAT_EQ((*values)[4 * p + 1], std::sin(0.01 * p));
    EXPECT_FLOAT_EQ((*values)[4 * p + 2], std::cos(1.0 * p));
    EXPECT_FLOAT_EQ((*values)[4 * p + 3], std::cos(0.01 * p));
  }
}

// Element (n, k) of [N,K] lies at [n / 16][k][n % 16]; columns past N are zero.
TEST_F(WeightWriterTest, PacksPanels) {
  parse(R"(plan.weight @w : tensor<18x3xf32>
      {layout = "panel16", source = #plan.normal<3, 1.0>})");
  Result<std::vector<float>> values = write("w");
  ASSERT_TRUE(values) << values.status().toString();
  ASSERT_EQ(values->size(), 2u * 3 * 16);
  for (int64_t n = 0; n < 32; ++n)
    for (int64_t k = 0; k < 3; ++k) {
      float expected =
          n < 18 ? static_cast<float>(plan::normalDraw(3, 1.0, n * 3 + k)) : 0;
      EXPECT_EQ((*values)[(n / 16) * 48 + k * 16 + n % 16], expected)
          << n << ", " << k;
    }
}

TEST_F(WeightWriterTest, EvaluatesInitialisers) {
  parse(R"(
    plan.weight @a : tensor<2x3xf32> {source = #plan.file<"weights.bin", 4, 24>}
    func.func private @init() -> tensor<5x2xf32> {
      %a = plan.load @a : tensor<2x3xf32>
      %e = tensor.empty() : tensor<3x2xf32>
      %t = linalg.transpose ins(%a : tensor<2x3xf32>)
        outs(%e : tensor<3x2xf32>) permutation = [1, 0]
      %s = tensor.extract_slice %a[0, 1] [2, 2] [1, 1]
        : tensor<2x3xf32> to tensor<2x2xf32>
      %c = tensor.concat dim(0) %t, %s
        : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<5x2xf32>
      %o = tensor.empty() : tensor<5x2xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
          affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%c : tensor<5x2xf32>) outs(%o : tensor<5x2xf32>) {
      ^bb0(%x: f32, %y: f32):
        %half = arith.constant 0.5 : f32
        %one = arith.constant 1.0 : f32
        %m = arith.mulf %x, %half : f32
        %p = arith.addf %m, %one : f32
        linalg.yield %p : f32
      } -> tensor<5x2xf32>
      return %r : tensor<5x2xf32>
    }
    plan.weight @d : tensor<5x2xf32> {derived = @init})");
  Result<std::vector<float>> values = write("d");
  ASSERT_TRUE(values) << values.status().toString();
  EXPECT_EQ(*values,
            (std::vector<float>{1, 2.5, 1.5, 3, 2, 3.5, 1.5, 2, 3, 3.5}));
}

TEST_F(WeightWriterTest, NamesWhatItCannotEvaluate) {
  parse(R"(
    plan.weight @a : tensor<4xf32> {source = #plan.normal<1, 1.0>}
    func.func private @init() -> tensor<4xf32> {
      %a = plan.load @a : tensor<4xf32>
      %r = arith.addf %a, %a : tensor<4xf32>
      return %r : tensor<4xf32>
    }
    plan.weight @d : tensor<4xf32> {derived = @init})");
  Result<std::vector<float>> values = write("d");
  ASSERT_FALSE(values);
  std::string text = values.status().toString();
  EXPECT_NE(text.find("d"), std::string::npos);
  EXPECT_NE(text.find("found arith.addf"), std::string::npos) << text;
}
