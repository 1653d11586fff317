//===- Memory.cpp - Conformance: memory of a device -------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Registry.h"

#include <cstdint>
#include <numeric>

using namespace dragoman;

namespace {

class DeviceMemory : public conformance::DeviceSuite {};

TEST_P(DeviceMemory, AllocationsAreAlignedAndApart) {
  std::vector<std::pair<void *, uint64_t>> blocks;
  for (uint64_t bytes :
       {0ull, 1ull, 63ull, 64ull, 65ull, 4097ull, 3ull << 20}) {
    void *data = nullptr;
    expectOk(device->allocate(bytes, data));
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0u) << bytes;
    blocks.push_back({data, bytes});
  }
  for (auto [data, bytes] : blocks)
    expectOk(device->fill(data, static_cast<uint8_t>(bytes), bytes));
  for (auto [data, bytes] : blocks)
    EXPECT_EQ(download<uint8_t>(data, bytes),
              std::vector<uint8_t>(bytes, static_cast<uint8_t>(bytes)));
  for (auto [data, bytes] : blocks)
    expectOk(device->free(data, bytes));
  expectOk(device->free(nullptr, 0));
}

TEST_P(DeviceMemory, TooMuchIsOutOfMemory) {
  void *data = &data;
  Status status = device->allocate(UINT64_MAX - 100, data);
  EXPECT_EQ(status.code(), StatusCode::OutOfMemory);
  EXPECT_EQ(data, nullptr);
}

TEST_P(DeviceMemory, CopiesKeepEveryByte) {
  std::vector<uint8_t> bytes(1000);
  std::iota(bytes.begin(), bytes.end(), 0);
  void *first = upload(bytes);
  void *second = upload(std::vector<uint8_t>(1002, 9));
  expectOk(device->copy(static_cast<char *>(second) + 1, first, 1000,
                        CopyKind::DeviceToDevice));
  std::vector<uint8_t> expected = bytes;
  expected.insert(expected.begin(), 9);
  expected.push_back(9);
  EXPECT_EQ(download<uint8_t>(second, 1002), expected);
  expectOk(device->copy(second, first, 0, CopyKind::DeviceToDevice));
}

DRAGOMAN_CONFORMANCE_SUITE(DeviceMemory);

} // namespace
