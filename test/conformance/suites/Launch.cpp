//===- Launch.cpp - Conformance: running kernels ----------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Registry.h"

#include <immintrin.h>
#include <thread>

using namespace dragoman;

namespace {

class DeviceLaunch : public conformance::DeviceSuite {};

TEST_P(DeviceLaunch, EveryTileRunsOnceOnAnyPool) {
  ThreadPool three(3);
  InlinePool one;
  for (Pool *pool : {static_cast<Pool *>(nullptr), static_cast<Pool *>(&one),
                     static_cast<Pool *>(&three)}) {
    for (int64_t n : {1, 15, 16, 17, 1000}) {
      std::vector<float> a(n), b(n), sum(n);
      for (int64_t i = 0; i < n; ++i) {
        a[i] = i;
        b[i] = 1000 - 3 * i;
        sum[i] = a[i] + b[i];
      }
      void *out = upload(std::vector<float>(n));
      expectOk(run("test_add", {upload(a), upload(b), out}, {n}, (n + 15) / 16,
                   pool));
      EXPECT_EQ(download<float>(out, n), sum) << n;
    }
  }
  EXPECT_EQ(error.site, -1);
}

TEST_P(DeviceLaunch, NoTilesNoLaunch) {
  void *out = upload(std::vector<float>(16, 5));
  expectOk(run("test_add", {out, out, out}, {16}, 0));
  EXPECT_EQ(download<float>(out, 16), std::vector<float>(16, 5));
}

TEST_P(DeviceLaunch, ScratchIsPrivateToAWorker) {
  ThreadPool pool(4);
  int64_t n = 64, k = 500;
  std::vector<float> in(n * k), sums(n);
  for (int64_t r = 0; r < n; ++r)
    for (int64_t i = 0; i < k; ++i)
      sums[r] += in[r * k + i] = r + i % 7;
  void *out = upload(std::vector<float>(n));
  expectOk(run("test_row_sum", {upload(in), out}, {n, k}, n, &pool,
               k * sizeof(float)));
  EXPECT_EQ(download<float>(out, n), sums);
}

/// Hands each of four workers a quarter of the items, on the calling thread.
class StripedPool final : public Pool {
public:
  int workers() const override { return 4; }
  void parallelFor(int64_t count, const Task &task) override {
    for (int worker = 0; worker < 4; ++worker)
      task(count * worker / 4, count * (worker + 1) / 4, worker);
  }
};

TEST_P(DeviceLaunch, WorkersHaveAlignedScratchApart) {
  StripedPool pool;
  void *out = upload(std::vector<int64_t>(8));
  expectOk(run("test_scratch", {out}, {}, 8, &pool, 100));
  std::vector<int64_t> addresses = download<int64_t>(out, 8);
  for (int worker = 0; worker < 4; ++worker) {
    EXPECT_EQ(addresses[2 * worker], addresses[2 * worker + 1]);
    EXPECT_EQ(addresses[2 * worker] % 64, 0);
    if (worker > 0)
      EXPECT_EQ(addresses[2 * worker] - addresses[2 * worker - 1], 128);
  }
}

TEST_P(DeviceLaunch, LowestFailingCheckWinsOnAnyPool) {
  ThreadPool three(3);
  int64_t n = 300;
  std::vector<int64_t> in(n, 1);
  in[17] = 99;
  in[250] = -3;
  for (Pool *pool :
       {static_cast<Pool *>(nullptr), static_cast<Pool *>(&three)}) {
    error = ErrorBlock();
    void *out = upload(std::vector<int64_t>(n));
    expectOk(run("test_check", {upload(in), out}, {n, 10, 4}, n, pool));
    EXPECT_EQ(error.site, 4);
    EXPECT_EQ(error.index, 17);
    EXPECT_EQ(error.value, 99);
    EXPECT_EQ(error.bound, 10);
    std::vector<int64_t> clamped = in;
    clamped[17] = 9;
    clamped[250] = 0;
    EXPECT_EQ(download<int64_t>(out, n), clamped);
  }
}

TEST_P(DeviceLaunch, KernelsFlushDenormalsAndTheCallerDoesNot) {
  uint32_t before = _mm_getcsr();
  _mm_setcsr(0x1f80 | 3u << 13); // the caller rounds towards zero
  void *out = upload(std::vector<uint32_t>(2, 1));
  ThreadPool pool(2);
  expectOk(run("test_float_state", {out}, {}, 1, &pool));
  uint32_t after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(after & ~0x3fu, 0x1f80 | 3u << 13);
  std::vector<uint32_t> state = download<uint32_t>(out, 2);
  EXPECT_EQ(state[1], 0u) << "a sum of denormals is flushed to zero";
  if (device->hasHostMemory())
    EXPECT_EQ(state[0] & ~0x3fu, 0x9fc0u & ~0x3fu);
}

TEST_P(DeviceLaunch, AnUnexpectedReturnValueIsReported) {
  Status status = run("test_bad_return", {}, {}, 1);
  EXPECT_EQ(status.code(), StatusCode::Internal);
  EXPECT_EQ(status.message(), "expected a kernel to return 0, found 7");
}

TEST_P(DeviceLaunch, ManyThreadsShareOneDevice) {
  kernel("test_add"); // load once, before the threads start
  ThreadPool pool(2);
  std::vector<std::thread> threads;
  std::vector<std::vector<float>> results(4, std::vector<float>(64));
  DeviceKernel add = kernel("test_add");
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<float> a(64, t), b(64, 1);
      void *slots[3] = {};
      for (void *&slot : slots)
        expectOk(device->allocate(256, slot));
      expectOk(device->copy(slots[0], a.data(), 256, CopyKind::HostToDevice));
      expectOk(device->copy(slots[1], b.data(), 256, CopyKind::HostToDevice));
      int64_t n = 64;
      ErrorBlock block;
      KernelArgs args{slots, &n, nullptr, &block};
      LaunchConfig config;
      config.kernel = add;
      config.args = &args;
      config.tiles = 4;
      config.pool = &pool;
      for (int round = 0; round < 200; ++round)
        expectOk(device->launch(config));
      expectOk(device->synchronize());
      expectOk(device->copy(results[t].data(), slots[2], 256,
                            CopyKind::DeviceToHost));
      for (void *slot : slots)
        expectOk(device->free(slot, 256));
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int t = 0; t < 4; ++t)
    EXPECT_EQ(results[t], std::vector<float>(64, t + 1));
}

DRAGOMAN_CONFORMANCE_SUITE(DeviceLaunch);

} // namespace
