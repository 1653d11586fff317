//===- VectorPhiloxTest.cpp - The random draws of dropout -----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/VectorPhilox.h"
#include "compiler/lowering/cpu/ElementwiseKernel.h"
#include "dialects/xf/reference/Philox.h"
#include "test/emit/TensorKernel.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <gtest/gtest.h>

using namespace dragoman;
using namespace dragoman::test;

namespace {

using Words = std::array<uint32_t, 4>;

struct Known {
  Words counter;
  std::array<uint32_t, 2> key;
  Words words;
};

// The known answers that the authors of Philox publish (Random123,
// kat_vectors).
const Known knownAnswers[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{~0u, ~0u, ~0u, ~0u},
     {~0u, ~0u},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};

TEST(PhiloxTest, ReferenceGivesTheKnownAnswers) {
  for (const Known &known : knownAnswers)
    EXPECT_EQ(xf::philox4x32(known.counter, known.key), known.words);
}

TEST(PhiloxTest, DrawsOfASiteAreUniform) {
  xf::DropoutDraws draws(42, 3, 0.1);
  int64_t kept = 0;
  for (int64_t t = 0; t < 200; ++t)
    for (int64_t c = 0; c < 500; ++c)
      kept += draws.keep(17, t, c);
  EXPECT_NEAR(kept / 100000.0, 0.9, 0.004); // four deviations
  EXPECT_DOUBLE_EQ(draws.scale(), 1 / 0.9);
}

struct VectorPhiloxTest : testing::Test {
  std::unique_ptr<mlir::MLIRContext> context = kernelContext();
};

// Slots: four counter words and two key words as i64, and the words of scalars
// and of vectors of four lanes.
TEST_F(VectorPhiloxTest, ScalarsAndVectorsGiveTheKnownAnswers) {
  for (const CpuTarget &target : hostTargets()) {
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::ModuleOp::create(mlir::UnknownLoc::get(context.get()));
    KernelBuilder k(*module, "philox", target);
    k.forTiles([&](mlir::Value) {
      std::array<mlir::Value, 4> counter, wide;
      std::array<mlir::Value, 2> key;
      for (int64_t i = 0; i < 4; ++i) {
        counter[i] = k.load(k.slot(0, k.i64()), k.index(i));
        wide[i] = k.broadcast(counter[i], 4);
      }
      for (int64_t i = 0; i < 2; ++i)
        key[i] = k.load(k.slot(0, k.i64()), k.index(4 + i));
      auto words = emitPhilox(k, counter, key);
      auto vectors = emitPhilox(k, wide, key);
      for (int64_t i = 0; i < 4; ++i) {
        k.store(words[i], k.slot(1, k.i64()), k.index(i));
        k.store(k.extract(vectors[i], 3), k.slot(1, k.i64()), k.index(4 + i));
      }
    });
    k.finish();
    auto code = LoadedCode::compile(*module, target);
    ASSERT_TRUE(code);
    for (const Known &known : knownAnswers) {
      std::vector<int64_t> in(known.counter.begin(), known.counter.end());
      in.insert(in.end(), known.key.begin(), known.key.end());
      std::vector<int64_t> out(8);
      Launch launch{{in.data(), out.data()}, {}, 1};
      ASSERT_EQ(launch.run(code->kernel("philox")), 0);
      for (int64_t i = 0; i < 8; ++i)
        EXPECT_EQ(out[i], int64_t{known.words[i % 4]}) << i;
    }
  }
}

// Every element of a kernel draws as the reference, alone or in a batch, with
// padding behind it, in any number of parts.
TEST_F(VectorPhiloxTest, DropoutDependsOnNeitherBatchPaddingNorParts) {
  constexpr int64_t width = 37, site = 77, seed = 0x123456789abcdef;
  std::vector<std::unique_ptr<TensorKernel>> kernels =
      compileTensorKernel(*context, R"(
plan.kernel @k(%x: tensor<?x?x37xf32> {xf.dims = ["B", "T", "37"]},
               %s: tensor<i64> {xf.dims = []},
               %r: tensor<?xi64> {xf.dims = ["B"]}) -> tensor<?x?x37xf32>
    attributes {dims = ["B", "T"]} {
  %y = xf.dropout %x seed %s row_key %r {p = 0.3, site = 77}
      : (tensor<?x?x37xf32>, tensor<i64>, tensor<?xi64>) -> tensor<?x?x37xf32>
  plan.yield %y : tensor<?x?x37xf32>
})",
                          lowerElementwise);
  std::vector<int64_t> keys = {5, -3, int64_t{1} << 40};
  xf::DropoutDraws draws(seed, site, 0.3);
  auto scale = static_cast<float>(draws.scale());
  for (auto &kernel : kernels) {
    ASSERT_TRUE(kernel);
    auto run = [&](std::vector<int64_t> rows, int64_t length, int64_t parts) {
      int64_t batch = static_cast<int64_t>(rows.size());
      GuardedBuffer<float> x(batch * length * width), y(x.size());
      x.fill(1.5f);
      GuardedBuffer<int64_t> key(std::vector<int64_t>{seed}), rowKeys(rows);
      kernel->run({x.data(), key.data(), rowKeys.data(), y.data()},
                  {{"B", batch}, {"T", length}}, parts);
      size_t i = 0;
      for (int64_t row : rows)
        for (int64_t t = 0; t < length; ++t)
          for (int64_t c = 0; c < width; ++c, ++i)
            ASSERT_EQ(y[i], draws.keep(row, t, c) ? 1.5f * scale : 0.0f)
                << row << " " << t << " " << c;
    };
    run(keys, 9, 1);
    run(keys, 200, 3);
    run({keys[1]}, 1, 1);
  }
}

} // namespace
