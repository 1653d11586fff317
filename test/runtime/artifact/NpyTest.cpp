//===- NpyTest.cpp - Arrays in NumPy's file format ------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/Npy.h"
#include "runtime/artifact/ZipFormat.h"
#include "test/runtime/TestFiles.h"

#include <gmock/gmock.h>

using namespace dragoman;
using namespace dragoman::test;
using testing::HasSubstr;

namespace {

std::string fileOf(const std::string &header, const std::string &data,
                   int major = 1) {
  std::string file("\x93NUMPY", 6);
  file.push_back(static_cast<char>(major));
  file.push_back(0);
  if (major == 1)
    zip::store<uint16_t>(file, static_cast<uint16_t>(header.size()));
  else
    zip::store<uint32_t>(file, static_cast<uint32_t>(header.size()));
  return file + header + data;
}

std::string refusal(const std::string &file) {
  Result<NpyArray> array = parseNpy(file);
  return array.isOk() ? "accepted" : array.status().toString();
}

TEST(Npy, RoundTripOfEveryType) {
  TemporaryFolder folder;
  const std::vector<char> bytes = {1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 1,
                                   0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 1};
  for (ElementType type :
       {ElementType::F32, ElementType::F64, ElementType::F16, ElementType::I64,
        ElementType::I32, ElementType::I8, ElementType::U8, ElementType::I1}) {
    const std::vector<int64_t> shape = {3, 8 / elementSize(type)};
    ASSERT_TRUE(writeNpy(folder / "a.npy", type, shape, bytes.data()));
    Result<NpyArray> array = readNpy(folder / "a.npy");
    ASSERT_TRUE(array.isOk()) << array.status().toString();
    EXPECT_EQ(array->type, type);
    EXPECT_EQ(array->shape, shape);
    EXPECT_EQ(array->bytes, bytes);
    EXPECT_EQ(array->elements(), 24 / elementSize(type));
  }
}

TEST(Npy, RoundTripOfEveryRank) {
  const float values[6] = {1, 2, 3, 4, 5, 6};
  for (const std::vector<int64_t> &shape :
       {std::vector<int64_t>{}, {6}, {2, 3}, {1, 2, 3}, {0}, {3, 0}}) {
    Result<std::string> file = formatNpy(ElementType::F32, shape, values);
    ASSERT_TRUE(file.isOk());
    EXPECT_EQ(file->find('\n') % 64, 63u) << "the data must be aligned";
    Result<NpyArray> array = parseNpy(*file);
    ASSERT_TRUE(array.isOk()) << array.status().toString();
    EXPECT_EQ(array->shape, shape);
  }
  EXPECT_FALSE(formatNpy(ElementType::BF16, {1}, values).isOk());
}

TEST(Npy, WritesTheHeaderThatNumPyWrites) {
  const float value = 0;
  EXPECT_THAT(*formatNpy(ElementType::F32, {1}, &value),
              HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': "
                        "(1,), }"));
  EXPECT_THAT(*formatNpy(ElementType::I1, {0, 2}, &value),
              HasSubstr("{'descr': '|b1', 'fortran_order': False, 'shape': "
                        "(0, 2), }"));
  EXPECT_THAT(*formatNpy(ElementType::F32, {}, &value),
              HasSubstr("'shape': (), }"));
}

TEST(Npy, ReadsArraysOfNumPy) {
  Result<NpyArray> ids = readNpy(
      sourcePath("models/multi30k-en-de/reference/first16.input_ids.npy"));
  ASSERT_TRUE(ids.isOk()) << ids.status().toString();
  EXPECT_EQ(ids->type, ElementType::I64);
  EXPECT_EQ(ids->shape, (std::vector<int64_t>{16, 37}));
  EXPECT_EQ(ids->data<int64_t>()[0], 8);
  EXPECT_EQ(ids->data<int64_t>()[1], 20);
}

TEST(Npy, ColumnMajorIsConverted) {
  // The 2x3 array [[1,2,3],[4,5,6]], columns first.
  const std::string file =
      fileOf("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }\n",
             "\1\4\2\5\3\6");
  Result<NpyArray> array = parseNpy(file);
  ASSERT_TRUE(array.isOk()) << array.status().toString();
  EXPECT_EQ(array->bytes, (std::vector<char>{1, 2, 3, 4, 5, 6}));
  // [2,2,2] with element (i,j,k) = 100 i + 10 j + k.
  const std::string cube =
      fileOf("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2, 2)}",
             std::string({0, 100, 10, 110, 1, 101, 11, 111}));
  array = parseNpy(cube);
  ASSERT_TRUE(array.isOk()) << array.status().toString();
  EXPECT_EQ(array->bytes,
            (std::vector<char>{0, 1, 10, 11, 100, 101, 110, 111}));
}

TEST(Npy, ReadsLaterVersions) {
  for (int major : {2, 3}) {
    const std::string file =
        fileOf("{\"shape\": (1,), 'fortran_order': False, 'descr': '=b1'}",
               "\1", major);
    Result<NpyArray> array = parseNpy(file);
    ASSERT_TRUE(array.isOk()) << array.status().toString();
    EXPECT_EQ(array->type, ElementType::I1);
  }
  EXPECT_EQ(refusal(fileOf("{}", "", 4)),
            "expected .npy version 1 to 3, found 4");
}

TEST(Npy, RefusesBadFiles) {
  const auto with = [](const std::string &header) {
    return refusal(fileOf(header, "12345678"));
  };
  EXPECT_EQ(refusal("PK..........."),
            "expected a .npy file, found something else");
  EXPECT_EQ(with("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}"),
            "expected numbers, found Python objects; they are never loaded");
  EXPECT_THAT(with("{'descr': '>f8', 'fortran_order': False, 'shape': (1,)}"),
              HasSubstr("found >f8"));
  EXPECT_EQ(with("{'descr': [('x', '<f4')], 'fortran_order': False, "
                 "'shape': (1,)}"),
            "expected one element type, found a structured one");
  EXPECT_EQ(with("{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}"),
            "expected 12 bytes by type and shape, found 8");
  EXPECT_THAT(with("{'descr': '<f4', 'fortran_order': False, "
                   "'shape': (4611686018427387904, 4)}"),
              HasSubstr("expected a size below 2^63 bytes"));
  EXPECT_THAT(with("{'descr': '<f4', 'fortran_order': False, "
                   "'shape': (99999999999999999999,)}"),
              HasSubstr("expected an extent below 2^63"));
  EXPECT_THAT(with("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}"),
              HasSubstr("expected an extent >= 0"));
  EXPECT_EQ(with("{'descr': '<f4', 'fortran_order': False}"),
            "expected descr, fortran_order and shape, found fewer");
  EXPECT_THAT(with("{'descr': '<f4', 'descr': '<f4'}"),
              HasSubstr("once each, found 'descr'"));
  EXPECT_THAT(with("{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}"),
              HasSubstr("expected True or False"));
  EXPECT_THAT(with("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x"),
              HasSubstr("expected the end of the header"));
}

TEST(Npy, AnyCutIsRefused) {
  const double values[2] = {1, 2};
  Result<std::string> file = formatNpy(ElementType::F64, {2}, values);
  ASSERT_TRUE(file.isOk());
  for (size_t length = 0; length < file->size(); ++length)
    EXPECT_FALSE(parseNpy(std::string_view(*file).substr(0, length)))
        << "cut to " << length;
}

} // namespace
