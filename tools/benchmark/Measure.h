//===- Measure.h - Ratios to what the core can do ---------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clocks of shared machines wander, so absolute rates of two runs are not
// comparable. Every sample here is divided by the mean of a peak loop run right
// before and right after it; a figure is the median of such ratios.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TOOLS_BENCHMARK_MEASURE_H
#define DRAGOMAN_TOOLS_BENCHMARK_MEASURE_H

#include <cstddef>
#include <functional>

namespace dragoman::bench {

/// Seconds of a monotonic clock.
double now();

/// Seconds that this thread has run: time taken by other processes is not in
/// it.
double threadNow();

/// Float32 operations per second of a loop of independent fused multiply-adds
/// on registers of `lanes` (8 or 16) lanes, by the thread's clock; about 0.2
/// ms.
double peakFlops(int lanes);

/// Bytes per second of reading `bytes` (a multiple of 512) once, with
/// registers of `lanes` lanes, by the thread's clock.
double readBandwidth(const void *data, size_t bytes, int lanes);

/// Median, quartiles and best of the bracketed ratios, and the median of the
/// plain rate. The best ratio says what a quiet machine would show: work that
/// waits for memory shares it with the other cores.
struct Ratio {
  double ratio = 0;
  double low = 0, high = 0; ///< quartiles
  double best = 0;
  double rate = 0; ///< operations per second
};

/// Runs `work` (`flops` operations on the calling thread, whose own time
/// counts) until `seconds` have gone and at least nine samples are taken. Short
/// work is repeated within a sample until it takes about half a millisecond.
Ratio measureRatio(double flops, int lanes, double seconds,
                   const std::function<void()> &work);

} // namespace dragoman::bench

#endif // DRAGOMAN_TOOLS_BENCHMARK_MEASURE_H
