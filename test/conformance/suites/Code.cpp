//===- Code.cpp - Conformance: loading code ---------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Registry.h"

using namespace dragoman;

namespace {

class DeviceCode : public conformance::DeviceSuite {};

TEST_P(DeviceCode, ModulesAreIndependent) {
  DeviceModule *first = nullptr, *second = nullptr;
  expectOk(device->loadCode(GetParam().code(), "first", first));
  expectOk(device->loadCode(GetParam().code(), "second", second));
  ASSERT_NE(first, second);
  DeviceKernel ofFirst, kernel;
  expectOk(device->findKernel(first, "test_add", ofFirst));
  expectOk(device->unloadCode(first));
  expectOk(device->findKernel(second, "test_add", kernel));
  EXPECT_NE(kernel.handle, nullptr);
  // Each module has its own copy of the code.
  EXPECT_NE(kernel.handle, ofFirst.handle);
  expectOk(device->unloadCode(second));
  expectOk(device->unloadCode(nullptr));
}

TEST_P(DeviceCode, MissingKernelIsNamed) {
  DeviceModule *module = nullptr;
  expectOk(device->loadCode(GetParam().code(), "test code", module));
  DeviceKernel kernel{this};
  Status status = device->findKernel(module, "no_such_kernel", kernel);
  EXPECT_EQ(status.code(), StatusCode::InvalidData);
  EXPECT_EQ(status.toString(), "test code: expected kernel 'no_such_kernel' in "
                               "the code, found none");
  EXPECT_EQ(kernel.handle, nullptr);
  expectOk(device->unloadCode(module));
}

TEST_P(DeviceCode, WhatIsNoCodeIsRefused) {
  std::string code = GetParam().code();
  for (const std::string &bytes :
       {std::string(),
        std::string("not code at all, but long enough to hold "
                    "a header of the usual sixty-four bytes"),
        code.substr(0, 32)}) {
    DeviceModule *module = reinterpret_cast<DeviceModule *>(this);
    Status status = device->loadCode(bytes, "damaged", module);
    EXPECT_EQ(status.code(), StatusCode::InvalidData);
    EXPECT_EQ(status.place(), "damaged");
    EXPECT_EQ(module, nullptr);
  }
}

DRAGOMAN_CONFORMANCE_SUITE(DeviceCode);

} // namespace
