//===- KernelTestHarness.h - Running emitted kernels in tests ---*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code is loaded the way the product does it (memory file, dlopen). Sanitizers
// do not see compiled kernels, so buffers lie against protected pages: a read
// or write outside is a crash.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TEST_EMIT_KERNELTESTHARNESS_H
#define DRAGOMAN_TEST_EMIT_KERNELTESTHARNESS_H

#include "compiler/emit/CodeObject.h"
#include "compiler/emit/StackTraffic.h"
#include "compiler/lowering/cpu/KernelBuilder.h"
#include "compiler/lowering/cpu/LowerToLLVM.h"
#include "runtime/artifact/KernelAbi.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xmmintrin.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dragoman::test {

/// True if this machine runs code of that level.
inline bool hostRuns(const CpuTarget &target) {
  __builtin_cpu_init();
  if (target.level == "x86-64-v4")
    return __builtin_cpu_supports("x86-64-v4");
  return __builtin_cpu_supports("x86-64-v3");
}

/// The levels that this machine runs.
inline std::vector<CpuTarget> hostTargets() {
  std::vector<CpuTarget> targets;
  for (const std::string &level : CpuTarget::levels()) {
    Result<CpuTarget> target = CpuTarget::parse(level);
    if (target && hostRuns(*target))
      targets.push_back(*target);
  }
  return targets;
}

/// Which end of a buffer touches the protected page.
enum class Guard { AtEnd, AtStart };

/// `count` elements whose last (or first) byte borders on a protected page.
/// The other end has slack up to a whole page; it is filled with 0xff bytes,
/// NaN as floats, so that reading it shows.
template <typename T> class GuardedBuffer {
public:
  explicit GuardedBuffer(size_t count, Guard guard = Guard::AtEnd)
      : elements(count) {
    size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    size_t bytes = (count * sizeof(T) + page - 1) / page * page;
    if (bytes == 0)
      bytes = page;
    mapped = bytes + 2 * page;
    base = static_cast<char *>(
        mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base == MAP_FAILED ||
        mprotect(base + page, bytes, PROT_READ | PROT_WRITE) != 0)
      std::abort();
    memset(base + page, 0xff, bytes);
    first = reinterpret_cast<T *>(
        guard == Guard::AtStart ? base + page
                                : base + page + bytes - count * sizeof(T));
  }
  GuardedBuffer(const std::vector<T> &values, Guard guard = Guard::AtEnd)
      : GuardedBuffer(values.size(), guard) {
    std::copy(values.begin(), values.end(), first);
  }
  GuardedBuffer(const GuardedBuffer &) = delete;
  GuardedBuffer &operator=(const GuardedBuffer &) = delete;
  ~GuardedBuffer() { munmap(base, mapped); }

  T *data() { return first; }
  size_t size() const { return elements; }
  T &operator[](size_t i) { return first[i]; }
  T *begin() { return first; }
  T *end() { return first + elements; }
  void fill(T value) { std::fill(begin(), end(), value); }

private:
  size_t elements, mapped;
  char *base;
  T *first;
};

/// Compiled kernels in memory.
class LoadedCode {
public:
  /// Lowers, emits, links and loads `module` (which is consumed); null after a
  /// diagnostic.
  static std::unique_ptr<LoadedCode> compile(mlir::ModuleOp module,
                                             const CpuTarget &target) {
    auto code = std::make_unique<LoadedCode>();
    if (failed(lowerKernelsToLLVM(module)))
      return nullptr;
    mlir::FailureOr<std::string> object = emitObject(module, target);
    if (failed(object))
      return nullptr;
    code->object = *object;
    mlir::FailureOr<std::string> image =
        linkSharedObject(module, *object, target);
    if (failed(image))
      return nullptr;
    code->image = *image;
    // The file stays open: while it does, no other code can have its path,
    // which dlopen takes for the identity of what it has loaded.
    int file = code->file = memfd_create("kernels", 0);
    if (file < 0 || write(file, image->data(), image->size()) !=
                        static_cast<ssize_t>(image->size()))
      return nullptr;
    std::string path = "/proc/self/fd/" + std::to_string(file);
    code->handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!code->handle) {
      fprintf(stderr, "dlopen: %s\n", dlerror());
      return nullptr;
    }
    return code;
  }

  LoadedCode() = default;
  LoadedCode(const LoadedCode &) = delete;
  ~LoadedCode() {
    if (handle)
      dlclose(handle);
    if (file >= 0)
      close(file);
  }

  /// The kernel of that name, or null.
  KernelFunction kernel(const std::string &name) const {
    return reinterpret_cast<KernelFunction>(dlsym(handle, name.c_str()));
  }
  /// Relocatable object and linked image, for checks of the code itself.
  std::string object, image;

private:
  void *handle = nullptr;
  int file = -1;
};

/// One launch: slots, dims, a tile count and scratch that ends at a protected
/// page. Denormals are flushed, as the executor does.
struct Launch {
  std::vector<void *> slots;
  std::vector<int64_t> dims;
  int64_t tiles = 1;
  size_t scratchBytes = 0;
  ErrorBlock error = {};

  /// Runs the tiles in `parts` consecutive ranges; returns the kernel's value.
  int32_t run(KernelFunction kernel, int64_t parts = 1) {
    GuardedBuffer<char> scratch((scratchBytes + 63) / 64 * 64);
    KernelArgs args = {slots.data(), dims.data(), nullptr, &error};
    unsigned saved = _mm_getcsr();
    _mm_setcsr(saved | 0x8040);
    int32_t code = 0;
    for (int64_t part = 0; part < parts && code == 0; ++part)
      code = kernel(&args, tiles * part / parts, tiles * (part + 1) / parts,
                    scratch.data());
    _mm_setcsr(saved);
    return code;
  }
};

/// Reproducible floats in (-0.5, 0.5).
class RandomFloats {
public:
  explicit RandomFloats(uint64_t seed)
      : state(seed * 2654435761u + 88172645463325252ull) {}
  float next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<float>(state >> 40) * (1.0f / 16777216.0f) - 0.5f;
  }
  std::vector<float> vector(size_t count) {
    std::vector<float> values(count);
    for (float &value : values)
      value = next();
    return values;
  }

private:
  uint64_t state;
};

} // namespace dragoman::test

#endif // DRAGOMAN_TEST_EMIT_KERNELTESTHARNESS_H
