//===- Registry.cpp - Devices under the conformance suite -------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Registry.h"

using namespace dragoman;
using namespace dragoman::conformance;

std::vector<DeviceEntry> &conformance::devices() {
  static std::vector<DeviceEntry> list;
  return list;
}

void DeviceSuite::SetUp() {
  const testing::TestInfo *info =
      testing::UnitTest::GetInstance()->current_test_info();
  std::string suite = info->test_suite_name(), test = info->name();
  suite = suite.substr(suite.find('/') + 1);
  test = suite + "." + test.substr(0, test.find('/'));
  for (const std::string &name : {suite, test})
    if (auto it = GetParam().unsupported.find(name);
        it != GetParam().unsupported.end())
      GTEST_SKIP() << it->second;
  device = GetParam().create();
  ASSERT_NE(device, nullptr);
}

void DeviceSuite::TearDown() {
  if (!device)
    return;
  for (auto [data, bytes] : memory)
    expectOk(device->free(data, bytes));
  expectOk(device->unloadCode(module));
}

void *DeviceSuite::upload(const void *values, uint64_t bytes) {
  void *data = nullptr;
  expectOk(device->allocate(bytes, data));
  memory.push_back({data, bytes});
  expectOk(device->copy(data, values, bytes, CopyKind::HostToDevice));
  return data;
}

DeviceKernel DeviceSuite::kernel(const std::string &symbol) {
  if (!module)
    expectOk(device->loadCode(GetParam().code(), "test kernels", module));
  DeviceKernel result;
  expectOk(device->findKernel(module, symbol, result));
  return result;
}

Status DeviceSuite::run(const std::string &symbol, std::vector<void *> slots,
                        std::vector<int64_t> dims, int64_t tiles, Pool *pool,
                        int64_t scratchBytes) {
  KernelArgs args{slots.data(), dims.data(), nullptr, &error};
  LaunchConfig config;
  config.kernel = kernel(symbol);
  config.args = &args;
  config.tiles = tiles;
  config.pool = pool;
  int64_t stride = (scratchBytes + 63) / 64 * 64;
  void *scratch = nullptr;
  uint64_t bytes = stride * (pool ? pool->workers() : 1);
  if (scratchBytes > 0) {
    expectOk(device->allocate(bytes, scratch));
    config.scratch = scratch;
    config.scratchStride = stride;
  }
  Status status = device->launch(config);
  if (status.isOk())
    status = device->synchronize();
  expectOk(device->free(scratch, bytes));
  return status;
}
