//===- CliPartsTest.cpp - Sizes and tensors of the command line -----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Quantities.h"
#include "tools/dragoman/TensorArguments.h"

#include <gtest/gtest.h>
#include <limits>

using namespace dragoman;

namespace {

TEST(Quantities, Bytes) {
  EXPECT_EQ(*parseBytes("4096"), 4096);
  EXPECT_EQ(*parseBytes("512MiB"), int64_t(512) << 20);
  EXPECT_EQ(*parseBytes("1.5 GiB"), int64_t(3) << 29);
  EXPECT_EQ(*parseBytes("2G"), int64_t(2) << 30);
  EXPECT_EQ(*parseBytes("2GB"), 2000000000);
  for (const char *text : {"", "lots", "-1", "0", "1XB", "nan", "1e300"})
    EXPECT_FALSE(parseBytes(text)) << text;
}

TEST(Quantities, Shown) {
  EXPECT_EQ(formatBytes(812), "812 bytes");
  EXPECT_EQ(formatBytes(10000000), "9.5 MiB");
  EXPECT_EQ(formatCount(0), "0");
  EXPECT_EQ(formatCount(999), "999");
  EXPECT_EQ(formatCount(1234567), "1,234,567");
  EXPECT_EQ(formatCount(-1000), "-1,000");
  EXPECT_EQ(formatDuration(31.4), "00:31");
  EXPECT_EQ(formatDuration(3723), "1:02:03");
}

const TensorDesc dynamic{"x", ElementType::F32, {DimExpr::dim("B"), 3}};

TEST(TensorArguments, Values) {
  Result<NpyArray> tensor = parseTensor("2x3xf32=1,2,3,4,5,-6.5", dynamic);
  ASSERT_TRUE(tensor.isOk()) << tensor.status().toString();
  EXPECT_EQ(tensor->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(tensor->data<float>()[5], -6.5f);
  EXPECT_EQ(formatTensor(*tensor, 4), "2x3xf32 = 1 2 3 4 ...");
  tensor = parseTensor("i64=7", dynamic);
  ASSERT_TRUE(tensor.isOk());
  EXPECT_TRUE(tensor->shape.empty());
  EXPECT_EQ(tensor->data<int64_t>()[0], 7);
  tensor = parseTensor("0x3xf32=1", dynamic);
  ASSERT_TRUE(tensor.isOk());
  EXPECT_EQ(tensor->elements(), 0);
  for (const char *text :
       {"2x3xf32=1,2", "2x3=1", "f33=1", "2x3xf32=a", "x", "random:1",
        "random:x", "4000000000x4000000000xf32=1"})
    EXPECT_FALSE(parseTensor(text, dynamic)) << text;
}

TEST(TensorArguments, RandomIntegersStayBelowTen) {
  Result<NpyArray> tensor = parseTensor("1000xi64=random:3", dynamic);
  ASSERT_TRUE(tensor.isOk());
  for (int64_t i = 0; i < 1000; ++i) {
    EXPECT_GE(tensor->data<int64_t>()[i], 0);
    EXPECT_LT(tensor->data<int64_t>()[i], 10);
  }
}

NpyArray vectorOf(std::vector<float> values) {
  NpyArray array;
  array.shape = {int64_t(values.size())};
  array.bytes.resize(values.size() * 4);
  std::copy(values.begin(), values.end(), array.data<float>());
  return array;
}

TEST(TensorArguments, Comparison) {
  float infinity = std::numeric_limits<float>::infinity();
  float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(
      compareTensors(vectorOf({1, infinity}), vectorOf({1, infinity}), 0, 0)
          .isOk());
  EXPECT_TRUE(compareTensors(vectorOf({1.05f}), vectorOf({1}), 0.1, 0).isOk());
  EXPECT_FALSE(
      compareTensors(vectorOf({1.05f}), vectorOf({1}), 0.01, 0).isOk());
  // A NaN hides nothing, not even another NaN.
  EXPECT_FALSE(compareTensors(vectorOf({nan}), vectorOf({nan}), 1, 1).isOk());
  EXPECT_FALSE(
      compareTensors(vectorOf({infinity}), vectorOf({1}), 1, 1).isOk());
  EXPECT_EQ(compareTensors(vectorOf({1, 2}), vectorOf({1}), 1, 1).message(),
            "expected f32[1], found f32[2]");
}

} // namespace
