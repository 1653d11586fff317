//===- KernelAbi.h - How the executor calls compiled kernels ----*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contract between emitted CPU code and the executor. Plain C layout; the
// emitter builds the same structs as LLVM types, and a test checks the offsets.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_ARTIFACT_KERNELABI_H
#define DRAGOMAN_RUNTIME_ARTIFACT_KERNELABI_H

#include <cstdint>

namespace dragoman {

/// Raised when KernelArgs or a kernel's meaning changes.
inline constexpr int32_t kernelAbiVersion = 1;

/// The first failing check of a run. `site` is -1 when none failed; kernels
/// replace a record only by one of a lower (site, index) pair, so the record
/// does not depend on the thread count.
struct ErrorBlock {
  int64_t site = -1;
  int64_t index = 0; ///< linear index of the failing element
  int64_t value = 0; ///< what was found
  int64_t bound = 0; ///< what it had to stay below (or equal, by the site text)
  int32_t lock = 0;  ///< spin lock of the writers, 0 = free
  int32_t reserved = 0;
};

/// Arguments of one kernel launch, shared by all its tiles.
/// slot[i]   the i-th tensor (inputs in order, then outputs); dense row-major
///           unless the kernel's schedule states a layout
/// dim[j]    the j-th named dimension of the kernel, in the order its record
///           lists
/// stride[k] reserved (null): strides follow from dims
struct KernelArgs {
  void *const *slot;
  const int64_t *dim;
  const int64_t *stride;
  ErrorBlock *error;
};

/// Runs the tiles [firstTile, endTile). `scratch` is private to the calling
/// thread, 64-byte aligned, of the size the kernel's record states. Returns 0;
/// other values are reserved (1 = cancelled).
using KernelFunction = int32_t (*)(const KernelArgs *args, int64_t firstTile,
                                   int64_t endTile, void *scratch);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_ARTIFACT_KERNELABI_H
