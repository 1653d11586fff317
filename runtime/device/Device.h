//===- Device.h - What a device must be able to do --------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device is a table of functions: memory, code, launches. The executor knows
// devices only through it, and test/conformance runs one suite over all of
// them. Every function returns a Status; out-parameters are cleared first.
//
// Threads: a device is shared by all sessions; every function may be called
// from several threads at once.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_DEVICE_DEVICE_H
#define DRAGOMAN_RUNTIME_DEVICE_DEVICE_H

#include "runtime/artifact/KernelAbi.h"
#include "runtime/base/Status.h"
#include "runtime/device/Pool.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman {

/// Which sides of a copy lie in the device's memory.
enum class CopyKind { HostToDevice, DeviceToHost, DeviceToDevice };

/// Loaded code; made and freed by its device.
class DeviceModule;

/// A kernel of a loaded module, valid until the module is unloaded.
struct DeviceKernel {
  const void *handle = nullptr;
};

/// One launch of a kernel. The pointers stay the caller's and must live until
/// the next synchronize().
struct LaunchConfig {
  DeviceKernel kernel;
  const KernelArgs *args = nullptr; ///< slots are device addresses
  int64_t tiles = 0;                ///< 0 = nothing happens
  /// Room for workers() * scratchStride bytes, 64-byte aligned; null if no
  /// kernel scratch is needed. CPU only.
  void *scratch = nullptr;
  int64_t scratchStride = 0;
  Pool *pool = nullptr; ///< where tiles are spread; null = calling thread
};

class Device {
public:
  virtual ~Device() = default;

  /// "cpu", ...: for messages and test names.
  virtual const char *name() const = 0;

  /// True if a device address can be read and written by the host.
  virtual bool hasHostMemory() const = 0;

  /// `out` = new memory of at least `bytes`, aligned to 64; its contents are
  /// undefined. 0 bytes give a valid address that must be freed, too.
  virtual Status allocate(uint64_t bytes, void *&out) = 0;
  /// Returns what allocate(bytes) gave. Null is allowed.
  virtual Status free(void *data, uint64_t bytes) = 0;

  /// Copies; the ranges must not overlap.
  virtual Status copy(void *to, const void *from, uint64_t bytes,
                      CopyKind kind) = 0;
  /// Sets every byte to `value`.
  virtual Status fill(void *data, uint8_t value, uint64_t bytes) = 0;

  /// Loads a code object; `label` names it for debuggers and messages. The
  /// bytes may go away afterwards.
  virtual Status loadCode(std::string_view code, const std::string &label,
                          DeviceModule *&out) = 0;
  virtual Status unloadCode(DeviceModule *module) = 0;
  virtual Status findKernel(DeviceModule *module, const std::string &symbol,
                            DeviceKernel &out) = 0;

  /// Runs all tiles. A failing check inside the kernel is no failure of the
  /// launch: it stands in the error block.
  virtual Status launch(const LaunchConfig &config) = 0;
  /// Returns when everything launched by this thread has finished.
  virtual Status synchronize() = 0;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_DEVICE_DEVICE_H
