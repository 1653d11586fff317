//===- SafetensorsTest.cpp - Headers of safetensors files -----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/Safetensors.h"
#include "runtime/artifact/ZipFormat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

using namespace dragoman;
using testing::HasSubstr;

namespace {

/// A file of this header text and `dataBytes` bytes of data.
std::string fileOf(const std::string &json, size_t dataBytes) {
  std::string file;
  zip::store<uint64_t>(file, json.size());
  return file + json + std::string(dataBytes, 'd');
}

std::string refusal(const std::string &file) {
  Result<SafetensorsHeader> header = parseSafetensors(file);
  return header.isOk() ? "accepted" : header.status().toString();
}

const std::string twoTensors =
    R"({"__metadata__":{"format":"pt"},)"
    R"("b":{"dtype":"I64","shape":[2],"data_offsets":[24,40]},)"
    R"("a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}})";

TEST(Safetensors, Parse) {
  Result<SafetensorsHeader> header = parseSafetensors(fileOf(twoTensors, 40));
  ASSERT_TRUE(header.isOk()) << header.status().toString();
  ASSERT_EQ(header->tensors.size(), 2u);
  EXPECT_EQ(header->tensors[0].name, "a");
  EXPECT_EQ(header->tensors[0].type, ElementType::F32);
  EXPECT_EQ(header->tensors[0].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(header->tensors[1].begin, 24u);
  EXPECT_EQ(header->dataOffset, 8 + twoTensors.size());
  EXPECT_EQ(header->dataBytes, 40u);
}

TEST(Safetensors, RefusesBadHeaders) {
  EXPECT_EQ(refusal(""), "expected a header length of 8 bytes, found 0 bytes");
  std::string huge;
  zip::store<uint64_t>(huge, ~uint64_t(0));
  EXPECT_THAT(refusal(huge), HasSubstr("at most 100000000 bytes"));
  std::string longer;
  zip::store<uint64_t>(longer, 100);
  EXPECT_EQ(refusal(longer + "{}"), "expected a header of 100 bytes, found 2");
  EXPECT_EQ(refusal(fileOf(" {}", 0)),
            "expected a header that begins with '{'");
  EXPECT_THAT(refusal(fileOf("{", 0)), HasSubstr("found invalid JSON"));
  EXPECT_EQ(refusal(fileOf(R"({"__metadata__":{"x":1}})", 0)),
            "expected __metadata__ to map texts to texts");
  EXPECT_EQ(refusal(fileOf("{}", 1)), "expected 0 bytes of data, found 1");
}

TEST(Safetensors, RefusesBadTensors) {
  const auto with = [](const std::string &tensor) {
    return refusal(fileOf("{\"t\":" + tensor + "}", 24));
  };
  EXPECT_THAT(with("3"), HasSubstr("tensor 't': expected an object"));
  EXPECT_THAT(with(R"({"dtype":"F8","shape":[24],"data_offsets":[0,24]})"),
              HasSubstr("expected dtype F32, F64"));
  EXPECT_THAT(with(R"({"dtype":"F32","shape":[-6],"data_offsets":[0,24]})"),
              HasSubstr("expected shape to be a list of extents >= 0"));
  EXPECT_THAT(with(R"({"dtype":"F32","shape":[6],"data_offsets":[0]})"),
              HasSubstr("expected data_offsets to be two offsets >= 0"));
  EXPECT_EQ(with(R"({"dtype":"F32","shape":[5],"data_offsets":[0,24]})"),
            "tensor 't': expected 20 bytes by dtype and shape, found offsets 0 "
            "to 24");
  EXPECT_THAT(with(R"({"dtype":"F32","shape":[8589934592,8589934592],)"
                   R"("data_offsets":[0,24]})"),
              HasSubstr("expected a size below 2^63 bytes"));
  EXPECT_EQ(with(R"({"dtype":"F32","shape":[2],"data_offsets":[16,24]})"),
            "tensor 't': expected data from byte 0 on, found offset 16")
      << "a hole";
  EXPECT_EQ(refusal(fileOf(
                R"({"a":{"dtype":"F32","shape":[6],"data_offsets":[0,24]},)"
                R"("b":{"dtype":"F32","shape":[4],"data_offsets":[8,24]}})",
                24)),
            "tensor 'b': expected data from byte 24 on, found offset 8")
      << "an overlap";
}

TEST(Safetensors, AnyCutIsRefused) {
  const std::string file = fileOf(twoTensors, 40);
  for (size_t length = 0; length < file.size(); ++length)
    EXPECT_FALSE(parseSafetensors(std::string_view(file).substr(0, length)))
        << "cut to " << length;
}

TEST(Safetensors, AnyDamageIsSurvived) {
  const unsigned seed = 4711;
  std::mt19937 random(seed);
  const std::string file = fileOf(twoTensors, 40);
  for (int run = 0; run < 10000; ++run) {
    std::string damaged = file;
    for (int i = 0; i < 2; ++i)
      damaged[random() % (8 + twoTensors.size())] = static_cast<char>(random());
    Result<SafetensorsHeader> header = parseSafetensors(damaged);
    if (!header)
      continue;
    for (const SafetensorsTensor &tensor : header->tensors)
      ASSERT_LE(header->dataOffset + tensor.end, damaged.size())
          << "seed " << seed << " run " << run;
  }
}

TEST(Safetensors, LayoutAlignsWeightsAndAddsATail) {
  std::vector<WeightDesc> weights(4);
  weights[0] = {"bias", ElementType::F32, {5}};
  weights[1] = {"linear", ElementType::F32, {17, 3}, "panel16"};
  weights[2] = {"empty", ElementType::F32, {0, 4}};
  weights[3] = {"scalar", ElementType::I64, {}};
  Result<std::vector<SafetensorsTensor>> tensors = layoutWeights(weights);
  ASSERT_TRUE(tensors.isOk()) << tensors.status().toString();
  EXPECT_EQ(weights[0].offset, 0u);
  EXPECT_EQ(weights[0].bytes, 20u);
  EXPECT_EQ(weights[1].offset, 64u);
  EXPECT_EQ(weights[1].bytes, 2u * 3 * 16 * 4);
  EXPECT_EQ(weights[2].offset, 448u);
  EXPECT_EQ(weights[3].offset, 448u);
  EXPECT_EQ(weights[3].bytes, 8u);
  // What is written can be read, has no holes, and ends in the tail.
  const std::string header = formatSafetensorsHeader(*tensors);
  EXPECT_EQ(header.size() % weightAlignment, 0u);
  Result<SafetensorsHeader> parsed =
      parseSafetensors(header + std::string(tensors->back().end, '\0'));
  ASSERT_TRUE(parsed.isOk()) << parsed.status().toString();
  EXPECT_EQ(parsed->tensors.size(), tensors->size());
  EXPECT_EQ(parsed->dataBytes, 512 + weightTailBytes);
  EXPECT_EQ(parsed->dataOffset, header.size());
}

TEST(Safetensors, LayoutsAreChecked) {
  EXPECT_EQ(
      storedShape({"w", ElementType::F32, {2}, "panel16"}).status().toString(),
      "weight 'w': expected rank 2 with layout panel16, found rank 1");
  EXPECT_EQ(
      storedShape({"w", ElementType::F32, {2}, "magic"}).status().toString(),
      "weight 'w': expected layout rows or panel16, found 'magic'");
  EXPECT_FALSE(storedBytes({"w", ElementType::F32, {INT64_MAX, 2}, "rows"}));
  EXPECT_FALSE(storedBytes({"w", ElementType::F32, {-1}, "rows"}));
  EXPECT_FALSE(
      storedBytes({"w", ElementType::F32, {INT64_MAX, INT64_MAX}, "panel16"}));
}

} // namespace
