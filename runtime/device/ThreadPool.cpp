//===- ThreadPool.cpp - A fixed set of threads ------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/Pool.h"

#include <algorithm>
#include <atomic>
#include <immintrin.h>
#include <sched.h>
#include <thread>
#include <vector>

using namespace dragoman;

// About 20 microseconds: the gap between two kernels of a decode step is
// shorter, a pause between two batches is longer.
static constexpr int spinsBeforeSleep = 1000;
// Ranges handed out per worker, so that a slow one does not hold up the rest.
static constexpr int64_t rangesPerWorker = 4;

int dragoman::availableProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

namespace {

/// Waits until `value` differs from `old`: first by spinning, then asleep.
template <typename T> void waitWhile(const std::atomic<T> &value, T old) {
  for (int spin = 0; spin < spinsBeforeSleep; ++spin) {
    if (value.load(std::memory_order_acquire) != old)
      return;
    _mm_pause();
  }
  value.wait(old, std::memory_order_acquire);
}

} // namespace

struct ThreadPool::Impl {
  static constexpr uint32_t isOpen = 1u << 31;

  int workers = 1;
  std::atomic<bool> isBusy{false};
  // One job at a time. Raising `generation` wakes the threads; `state` says
  // whether the job still takes workers, and how many are in it. The caller
  // closes the job when no range is left, so it never waits for a thread that
  // has not woken up yet. A thread that wakes too late finds it closed, or
  // joins the next one.
  std::atomic<uint32_t> generation{0};
  std::atomic<uint32_t> state{0};
  std::atomic<bool> isStopping{false};
  const Task *task = nullptr;
  int64_t count = 0, step = 1;
  std::atomic<int64_t> next{0};
  std::vector<std::thread> threads;

  void takeRanges(int worker) {
    while (true) {
      int64_t first = next.fetch_add(step, std::memory_order_relaxed);
      if (first >= count)
        return;
      (*task)(first, std::min(first + step, count), worker);
    }
  }

  bool join() {
    uint32_t seen = state.load(std::memory_order_relaxed);
    while (seen & isOpen)
      if (state.compare_exchange_weak(seen, seen + 1,
                                      std::memory_order_acquire))
        return true;
    return false;
  }

  void serve(int worker) {
    uint32_t seen = 0;
    while (true) {
      waitWhile(generation, seen);
      seen = generation.load(std::memory_order_acquire);
      if (isStopping.load(std::memory_order_relaxed))
        return;
      if (!join())
        continue;
      takeRanges(worker);
      if (state.fetch_sub(1, std::memory_order_release) == 1)
        state.notify_one();
    }
  }

  void run(int64_t itemCount, const Task &itemTask) {
    task = &itemTask;
    count = itemCount;
    step = std::max<int64_t>(1, itemCount / (workers * rangesPerWorker));
    next.store(0, std::memory_order_relaxed);
    state.store(isOpen, std::memory_order_release);
    generation.fetch_add(1, std::memory_order_release);
    generation.notify_all();
    takeRanges(0);
    uint32_t left =
        state.fetch_and(~isOpen, std::memory_order_acquire) & ~isOpen;
    while (left != 0) {
      waitWhile(state, left);
      left = state.load(std::memory_order_acquire);
    }
  }
};

ThreadPool::ThreadPool(int threads) : impl(std::make_unique<Impl>()) {
  impl->workers = threads > 0 ? threads : availableProcessors();
  for (int worker = 1; worker < impl->workers; ++worker)
    impl->threads.emplace_back([this, worker] { impl->serve(worker); });
}

ThreadPool::~ThreadPool() {
  impl->isStopping.store(true, std::memory_order_relaxed);
  impl->generation.fetch_add(1, std::memory_order_release);
  impl->generation.notify_all();
  for (std::thread &thread : impl->threads)
    thread.join();
}

int ThreadPool::workers() const { return impl->workers; }

void ThreadPool::parallelFor(int64_t count, const Task &task) {
  if (count <= 0)
    return;
  if (count == 1 || impl->workers == 1 ||
      impl->isBusy.exchange(true, std::memory_order_acquire)) {
    task(0, count, 0);
    return;
  }
  impl->run(count, task);
  impl->isBusy.store(false, std::memory_order_release);
}
