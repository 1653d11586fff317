//===- CpuDevice.cpp - The processor as a device ----------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/cpu/CpuDevice.h"

#include "runtime/base/SystemError.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <immintrin.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>

using namespace dragoman;

// Flush-to-zero (bit 15), denormals-are-zero (bit 6), all exceptions masked,
// round to nearest.
static constexpr uint32_t kernelMxcsr = 0x1f80 | 1u << 15 | 1u << 6;
static constexpr uint64_t alignment = 64;
static constexpr uint64_t hugePage = 2u << 20;
static constexpr uint64_t smallPage = 4096;

namespace {

/// A file descriptor with one owner.
class FileDescriptor {
public:
  explicit FileDescriptor(int number) : number(number) {}
  FileDescriptor(FileDescriptor &&other)
      : number(std::exchange(other.number, -1)) {}
  FileDescriptor &operator=(FileDescriptor &&) = delete;
  ~FileDescriptor() {
    if (number >= 0)
      close(number);
  }
  int number;
};

} // namespace

/// The memory file stays open as long as its code is loaded: dlopen takes the
/// path, which names the descriptor, for the identity of what it has loaded.
class dragoman::DeviceModule {
public:
  DeviceModule(std::string label, FileDescriptor &&file, void *handle)
      : label(std::move(label)), file(std::move(file)), handle(handle) {}
  std::string label;
  FileDescriptor file;
  void *handle;
};

namespace {

/// The floating-point state of kernels, for one scope.
class KernelFloatState {
public:
  KernelFloatState() : saved(_mm_getcsr()) { _mm_setcsr(kernelMxcsr); }
  ~KernelFloatState() { _mm_setcsr(saved); }
  KernelFloatState(const KernelFloatState &) = delete;
  KernelFloatState &operator=(const KernelFloatState &) = delete;

private:
  uint32_t saved;
};

uint64_t roundUp(uint64_t value, uint64_t to) {
  return (value + to - 1) / to * to;
}

/// Memory of its own mapping, so that freeing gives it back to the system, at a
/// huge page's boundary; null if there is none.
void *mapHugeAligned(uint64_t bytes) {
  uint64_t size = roundUp(bytes, smallPage);
  void *mapped = mmap(nullptr, size + hugePage, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return nullptr;
  char *start = static_cast<char *>(mapped);
  uint64_t head = roundUp(reinterpret_cast<uintptr_t>(start), hugePage) -
                  reinterpret_cast<uintptr_t>(start);
  if (head > 0)
    (void)munmap(start, head);
  if (head < hugePage)
    (void)munmap(start + head + size, hugePage - head);
  // Advice only, and not for the end, which would take a whole page for a few
  // bytes: resident memory stays what the formula says.
  (void)madvise(start + head, bytes / hugePage * hugePage, MADV_HUGEPAGE);
  return start + head;
}

Status checkElf(std::string_view code, const std::string &label) {
  Elf64_Ehdr header;
  if (code.size() < sizeof(header))
    return Status(StatusCode::InvalidData,
                  "expected an ELF shared object, found " +
                      std::to_string(code.size()) + " bytes",
                  label);
  std::memcpy(&header, code.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_DYN)
    return Status(StatusCode::InvalidData, "expected an ELF shared object",
                  label);
  if (header.e_machine != EM_X86_64)
    return Status(StatusCode::InvalidData,
                  "expected code for x86-64 (machine 62), found machine " +
                      std::to_string(header.e_machine),
                  label);
  return Status::ok();
}

Status writeAll(int file, std::string_view bytes, const std::string &label) {
  while (!bytes.empty()) {
    ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return systemError("cannot write the code to memory", label);
    bytes.remove_prefix(written);
  }
  return Status::ok();
}

class CpuDevice final : public Device {
public:
  const char *name() const override { return "cpu"; }
  bool hasHostMemory() const override { return true; }

  Status allocate(uint64_t bytes, void *&out) override {
    out = nullptr;
    if (bytes > UINT64_MAX / 2)
      return outOfMemory(bytes);
    void *data =
        bytes >= hugePage
            ? mapHugeAligned(bytes)
            : aligned_alloc(alignment,
                            roundUp(std::max<uint64_t>(bytes, 1), alignment));
    if (!data)
      return outOfMemory(bytes);
    out = data;
    return Status::ok();
  }

  Status free(void *data, uint64_t bytes) override {
    if (bytes < hugePage || !data)
      ::free(data);
    else if (munmap(data, roundUp(bytes, smallPage)) != 0)
      return systemError("cannot free memory", "cpu");
    return Status::ok();
  }

  Status copy(void *to, const void *from, uint64_t bytes, CopyKind) override {
    if (bytes > 0)
      std::memcpy(to, from, bytes);
    return Status::ok();
  }

  Status fill(void *data, uint8_t value, uint64_t bytes) override {
    if (bytes > 0)
      std::memset(data, value, bytes);
    return Status::ok();
  }

  Status loadCode(std::string_view code, const std::string &label,
                  DeviceModule *&out) override {
    out = nullptr;
    DRAGOMAN_RETURN_IF_ERROR(checkElf(code, label));
    FileDescriptor file(memfd_create(label.c_str(), MFD_CLOEXEC));
    if (file.number < 0)
      return systemError("cannot make a memory file for code", label);
    DRAGOMAN_RETURN_IF_ERROR(writeAll(file.number, code, label));
    std::string path = "/proc/self/fd/" + std::to_string(file.number);
    void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      return Status(StatusCode::InvalidData,
                    std::string("cannot load the code: ") + dlerror(), label);
    out = new DeviceModule(label, std::move(file), handle);
    return Status::ok();
  }

  Status unloadCode(DeviceModule *module) override {
    if (!module)
      return Status::ok();
    int failed = dlclose(module->handle);
    delete module;
    if (failed)
      return Status(StatusCode::Internal,
                    std::string("cannot unload code: ") + dlerror());
    return Status::ok();
  }

  Status findKernel(DeviceModule *module, const std::string &symbol,
                    DeviceKernel &out) override {
    out.handle = dlsym(module->handle, symbol.c_str());
    if (!out.handle)
      return Status(StatusCode::InvalidData,
                    "expected kernel '" + symbol + "' in the code, found none",
                    module->label);
    return Status::ok();
  }

  Status launch(const LaunchConfig &config) override {
    if (config.tiles <= 0)
      return Status::ok();
    auto kernel = reinterpret_cast<KernelFunction>(
        const_cast<void *>(config.kernel.handle));
    struct {
      const LaunchConfig &config;
      KernelFunction kernel;
      std::atomic<int32_t> failure{0};
    } shared{config, kernel};
    // One captured reference: std::function keeps it without allocating.
    auto task = [&shared](int64_t first, int64_t end, int worker) {
      KernelFloatState floatState;
      char *scratch = static_cast<char *>(shared.config.scratch);
      if (scratch)
        scratch += worker * shared.config.scratchStride;
      if (int32_t code = shared.kernel(shared.config.args, first, end, scratch))
        shared.failure.store(code, std::memory_order_relaxed);
    };
    if (config.pool)
      config.pool->parallelFor(config.tiles, task);
    else
      task(0, config.tiles, 0);
    if (int32_t code = shared.failure.load(std::memory_order_relaxed))
      return Status(StatusCode::Internal,
                    "expected a kernel to return 0, found " +
                        std::to_string(code));
    return Status::ok();
  }

  Status synchronize() override { return Status::ok(); }

private:
  static Status outOfMemory(uint64_t bytes) {
    return Status(StatusCode::OutOfMemory,
                  "cannot allocate " + std::to_string(bytes) + " bytes");
  }
};

} // namespace

std::unique_ptr<Device> dragoman::createCpuDevice() {
  return std::make_unique<CpuDevice>();
}
