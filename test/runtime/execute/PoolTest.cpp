//===- PoolTest.cpp - Thread pool and CPU levels ----------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/Pool.h"
#include "runtime/device/cpu/CpuFeatures.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>
#include <sched.h>
#include <thread>

using namespace dragoman;

namespace {

TEST(ThreadPool, coversEveryItemOnceWithDistinctWorkers) {
  ThreadPool pool(4);
  EXPECT_EQ(pool.workers(), 4);
  for (int64_t count : {0, 1, 3, 4, 5, 100, 1001}) {
    std::vector<std::atomic<int>> seen(count);
    std::atomic<int> inside[4] = {};
    pool.parallelFor(count, [&](int64_t first, int64_t end, int worker) {
      ASSERT_GE(worker, 0);
      ASSERT_LT(worker, 4);
      EXPECT_EQ(inside[worker].fetch_add(1), 0);
      EXPECT_LT(first, end);
      for (int64_t i = first; i < end; ++i)
        ++seen[i];
      --inside[worker];
    });
    for (int64_t i = 0; i < count; ++i)
      ASSERT_EQ(seen[i], 1) << i << " of " << count;
  }
}

TEST(ThreadPool, manyShortJobsInARow) {
  ThreadPool pool(3);
  std::atomic<int64_t> sum{0};
  for (int round = 0; round < 5000; ++round)
    pool.parallelFor(
        7, [&](int64_t first, int64_t end, int) { sum += end - first; });
  EXPECT_EQ(sum, 35000);
}

TEST(ThreadPool, nestedAndConcurrentCallsFinish) {
  ThreadPool pool(2);
  std::atomic<int64_t> sum{0};
  auto work = [&] {
    for (int round = 0; round < 100; ++round)
      pool.parallelFor(8, [&](int64_t first, int64_t end, int) {
        for (int64_t i = first; i < end; ++i)
          pool.parallelFor(5, [&](int64_t a, int64_t b, int) { sum += b - a; });
      });
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(sum, 2 * 100 * 8 * 5);
}

TEST(ThreadPool, zeroThreadsMeansTheAffinityMask) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &before))
      CPU_SET(cpu, &one);
  EXPECT_EQ(ThreadPool(0).workers(), CPU_COUNT(&before));
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(ThreadPool(0).workers(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

TEST(CpuFeatures, levelsHoldTheOnesBeforeThem) {
  ASSERT_EQ(cpuLevels().size(), 3u);
  for (size_t i = 0; i + 1 < cpuLevels().size(); ++i) {
    CpuFeatures higher = CpuFeatures::of(cpuLevels()[i + 1]);
    EXPECT_THAT(higher.missing(cpuLevels()[i].features), testing::IsEmpty());
    EXPECT_THAT(
        CpuFeatures::of(cpuLevels()[i]).missing(cpuLevels()[i + 1].features),
        testing::Not(testing::IsEmpty()));
  }
  EXPECT_EQ(findCpuLevel("x86-64-v5"), nullptr);
  EXPECT_THAT(CpuFeatures::of(*findCpuLevel("x86-64-v3"))
                  .missing(findCpuLevel("x86-64-v4")->features),
              testing::ElementsAre("avx512bw", "avx512cd", "avx512dq",
                                   "avx512f", "avx512vl"));
}

TEST(CpuFeatures, bestLevelIsTheHighestComplete) {
  EXPECT_EQ(CpuFeatures().bestLevelName(), "x86-64");
  EXPECT_EQ(CpuFeatures().bestLevel(), nullptr);
  for (const CpuLevel &level : cpuLevels())
    EXPECT_EQ(CpuFeatures::of(level).bestLevelName(), level.name);
  std::set<std::string> almost(cpuLevels()[1].features.begin(),
                               cpuLevels()[1].features.end());
  almost.erase("avx512vl");
  EXPECT_EQ(CpuFeatures(almost).bestLevelName(), "x86-64-v3");
}

// The compiler's runtime asks the processor in its own way.
TEST(CpuFeatures, hostAgreesWithTheCompilersProbe) {
  const CpuFeatures &host = CpuFeatures::host();
  EXPECT_EQ(host.has("avx2"), __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(host.has("fma"), __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(host.has("bmi2"), __builtin_cpu_supports("bmi2") != 0);
  EXPECT_EQ(host.has("popcnt"), __builtin_cpu_supports("popcnt") != 0);
  EXPECT_EQ(host.has("avx512f"), __builtin_cpu_supports("avx512f") != 0);
  EXPECT_EQ(host.has("avx512vl"), __builtin_cpu_supports("avx512vl") != 0);
  EXPECT_EQ(host.has("avx512vnni"), __builtin_cpu_supports("avx512vnni") != 0);
  EXPECT_TRUE(host.has("sse2"));
}

} // namespace
