//===- Registry.h - Devices under the conformance suite ---------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Suites (test/conformance/suites) and devices (test/conformance/devices)
// register apart and are multiplied: every suite runs on every device. A device
// lists what it cannot do, with the reason; such tests report SKIP.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TEST_CONFORMANCE_REGISTRY_H
#define DRAGOMAN_TEST_CONFORMANCE_REGISTRY_H

#include "runtime/device/Device.h"

#include "gtest/gtest.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dragoman::conformance {

struct DeviceEntry {
  std::string name;
  std::function<std::unique_ptr<Device>()> create;
  /// The kernels of test/runtime/kernels, compiled for this device.
  std::function<std::string()> code;
  /// Suite or Suite.test -> why the device cannot do it.
  std::map<std::string, std::string> unsupported;
};

/// The devices registered so far.
std::vector<DeviceEntry> &devices();

/// Registers a device from a static initialiser.
struct RegisterDevice {
  explicit RegisterDevice(DeviceEntry entry) {
    devices().push_back(std::move(entry));
  }
};

/// Base of every suite: makes the device, or skips.
class DeviceSuite : public testing::TestWithParam<DeviceEntry> {
protected:
  void SetUp() override;
  void TearDown() override;

  /// Device memory with the bytes of `values`, freed at the end of the test.
  void *upload(const void *values, uint64_t bytes);
  template <typename T> void *upload(const std::vector<T> &values) {
    return upload(values.data(), values.size() * sizeof(T));
  }
  /// The first `count` elements of device memory.
  template <typename T>
  std::vector<T> download(const void *data, size_t count) {
    std::vector<T> values(count);
    expectOk(device->copy(values.data(), data, count * sizeof(T),
                          CopyKind::DeviceToHost));
    return values;
  }
  /// A kernel of the test code, which is loaded on first use.
  DeviceKernel kernel(const std::string &symbol);
  /// Launches over `tiles` with host-side slot and dim lists and waits.
  Status run(const std::string &symbol, std::vector<void *> slots,
             std::vector<int64_t> dims, int64_t tiles, Pool *pool = nullptr,
             int64_t scratchBytes = 0);

  static void expectOk(const Status &status) {
    EXPECT_TRUE(status.isOk()) << status.toString();
  }

  std::unique_ptr<Device> device;
  ErrorBlock error;

private:
  DeviceModule *module = nullptr;
  std::vector<std::pair<void *, uint64_t>> memory;
};

/// Instantiates a suite over all devices.
#define DRAGOMAN_CONFORMANCE_SUITE(Suite)                                      \
  INSTANTIATE_TEST_SUITE_P(                                                    \
      All, Suite, testing::ValuesIn(dragoman::conformance::devices()),         \
      [](const auto &info) { return info.param.name; })

} // namespace dragoman::conformance

#endif // DRAGOMAN_TEST_CONFORMANCE_REGISTRY_H
