//===- Trace.h - Times of commands ------------------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects when each command of a run started and how long it took, and writes
// them as a Chrome trace (chrome://tracing, Perfetto).
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_EXECUTE_TRACE_H
#define DRAGOMAN_RUNTIME_EXECUTE_TRACE_H

#include "runtime/base/Status.h"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace dragoman {

class Trace {
public:
  using Clock = std::chrono::steady_clock;

  struct Event {
    std::string name;   ///< the command's name
    std::string entry;  ///< the entry it belongs to
    std::string kernel; ///< symbol, or "copy", "fill"
    int64_t tiles = 0;
    int64_t startNs = 0; ///< since the trace was made
    int64_t durationNs = 0;
    uint64_t thread = 0; ///< of the caller of run
  };

  /// Adds one command that ran from `start` until now. Thread-safe.
  void add(std::string name, std::string entry, std::string kernel,
           int64_t tiles, Clock::time_point start);

  std::vector<Event> events() const;

  /// {"traceEvents": [...]}: complete events, microseconds.
  std::string toJson() const;
  Status write(const std::string &path) const;

private:
  const Clock::time_point origin = Clock::now();
  mutable std::mutex mutex;
  std::vector<Event> list;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_EXECUTE_TRACE_H
