//===- CpuDevice.h - The processor as a device ------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code is one position-independent shared object per feature level, without
// imports; it is loaded through a memory file and dlopen, so that debuggers and
// profilers see its symbols. Tiles are spread over the caller's pool. Each task
// runs with denormals flushed to zero (MXCSR FTZ and DAZ) and restores the
// caller's floating-point state, so results do not depend on the host program.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_DEVICE_CPU_CPUDEVICE_H
#define DRAGOMAN_RUNTIME_DEVICE_CPU_CPUDEVICE_H

#include "runtime/device/Device.h"

#include <memory>

namespace dragoman {

/// A new CPU device. Devices hold no state but the modules loaded on them.
std::unique_ptr<Device> createCpuDevice();

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_DEVICE_CPU_CPUDEVICE_H
