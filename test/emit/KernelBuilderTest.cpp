//===- KernelBuilderTest.cpp - The layer that kernels are written in ------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/emit/KernelTestHarness.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>
#include <thread>

using namespace dragoman;
using namespace dragoman::test;
using mlir::MLIRContext;
using mlir::ModuleOp;
using mlir::Value;

namespace {

struct Fixture : testing::Test {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<ModuleOp> module =
      ModuleOp::create(mlir::UnknownLoc::get(&context));
};

/// y[i] = x[i] + 1 with a masked tail: slot 0 x[n], slot 1 y[n], dim 0 n.
void buildIncrement(ModuleOp module, const CpuTarget &target) {
  KernelBuilder k(module, "increment", target);
  Value n = k.dim(0);
  k.forTiles([&](Value tile) {
    Value at = k.mul(tile, kernelLanes);
    Value x = k.view(k.slot(0, k.f32()), at, llvm::ArrayRef<int64_t>{16},
                     llvm::ArrayRef<int64_t>{1});
    Value y = k.view(k.slot(1, k.f32()), at, llvm::ArrayRef<int64_t>{16},
                     llvm::ArrayRef<int64_t>{1});
    Value mask = k.tailMask(k.min(k.sub(n, at), 16));
    Value value = k.loadMasked(x, k.index(0), mask);
    k.storeMasked(k.addF(value, k.splat(1.0)), y, k.index(0), mask);
  });
  k.finish();
}

TEST_F(Fixture, MaskedTailsStayInside) {
  for (const CpuTarget &target : hostTargets()) {
    module = ModuleOp::create(mlir::UnknownLoc::get(&context));
    buildIncrement(*module, target);
    auto code = LoadedCode::compile(*module, target);
    ASSERT_TRUE(code);
    for (Guard guard : {Guard::AtEnd, Guard::AtStart})
      for (int64_t n : {1, 15, 16, 17, 33}) {
        GuardedBuffer<float> x(n, guard), y(n, guard);
        for (int64_t i = 0; i < n; ++i)
          x[i] = float(i);
        Launch launch{{x.data(), y.data()}, {n}, (n + 15) / 16};
        EXPECT_EQ(launch.run(code->kernel("increment")), 0);
        for (int64_t i = 0; i < n; ++i)
          EXPECT_EQ(y[i], float(i + 1)) << target.level << " n " << n;
      }
  }
}

/// Row reductions and the 16x16 transpose of slot 0 [16][16]: slot 1 gets the
/// sums and the maxima [2][16], slot 2 the transpose.
void buildReductions(ModuleOp module, const CpuTarget &target) {
  KernelBuilder k(module, "reductions", target);
  Value x = k.slot(0, k.f32()), y = k.slot(1, k.f32()), z = k.slot(2, k.f32());
  KernelBuilder::Values rows;
  for (int64_t row = 0; row < 16; ++row) {
    rows.push_back(k.loadV(x, k.index(16 * row)));
    k.store(k.reduceSum(rows[row]), y, k.index(row));
    k.store(k.reduceMax(rows[row]), y, k.index(16 + row));
  }
  for (auto [row, column] : llvm::enumerate(k.transpose16(rows)))
    k.storeV(column, z, k.index(16 * row));
  k.finish();
}

TEST_F(Fixture, ReductionsUseOneTreeAtEveryLevel) {
  RandomFloats random(7);
  std::vector<float> values = random.vector(256);
  for (const CpuTarget &target : hostTargets()) {
    module = ModuleOp::create(mlir::UnknownLoc::get(&context));
    buildReductions(*module, target);
    auto code = LoadedCode::compile(*module, target);
    ASSERT_TRUE(code);
    GuardedBuffer<float> x(values), y(32), z(256);
    Launch launch{{x.data(), y.data(), z.data()}, {}};
    EXPECT_EQ(launch.run(code->kernel("reductions")), 0);
    for (int64_t row = 0; row < 16; ++row) {
      float lanes[16], largest = values[16 * row];
      for (int64_t i = 0; i < 16; ++i) {
        lanes[i] = values[16 * row + i];
        largest = std::max(largest, lanes[i]);
        EXPECT_EQ(z[16 * i + row], lanes[i]);
      }
      for (int64_t half = 8; half >= 1; half /= 2)
        for (int64_t i = 0; i < half; ++i)
          lanes[i] += lanes[i + half];
      EXPECT_EQ(y[row], lanes[0]) << target.level;
      EXPECT_EQ(y[16 + row], largest);
    }
  }
}

/// Every tile t fails check 5 at index 100 - t, and tile 3 also check 4.
void buildFailing(ModuleOp module, const CpuTarget &target) {
  KernelBuilder k(module, "failing", target);
  k.forTiles([&](Value tile) {
    Value t = k.fromIndex(tile, k.i64());
    Value at = k.fromIndex(k.sub(k.index(100), tile), k.i64());
    k.recordError(5, at, t, k.constantInt(k.i64(), 50));
    k.ifThen(k.cmp(mlir::arith::CmpIPredicate::eq, tile, k.index(3)),
             [&] { k.recordError(4, at, t, k.constantInt(k.i64(), 40)); });
  });
  k.finish();
}

TEST_F(Fixture, ErrorBlockKeepsTheLowestRecordOfAllThreads) {
  CpuTarget target = hostTargets().front();
  buildFailing(*module, target);
  auto code = LoadedCode::compile(*module, target);
  ASSERT_TRUE(code);
  KernelFunction kernel = code->kernel("failing");
  auto runTiles = [&](ErrorBlock &error, int64_t first, int64_t end) {
    KernelArgs args = {nullptr, nullptr, nullptr, &error};
    kernel(&args, first, end, nullptr);
  };
  ErrorBlock single;
  runTiles(single, 0, 3);
  EXPECT_EQ(single.site, 5);
  EXPECT_EQ(single.index, 98);
  EXPECT_EQ(single.value, 2);
  EXPECT_EQ(single.bound, 50);
  for (int round = 0; round < 20; ++round) {
    ErrorBlock error;
    std::thread other([&] { runTiles(error, 0, 50); });
    runTiles(error, 50, 100);
    other.join();
    EXPECT_EQ(error.site, 4);
    EXPECT_EQ(error.index, 97);
    EXPECT_EQ(error.bound, 40);
    EXPECT_EQ(error.lock, 0);
  }
}

TEST_F(Fixture, SameModuleGivesSameBytes) {
  CpuTarget target = *CpuTarget::parse("x86-64-v4");
  std::string bytes[2];
  for (std::string &image : bytes) {
    module = ModuleOp::create(mlir::UnknownLoc::get(&context));
    buildReductions(*module, target);
    mlir::FailureOr<std::string> result = compileKernels(*module, target);
    ASSERT_TRUE(succeeded(result));
    image = *result;
  }
  EXPECT_EQ(bytes[0], bytes[1]);
  EXPECT_LT(bytes[0].size(), 16384u);
}

TEST_F(Fixture, RefusesFastMathFlags) {
  CpuTarget target = *CpuTarget::parse("x86-64-v3");
  KernelBuilder k(*module, "flagged", target);
  auto add =
      mlir::arith::AddFOp::create(k.op(), k.constantF(1), k.constantF(2));
  add.setFastmath(mlir::arith::FastMathFlags::reassoc);
  k.finish();
  std::string message;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &d) { message = d.str(); });
  EXPECT_TRUE(failed(lowerKernelsToLLVM(*module)));
  EXPECT_EQ(message, "'arith.addf' op expected no fast-math flags in a CPU "
                     "kernel, found reassoc");
}

TEST_F(Fixture, RefusesLibraryMath) {
  CpuTarget target = *CpuTarget::parse("x86-64-v3");
  KernelBuilder k(*module, "library", target);
  mlir::math::ExpOp::create(k.op(), k.constantF(1));
  k.finish();
  std::string message;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &d) { message = d.str(); });
  EXPECT_TRUE(failed(lowerKernelsToLLVM(*module)));
  EXPECT_EQ(message, "'math.exp' op is not allowed in a CPU kernel");
}

TEST_F(Fixture, BringsItsOwnMemoryFunctions) {
  CpuTarget target = hostTargets().front();
  KernelBuilder k(*module, "moving", target);
  // memset(scratch, 7, dim) and memmove(scratch + 1, scratch, dim - 1).
  Value bytes = k.fromIndex(k.dim(0), k.i64());
  Value base = k.function().getArgument(3);
  mlir::LLVM::MemsetOp::create(k.op(), base,
                               k.constantInt(k.op().getI8Type(), 7), bytes,
                               /*isVolatile=*/false);
  Value next =
      mlir::LLVM::GEPOp::create(k.op(), base.getType(), k.op().getI8Type(),
                                base, llvm::ArrayRef<mlir::LLVM::GEPArg>{1});
  Value first = k.scratch(0, k.op().getI8Type());
  k.store(k.constantInt(k.op().getI8Type(), 1), first, k.index(0));
  mlir::LLVM::MemmoveOp::create(k.op(), next, base,
                                k.sub(bytes, k.constantInt(k.i64(), 1)),
                                /*isVolatile=*/false);
  k.finish();
  auto code = LoadedCode::compile(*module, target);
  ASSERT_TRUE(code);
  GuardedBuffer<char> memory(100);
  int64_t dim = 100;
  KernelArgs args = {nullptr, &dim, nullptr, nullptr};
  code->kernel("moving")(&args, 0, 1, memory.data());
  EXPECT_EQ(memory[0], 1);
  EXPECT_EQ(memory[1], 1);
  for (int i = 2; i < 100; ++i)
    EXPECT_EQ(memory[i], 7);
}

TEST_F(Fixture, NamesUndefinedSymbols) {
  CpuTarget target = *CpuTarget::parse("x86-64-v3");
  KernelBuilder k(*module, "calling", target);
  auto callee = mlir::func::FuncOp::create(
      module->getLoc(), "expf", k.op().getFunctionType({k.f32()}, {k.f32()}));
  callee.setPrivate();
  module->push_back(callee);
  mlir::func::CallOp::create(k.op(), callee, mlir::ValueRange{k.constantF(1)});
  k.finish();
  std::string message;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &d) { message = d.str(); });
  EXPECT_TRUE(failed(compileKernels(*module, target)));
  EXPECT_EQ(message,
            "expected kernels without undefined symbols, found 'expf'");
}

TEST(CpuTargetTest, NamesTheKnownLevels) {
  Result<CpuTarget> target = CpuTarget::parse("x86-64-v2");
  ASSERT_FALSE(target.isOk());
  EXPECT_EQ(target.status().message(),
            "unknown CPU level 'x86-64-v2', expected x86-64-v3 or x86-64-v4");
}

TEST(CpuTargetTest, ChunkTilesFollowTheRowCount) {
  CpuTarget target = *CpuTarget::parse("x86-64-v4");
  EXPECT_EQ(target.chunkTile(1).panels, 4);
  EXPECT_EQ(target.chunkTile(7).height, 6);
  EXPECT_EQ(target.chunkTile(47).panels, 2);
  EXPECT_EQ(target.chunkTile(48).height, 6);
}

} // namespace
