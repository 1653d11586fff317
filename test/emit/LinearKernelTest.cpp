//===- LinearKernelTest.cpp - Every row count, bit for bit ----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/LinearKernel.h"
#include "test/emit/KernelTestHarness.h"

#include "mlir/IR/OwningOpRef.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::test;

namespace {

/// x[M,K], w[N,K] (row-major), bias[N], residual[M,N] and what comes out.
struct Problem {
  int64_t rows, columns, depth;
  std::vector<float> x, w, bias, residual;

  Problem(int64_t rows, int64_t columns, int64_t depth)
      : rows(rows), columns(columns), depth(depth) {
    RandomFloats random(rows * 7919 + columns * 31 + depth);
    x = random.vector(rows * depth);
    w = random.vector(columns * depth);
    bias = random.vector(columns);
    residual = random.vector(rows * columns);
  }

  /// The weight as [ceil(N/16)][K][16], tail columns zero.
  std::vector<float> packed() const {
    int64_t panels = (columns + 15) / 16;
    std::vector<float> bytes(panels * depth * 16, 0.0f);
    for (int64_t n = 0; n < columns; ++n)
      for (int64_t k = 0; k < depth; ++k)
        bytes[(n / 16 * depth + k) * 16 + n % 16] = w[n * depth + k];
    return bytes;
  }

  /// One chain of fused multiply-adds from +0.
  float chain(int64_t m, int64_t n) const {
    float sum = 0;
    for (int64_t k = 0; k < depth; ++k)
      sum = std::fma(x[m * depth + k], w[n * depth + k], sum);
    return sum;
  }
};

enum class Form { Plain, BiasRelu, BiasResidual };

std::unique_ptr<LoadedCode> compileLinear(mlir::MLIRContext &context,
                                          const CpuTarget &target,
                                          int64_t columns, int64_t depth,
                                          Form form) {
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  KernelBuilder k(*module, "linear", target);
  LinearSpec spec;
  spec.columns = columns;
  spec.depth = depth;
  spec.rows = [](KernelBuilder &k) { return k.dim(0); };
  if (form != Form::Plain)
    spec.biasSlot = 3;
  if (form == Form::BiasRelu)
    spec.activation = Activation::Relu;
  if (form == Form::BiasResidual)
    spec.epilogue = [&spec](KernelBuilder &e) {
      return [&](const EpilogueVector &at, mlir::Value value) {
        return e.addF(value, loadLikeOutput(e, spec, 4, at));
      };
    };
  emitLinear(k, spec);
  k.finish();
  return LoadedCode::compile(*module, target);
}

/// Runs one problem against protected pages and compares bits.
void checkProblem(const LoadedCode &code, const CpuTarget &target,
                  const Problem &p, Form form, Guard guard, int64_t parts) {
  GuardedBuffer<float> x(p.x, guard), w(p.packed(), guard), bias(p.bias, guard),
      residual(p.residual, guard), y(p.rows * p.columns, guard);
  Launch launch{{x.data(), w.data(), y.data(), bias.data(), residual.data()},
                {p.rows},
                linearTiles(p.rows, p.columns, LinearSpec().rowBlock),
                static_cast<size_t>(linearScratchBytes(p.columns))};
  ASSERT_EQ(launch.run(code.kernel("linear"), parts), 0);
  for (int64_t m = 0; m < p.rows; ++m)
    for (int64_t n = 0; n < p.columns; ++n) {
      float expected = p.chain(m, n);
      if (form != Form::Plain)
        expected += p.bias[n];
      if (form == Form::BiasRelu)
        expected = expected < 0 ? 0 : expected;
      if (form == Form::BiasResidual)
        expected += p.residual[m * p.columns + n];
      ASSERT_EQ(memcmp(&y[m * p.columns + n], &expected, sizeof(float)), 0)
          << target.level << " M " << p.rows << " N " << p.columns << " K "
          << p.depth << " at " << m << "," << n << ": expected " << expected
          << ", found " << y[m * p.columns + n];
    }
}

struct LinearKernelTest : testing::Test {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

TEST_F(LinearKernelTest, EveryRowCountIsOneChain) {
  struct Shape {
    int64_t columns, depth;
    Form form;
  };
  for (const CpuTarget &target : hostTargets())
    for (Shape shape : {Shape{128, 24, Form::BiasRelu},
                        {64, 17, Form::Plain},
                        {115, 9, Form::BiasResidual},
                        {96, 16, Form::BiasRelu},
                        {80, 5, Form::Plain},
                        {7, 3, Form::BiasRelu},
                        {64, 1, Form::Plain}}) {
      auto code = compileLinear(context, target, shape.columns, shape.depth,
                                shape.form);
      ASSERT_TRUE(code);
      for (int64_t rows = 1; rows <= 70; ++rows)
        checkProblem(*code, target, {rows, shape.columns, shape.depth},
                     shape.form, rows % 2 ? Guard::AtEnd : Guard::AtStart, 1);
      for (int64_t rows : {127, 128, 240, 241, 500})
        checkProblem(*code, target, {rows, shape.columns, shape.depth},
                     shape.form, Guard::AtEnd, 3);
      if (HasFatalFailure())
        return;
    }
}

TEST_F(LinearKernelTest, EmptyDepthGivesZeros) {
  for (const CpuTarget &target : hostTargets()) {
    auto code = compileLinear(context, target, 70, 0, Form::Plain);
    ASSERT_TRUE(code);
    for (int64_t rows : {1, 9, 50})
      checkProblem(*code, target, {rows, 70, 0}, Form::Plain, Guard::AtEnd, 1);
  }
}

TEST_F(LinearKernelTest, NaNStaysInItsRowAndPassesRelu) {
  for (const CpuTarget &target : hostTargets()) {
    auto code = compileLinear(context, target, 64, 32, Form::BiasRelu);
    ASSERT_TRUE(code);
    Problem p(20, 64, 32);
    p.x[7 * 32 + 3] = NAN;
    std::vector<float> w = p.packed(), y(20 * 64);
    Launch launch{{p.x.data(), w.data(), y.data(), p.bias.data(), nullptr},
                  {20},
                  linearTiles(20, 64, LinearSpec().rowBlock)};
    ASSERT_EQ(launch.run(code->kernel("linear")), 0);
    for (int64_t m = 0; m < 20; ++m)
      for (int64_t n = 0; n < 64; ++n)
        EXPECT_EQ(std::isnan(y[m * 64 + n]), m == 7);
  }
}

TEST_F(LinearKernelTest, KeepsItsAccumulatorsInRegisters) {
  for (std::string level : CpuTarget::levels())
    for (int64_t columns : {512, 115}) {
      CpuTarget target = *CpuTarget::parse(level);
      auto code = compileLinear(context, target, columns, 512, Form::BiasRelu);
      ASSERT_TRUE(code);
      auto traffic = countVectorStackTraffic(code->object);
      ASSERT_EQ(traffic.count("linear"), 1u);
      EXPECT_EQ(traffic["linear"], 0) << level << " N " << columns;
    }
}

} // namespace
