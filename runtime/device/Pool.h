//===- Pool.h - Where work is spread over threads ---------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime starts no threads of its own accord: whoever uses it hands in a
// Pool. Sharing one among sessions is fine; results never depend on the number
// of workers.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_DEVICE_POOL_H
#define DRAGOMAN_RUNTIME_DEVICE_POOL_H

#include <cstdint>
#include <functional>
#include <memory>

namespace dragoman {

/// Runs a range of independent items, possibly on several threads.
class Pool {
public:
  /// Handles the items [first, end). No two calls of one parallelFor that run
  /// at the same time have the same `worker`, which is in [0, workers()).
  using Task = std::function<void(int64_t first, int64_t end, int worker)>;

  virtual ~Pool() = default;
  virtual int workers() const = 0;
  /// Calls `task` until [0, count) is covered once, and returns when all calls
  /// have returned. Safe to call from several threads and from inside a task.
  /// `task` must not throw.
  virtual void parallelFor(int64_t count, const Task &task) = 0;
};

/// The calling thread and nothing else.
class InlinePool final : public Pool {
public:
  int workers() const override { return 1; }
  void parallelFor(int64_t count, const Task &task) override {
    if (count > 0)
      task(0, count, 0);
  }
};

/// A fixed set of threads; the caller of parallelFor works along as worker 0.
/// Idle threads spin briefly and then sleep. A call that finds the pool busy
/// (another session, or a nested call) runs on the calling thread alone.
class ThreadPool final : public Pool {
public:
  /// `threads` counts the caller; 0 means as many as the affinity mask allows.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool() override;
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  int workers() const override;
  void parallelFor(int64_t count, const Task &task) override;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// Processors that this process may run on, at least 1.
int availableProcessors();

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_DEVICE_POOL_H
