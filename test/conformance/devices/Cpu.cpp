//===- Cpu.cpp - The processor under the conformance suite ------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/MappedFile.h"
#include "runtime/device/cpu/CpuDevice.h"
#include "test/conformance/Registry.h"

using namespace dragoman;

static const conformance::RegisterDevice registered({
    "cpu",
    createCpuDevice,
    [] {
      Result<std::string> code = readFile(DRAGOMAN_TEST_KERNELS);
      EXPECT_TRUE(code.isOk()) << code.status().toString();
      return code ? *code : std::string();
    },
    {},
});
