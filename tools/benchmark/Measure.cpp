//===- Measure.cpp - Ratios to what the core can do -----------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/benchmark/Measure.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <vector>

using namespace dragoman::bench;

double dragoman::bench::now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double dragoman::bench::threadNow() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         1e-9 * static_cast<double>(time.tv_nsec);
}

// Ten accumulators cover every known latency times throughput. The registers
// are zeroed first: left-over denormals would measure assists instead.
#define DRAGOMAN_TEN(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9)
#define DRAGOMAN_CLOBBERS                                                      \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",      \
      "xmm9", "xmm10", "xmm11"

static void peakLoop512(long count) {
#define DRAGOMAN_ZERO(i) "vpxord %%zmm" #i ",%%zmm" #i ",%%zmm" #i "\n"
#define DRAGOMAN_FMA(i) "vfmadd231ps %%zmm10,%%zmm11,%%zmm" #i "\n"
  asm volatile(DRAGOMAN_TEN(DRAGOMAN_ZERO) DRAGOMAN_ZERO(10)
                   DRAGOMAN_ZERO(11) "1:\n" DRAGOMAN_TEN(DRAGOMAN_FMA)
                       DRAGOMAN_TEN(DRAGOMAN_FMA) "dec %0\njnz 1b\n"
               : "+r"(count)
               :
               : DRAGOMAN_CLOBBERS, "cc");
#undef DRAGOMAN_ZERO
#undef DRAGOMAN_FMA
}

static void peakLoop256(long count) {
#define DRAGOMAN_ZERO(i) "vxorps %%ymm" #i ",%%ymm" #i ",%%ymm" #i "\n"
#define DRAGOMAN_FMA(i) "vfmadd231ps %%ymm10,%%ymm11,%%ymm" #i "\n"
  asm volatile(DRAGOMAN_TEN(DRAGOMAN_ZERO) DRAGOMAN_ZERO(10)
                   DRAGOMAN_ZERO(11) "1:\n" DRAGOMAN_TEN(DRAGOMAN_FMA)
                       DRAGOMAN_TEN(DRAGOMAN_FMA) "dec %0\njnz 1b\n"
               : "+r"(count)
               :
               : DRAGOMAN_CLOBBERS, "cc");
#undef DRAGOMAN_ZERO
#undef DRAGOMAN_FMA
}

double dragoman::bench::peakFlops(int lanes) {
  constexpr long count = 20000;
  double start = threadNow();
  lanes == 16 ? peakLoop512(count) : peakLoop256(count);
  return 20.0 * 2 * lanes * count / (threadNow() - start);
}

double dragoman::bench::readBandwidth(const void *data, size_t bytes,
                                      int lanes) {
  const char *at = static_cast<const char *>(data);
  const char *end = at + bytes / 512 * 512;
  double start = threadNow();
  if (lanes == 16)
    asm volatile("1:\n"
                 "vmovups (%0),%%zmm0\nvmovups 64(%0),%%zmm1\n"
                 "vmovups 128(%0),%%zmm2\nvmovups 192(%0),%%zmm3\n"
                 "vmovups 256(%0),%%zmm4\nvmovups 320(%0),%%zmm5\n"
                 "vmovups 384(%0),%%zmm6\nvmovups 448(%0),%%zmm7\n"
                 "add $512,%0\ncmp %1,%0\njb 1b\n"
                 : "+r"(at)
                 : "r"(end)
                 : DRAGOMAN_CLOBBERS, "cc", "memory");
  else
    asm volatile("1:\n"
                 "vmovups (%0),%%ymm0\nvmovups 32(%0),%%ymm1\n"
                 "vmovups 64(%0),%%ymm2\nvmovups 96(%0),%%ymm3\n"
                 "vmovups 128(%0),%%ymm4\nvmovups 160(%0),%%ymm5\n"
                 "vmovups 192(%0),%%ymm6\nvmovups 224(%0),%%ymm7\n"
                 "add $256,%0\ncmp %1,%0\njb 1b\n"
                 : "+r"(at)
                 : "r"(end)
                 : DRAGOMAN_CLOBBERS, "cc", "memory");
  return static_cast<double>(bytes) / (threadNow() - start);
}

static double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
}

static Ratio summarise(std::vector<double> ratios, std::vector<double> rates) {
  std::sort(ratios.begin(), ratios.end());
  size_t count = ratios.size();
  return {ratios[count / 2], ratios[count / 4], ratios[count * 3 / 4],
          ratios.back(), median(std::move(rates))};
}

Ratio dragoman::bench::measureRatio(double flops, int lanes, double seconds,
                                    const std::function<void()> &work) {
  work();
  double start = threadNow();
  work();
  long repeats = std::max(1l, static_cast<long>(5e-4 / (threadNow() - start)));
  std::vector<double> ratios, rates;
  double begin = now(), before = peakFlops(lanes);
  while (now() - begin < seconds || ratios.size() < 9) {
    start = threadNow();
    for (long i = 0; i < repeats; ++i)
      work();
    double rate = flops * static_cast<double>(repeats) / (threadNow() - start);
    double after = peakFlops(lanes);
    ratios.push_back(rate / ((before + after) / 2));
    rates.push_back(rate);
    before = after;
  }
  return summarise(std::move(ratios), std::move(rates));
}
