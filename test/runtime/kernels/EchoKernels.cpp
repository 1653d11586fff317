//===- EchoKernels.cpp - A translator that repeats its input ----*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of the model in test/runtime/api/EchoArtifact.h: the encoder's state
// of a token is its id, the cross cache keeps it, and the decoder's logits
// favour the source token at its own position. Every logit is 0 or at most
// -1000, so that the log-sum-exp of a row is its largest value, exactly.
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/KernelAbi.h"

using dragoman::KernelArgs;

#define KERNEL extern "C" __attribute__((visibility("default"))) int32_t

static constexpr int64_t selectWidth = 128;

/// ids i64[B,S], hidden f32[B,S,1]; dims B, S; one tile is one sentence.
KERNEL echo_encode(const KernelArgs *args, int64_t first, int64_t end, void *) {
  int64_t s = args->dim[1];
  auto *ids = static_cast<const int64_t *>(args->slot[0]);
  auto *hidden = static_cast<float *>(args->slot[1]);
  for (int64_t i = first * s; i < end * s; ++i)
    hidden[i] = static_cast<float>(ids[i]);
  return 0;
}

/// hidden f32[B,S,1], source_row i32[B], cross f32[SrcRows,1,SrcCap,1]; dims B,
/// S, SrcCap; one tile is one sentence.
KERNEL echo_prepare(const KernelArgs *args, int64_t first, int64_t end,
                    void *) {
  int64_t s = args->dim[1], cap = args->dim[2];
  auto *hidden = static_cast<const float *>(args->slot[0]);
  auto *row = static_cast<const int32_t *>(args->slot[1]);
  auto *cross = static_cast<float *>(args->slot[2]);
  for (int64_t b = first; b < end; ++b)
    for (int64_t i = 0; i < s; ++i)
      cross[row[b] * cap + i] = hidden[b * s + i];
  return 0;
}

/// input_ids i64[R,1], position i64[R], cache_row i32[R], rows i32[R,K],
/// source_row i32[R,1], source_length i64[R], self f32[Rows,1,Cap,1], cross
/// f32[SrcRows,1,SrcCap,1], logits f32[R,1,V]; dims R, K, V, Cap, SrcCap; one
/// tile is one row. Writes the token into the self cache and reads the whole
/// history back through `rows`: unless it repeats the source, all logits but
/// that of id 1 are low. The runner-up is the token's own successor.
KERNEL echo_decode(const KernelArgs *args, int64_t first, int64_t end, void *) {
  int64_t k = args->dim[1], v = args->dim[2], cap = args->dim[3],
          srcCap = args->dim[4];
  auto *ids = static_cast<const int64_t *>(args->slot[0]);
  auto *position = static_cast<const int64_t *>(args->slot[1]);
  auto *cacheRow = static_cast<const int32_t *>(args->slot[2]);
  auto *rows = static_cast<const int32_t *>(args->slot[3]);
  auto *sourceRow = static_cast<const int32_t *>(args->slot[4]);
  auto *length = static_cast<const int64_t *>(args->slot[5]);
  auto *self = static_cast<float *>(args->slot[6]);
  auto *cross = static_cast<const float *>(args->slot[7]);
  auto *logits = static_cast<float *>(args->slot[8]);
  for (int64_t r = first; r < end; ++r) {
    int64_t at = position[r];
    const float *source = cross + sourceRow[r] * srcCap;
    self[cacheRow[r] * cap + at] = static_cast<float>(ids[r]);
    bool repeats = true;
    for (int64_t j = 1; j <= at; ++j)
      repeats &= self[rows[r * k + j] * cap + j] == source[j - 1];
    int64_t next = 0; // the end, after the source's own
    if (at < length[r])
      next = static_cast<int64_t>(source[at]);
    if (!repeats)
      next = 1;
    for (int64_t i = 0; i < v; ++i)
      logits[r * v + i] = i == next ? 0 : i == next + 1 ? -1000 : -2000 - i;
  }
  return 0;
}

/// The entry `select` for logits as above: logits f32[N,V], count i64[],
/// normalize i64[], edit_id i32[N,E], edit_kind i32[N,E], edit_value f32[N,E],
/// values f32[N,128], ids i32[N,128], lse f32[N]; dims N, V, E; scratch V
/// floats.
KERNEL echo_select(const KernelArgs *args, int64_t first, int64_t end,
                   void *scratch) {
  int64_t v = args->dim[1], e = args->dim[2];
  auto *logits = static_cast<const float *>(args->slot[0]);
  int64_t count = *static_cast<const int64_t *>(args->slot[1]);
  int64_t normalize = *static_cast<const int64_t *>(args->slot[2]);
  auto *editId = static_cast<const int32_t *>(args->slot[3]);
  auto *editKind = static_cast<const int32_t *>(args->slot[4]);
  auto *editValue = static_cast<const float *>(args->slot[5]);
  auto *values = static_cast<float *>(args->slot[6]);
  auto *ids = static_cast<int32_t *>(args->slot[7]);
  auto *lse = static_cast<float *>(args->slot[8]);
  auto *row = static_cast<float *>(scratch);
  float lowest = -__builtin_inff();
  for (int64_t n = first; n < end; ++n) {
    float largest = lowest;
    for (int64_t i = 0; i < v; ++i) {
      row[i] = logits[n * v + i];
      largest = row[i] > largest ? row[i] : largest;
    }
    for (int64_t i = 0; i < v && (normalize & 1); ++i)
      row[i] -= largest;
    for (int64_t j = n * e; j < (n + 1) * e; ++j) {
      float &x = row[editId[j]], y = editValue[j];
      if (editKind[j] == 1)
        x = y;
      else if (editKind[j] == 2)
        x = x + y;
      else if (editKind[j] == 3)
        x = x < 0 ? x * y : x / y;
    }
    largest = lowest;
    for (int64_t i = 0; i < v; ++i)
      largest = row[i] > largest ? row[i] : largest;
    lse[n] = largest;
    for (int64_t c = 0; c < selectWidth; ++c) {
      int64_t best = -1;
      for (int64_t i = 0; i < v && c < count; ++i)
        if (row[i] > lowest && (best < 0 || row[i] > row[best]))
          best = i;
      ids[n * selectWidth + c] = static_cast<int32_t>(best);
      values[n * selectWidth + c] =
          best < 0 ? lowest : row[best] - ((normalize & 2) ? largest : 0);
      if (best >= 0)
        row[best] = lowest;
    }
  }
  return 0;
}
