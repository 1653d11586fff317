//===- BufferColouringTest.cpp - Tests of how values share buffers --------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/BufferColouring.h"

#include <gtest/gtest.h>

#include <random>

using namespace dragoman;

namespace {

DimExpr expr(const char *text) { return *DimExpr::parse(text); }

int64_t at(const DimExpr &value, int64_t b, int64_t s) {
  return *value.evaluate({{"B", b}, {"S", s}});
}

/// No two values that live at the same time overlap, all lie inside the arena,
/// and offsets are multiples of 64; at several points of the dimensions.
void expectSound(const std::vector<LiveValue> &values, const BufferPlan &plan) {
  ASSERT_EQ(plan.offsets.size(), values.size());
  for (auto [b, s] : {std::pair(0, 0), {1, 1}, {3, 17}, {64, 5}})
    for (size_t i = 0; i < values.size(); ++i) {
      int64_t start = at(plan.offsets[i], b, s);
      int64_t end = start + at(values[i].bytes, b, s);
      EXPECT_EQ(start % 64, 0);
      EXPECT_LE(end, at(plan.bytes, b, s));
      for (size_t j = 0; j < i; ++j) {
        if (values[i].last < values[j].first ||
            values[j].last < values[i].first)
          continue;
        int64_t other = at(plan.offsets[j], b, s);
        EXPECT_TRUE(end <= other || other + at(values[j].bytes, b, s) <= start)
            << i << " and " << j << " at B " << b << ", S " << s;
      }
    }
}

} // namespace

TEST(BufferColouring, ChainNeedsTwoBuffers) {
  std::vector<LiveValue> values;
  for (size_t i = 0; i < 9; ++i)
    values.push_back({expr("64*B"), i, i + 1});
  BufferPlan plan = colourBuffers(values);
  expectSound(values, plan);
  EXPECT_EQ(plan.bytes, expr("128*B"));
}

TEST(BufferColouring, BufferHasTheSizeOfItsLargestValue) {
  std::vector<LiveValue> values = {
      {expr("64*B*S"), 0, 1}, {expr("256*B*S"), 2, 3}, {expr("100*B*S"), 4, 5}};
  BufferPlan plan = colourBuffers(values);
  expectSound(values, plan);
  values.pop_back();
  EXPECT_EQ(colourBuffers(values).bytes, expr("256*B*S"));
  values = {{expr("256*B*S"), 2, 3}, {expr("128*B*S + 4"), 4, 5}};
  plan = colourBuffers(values);
  expectSound(values, plan);
  EXPECT_EQ(plan.bytes, expr("64*max(4*B*S,ceildiv(128*B*S + 4,64))"))
      << plan.bytes.str();
}

TEST(BufferColouring, UnrelatedSizesShareByMaximum) {
  std::vector<LiveValue> values = {{expr("64*B"), 0, 1}, {expr("64*S"), 2, 3}};
  BufferPlan plan = colourBuffers(values);
  expectSound(values, plan);
  EXPECT_EQ(plan.bytes, expr("64*max(B,S)")) << plan.bytes.str();
}

// Offsets of values whose size is a multiple of 64 stay plain sums.
TEST(BufferColouring, RaggedSizesComeLast) {
  std::vector<LiveValue> values = {
      {expr("8*B"), 0, 4}, {expr("64*S"), 0, 4}, {expr("128*S"), 0, 4}};
  BufferPlan plan = colourBuffers(values);
  expectSound(values, plan);
  EXPECT_EQ(plan.offsets[0], expr("192*S"));
  EXPECT_EQ(plan.bytes, expr("192*S + 64*ceildiv(B,8)")) << plan.bytes.str();
}

TEST(BufferColouring, RandomLifetimes) {
  const char *sizes[] = {"64*B",    "4*B*S",       "2048*B*S", "8*S",
                         "4*B + 4", "max(64*B,S)", "100",      "64"};
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<LiveValue> values;
    for (size_t i = 0; i < 20; ++i)
      values.push_back({expr(sizes[random() % 8]), i, i + random() % 6});
    BufferPlan plan = colourBuffers(values);
    expectSound(values, plan);
    BufferPlan again = colourBuffers(values);
    EXPECT_EQ(plan.offsets, again.offsets);
  }
}

// The layers of a Transformer: queries, keys and values (3), then the middle of
// the feed-forward layer (4); a residual of size 1 lies beside the former.
TEST(BufferColouring, SmallValueLiesBehindAnotherOfALargerBuffer) {
  std::vector<LiveValue> values = {
      {expr("3072*B"), 0, 1}, {expr("1024*B"), 0, 1}, {expr("4096*B"), 2, 3}};
  BufferPlan plan = colourBuffers(values);
  expectSound(values, plan);
  EXPECT_EQ(plan.bytes, expr("4096*B"));
  EXPECT_EQ(plan.offsets[1], expr("3072*B"));

  // Nothing is known of S against B, so a buffer of its own.
  values[1].bytes = expr("1024*S");
  plan = colourBuffers(values);
  expectSound(values, plan);
  EXPECT_EQ(plan.bytes, expr("4096*B + 1024*S"));
}
