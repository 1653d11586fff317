//===- TestKernels.cpp - Kernels of the runtime's tests ---------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled like the code of an artifact: one shared object, no imports. Every
// kernel follows KernelAbi.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/KernelAbi.h"

using dragoman::ErrorBlock;
using dragoman::KernelArgs;

#define KERNEL extern "C" __attribute__((visibility("default"))) int32_t

/// slot 2 = slot 0 + slot 1, f32[n]; one tile is 16 elements; dim 0 = n.
KERNEL test_add(const KernelArgs *args, int64_t first, int64_t end, void *) {
  auto *a = static_cast<const float *>(args->slot[0]);
  auto *b = static_cast<const float *>(args->slot[1]);
  auto *out = static_cast<float *>(args->slot[2]);
  for (int64_t i = first * 16; i < end * 16 && i < args->dim[0]; ++i)
    out[i] = a[i] + b[i];
  return 0;
}

/// slot 1 = row sums of slot 0, f32[n,k]; one tile is one row; dims n, k. Goes
/// through the scratch, which holds at least k floats.
KERNEL test_row_sum(const KernelArgs *args, int64_t first, int64_t end,
                    void *scratch) {
  int64_t k = args->dim[1];
  auto *row = static_cast<float *>(scratch);
  for (int64_t r = first; r < end; ++r) {
    auto *in = static_cast<const float *>(args->slot[0]) + r * k;
    for (int64_t i = 0; i < k; ++i)
      row[i] = in[i];
    float sum = 0;
    for (int64_t i = 0; i < k; ++i)
      sum += row[i];
    static_cast<float *>(args->slot[1])[r] = sum;
  }
  return 0;
}

/// slot 1[i] = slot 0[i] clamped to [0, bound), i64[n]; reports the lowest i
/// out of bounds as site dim 2; dims n, bound, site; one tile is one element.
KERNEL test_check(const KernelArgs *args, int64_t first, int64_t end, void *) {
  auto *in = static_cast<const int64_t *>(args->slot[0]);
  auto *out = static_cast<int64_t *>(args->slot[1]);
  int64_t bound = args->dim[1], site = args->dim[2];
  for (int64_t i = first; i < end; ++i) {
    out[i] = in[i] < 0 ? 0 : in[i] >= bound ? bound - 1 : in[i];
    if (out[i] == in[i])
      continue;
    ErrorBlock *error = args->error;
    while (__atomic_exchange_n(&error->lock, 1, __ATOMIC_ACQUIRE))
      ;
    bool isFirst = error->site < 0 || site < error->site ||
                   (site == error->site && i < error->index);
    if (isFirst) {
      error->site = site;
      error->index = i;
      error->value = in[i];
      error->bound = bound;
    }
    __atomic_store_n(&error->lock, 0, __ATOMIC_RELEASE);
  }
  return 0;
}

/// slot 0 = this thread's MXCSR, then of a denormal the double; u32[2].
KERNEL test_float_state(const KernelArgs *args, int64_t, int64_t, void *) {
  auto *out = static_cast<uint32_t *>(args->slot[0]);
  out[0] = __builtin_ia32_stmxcsr();
  volatile float denormal = 1e-40f;
  float twice = denormal + denormal;
  __builtin_memcpy(&out[1], &twice, sizeof(twice));
  return 0;
}

/// slot 1[0..n) = slot 0[0..n) appended at position slot 2[0] of a state
/// f32[m]; dims n; one tile.
KERNEL test_append(const KernelArgs *args, int64_t, int64_t, void *) {
  auto *in = static_cast<const float *>(args->slot[0]);
  int64_t at = *static_cast<const int64_t *>(args->slot[2]);
  auto *state = static_cast<float *>(args->slot[1]);
  for (int64_t i = 0; i < args->dim[0]; ++i)
    state[at + i] = in[i];
  return 0;
}

/// slot 0[tile] = address of the scratch, i64; one tile is one element.
KERNEL test_scratch(const KernelArgs *args, int64_t first, int64_t end,
                    void *scratch) {
  for (int64_t i = first; i < end; ++i)
    static_cast<int64_t *>(args->slot[0])[i] =
        reinterpret_cast<int64_t>(scratch);
  return 0;
}

/// Returns what a kernel must not return.
KERNEL test_bad_return(const KernelArgs *, int64_t, int64_t, void *) {
  return 7;
}
