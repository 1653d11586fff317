//===- KernelBench.cpp - What the sections of the benchmark share ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/benchmark/KernelBench.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

using namespace dragoman;
using namespace dragoman::bench;

Block::Block(size_t floats) {
  size_t bytes = ((floats * sizeof(float) >> 21) + 2) << 21;
  memory = static_cast<float *>(std::aligned_alloc(size_t(1) << 21, bytes));
  madvise(memory, bytes, MADV_HUGEPAGE);
  uint32_t state = 12345;
  for (size_t i = 0; i < bytes / sizeof(float); ++i) {
    state = state * 1664525u + 1013904223u;
    memory[i] = static_cast<float>(state >> 8) * (1.0f / (1 << 24)) - 0.5f;
  }
}

Block::~Block() { std::free(memory); }

void *bench::loadImage(const std::string &image) {
  int file = memfd_create("kernels", 0);
  if (write(file, image.data(), image.size()) < 0)
    std::exit(1);
  void *handle = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(),
                        RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    std::exit(1);
  return handle;
}

void bench::report(const Options &options, const Figure &figure) {
  const Ratio &result = figure.result;
  if (options.json) {
    std::printf("{\"suite\":\"%s\",\"level\":\"%s\",\"m\":%ld,\"n\":%ld,"
                "\"k\":%ld,\"ratio\":%.4f,\"quartiles\":[%.4f,%.4f],"
                "\"best\":%.4f,\"gflops\":%.2f,\"roofline\":%.4f}\n",
                figure.suite.c_str(), options.level.c_str(), figure.rows,
                figure.columns, figure.depth, result.ratio, result.low,
                result.high, result.best, result.rate / 1e9, figure.roofline);
  } else {
    std::printf("%-6s %5ld %6ld %6ld   %.3f (%.3f .. %.3f)  best %.3f  "
                "%8.1f GF/s",
                figure.suite.c_str(), figure.rows, figure.columns, figure.depth,
                result.ratio, result.low, result.high, result.best,
                result.rate / 1e9);
    if (figure.roofline > 0)
      std::printf("   %.3f of the roofline", figure.roofline);
    std::printf("\n");
  }
  std::fflush(stdout);
}
