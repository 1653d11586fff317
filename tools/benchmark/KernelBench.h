//===- KernelBench.h - What the sections of the benchmark share -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TOOLS_BENCHMARK_KERNELBENCH_H
#define DRAGOMAN_TOOLS_BENCHMARK_KERNELBENCH_H

#include "compiler/lowering/cpu/CpuTarget.h"
#include "tools/benchmark/Measure.h"

#include <cstdint>
#include <string>

namespace dragoman::bench {

/// The options of one run.
struct Options {
  std::string level;
  double seconds;
  bool json;
};

/// Memory on a 2 MiB boundary, with huge pages where the system has them, full
/// of floats in (-0.5, 0.5).
class Block {
public:
  explicit Block(size_t floats);
  Block(const Block &) = delete;
  ~Block();
  float *data() { return memory; }

private:
  float *memory;
};

/// Loads a shared object from memory for the rest of the run; ends the program
/// if the system refuses it.
void *loadImage(const std::string &image);

/// One figure. `roofline` above 0 is the share of what memory and core allow.
struct Figure {
  std::string suite;
  int64_t rows, columns, depth;
  Ratio result;
  double roofline = 0;
};
void report(const Options &options, const Figure &figure);

/// Products of training, packing included: y = x w^T, dx = dy w, dw = dy^T x.
void runProducts(const Options &options, const CpuTarget &target);

} // namespace dragoman::bench

#endif // DRAGOMAN_TOOLS_BENCHMARK_KERNELBENCH_H
