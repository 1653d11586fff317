//===- Trace.cpp - Times of commands ----------------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/execute/Trace.h"

#include "runtime/base/AtomicFile.h"

#include <cstdio>
#include <functional>
#include <thread>

using namespace dragoman;

void Trace::add(std::string name, std::string entry, std::string kernel,
                int64_t tiles, Clock::time_point start) {
  auto ns = [](Clock::duration duration) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(duration)
        .count();
  };
  Event event{std::move(name),
              std::move(entry),
              std::move(kernel),
              tiles,
              ns(start - origin),
              ns(Clock::now() - start),
              std::hash<std::thread::id>()(std::this_thread::get_id())};
  std::lock_guard<std::mutex> lock(mutex);
  list.push_back(std::move(event));
}

std::vector<Trace::Event> Trace::events() const {
  std::lock_guard<std::mutex> lock(mutex);
  return list;
}

/// A JSON string with its quotes.
static std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (static_cast<uint8_t>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", c);
      out += escape;
      continue;
    }
    out += c;
  }
  return out + "\"";
}

std::string Trace::toJson() const {
  std::string out = "{\"traceEvents\": [";
  const char *separator = "\n";
  for (const Event &event : events()) {
    char times[96];
    std::snprintf(times, sizeof(times), "\"ts\": %.3f, \"dur\": %.3f",
                  event.startNs / 1000.0, event.durationNs / 1000.0);
    out += separator;
    out += "{\"ph\": \"X\", \"pid\": 1, \"tid\": " +
           std::to_string(event.thread % 1000000) +
           ", \"name\": " + quoted(event.name) +
           ", \"cat\": " + quoted(event.entry) + ", " + times +
           ", \"args\": {\"kernel\": " + quoted(event.kernel) +
           ", \"tiles\": " + std::to_string(event.tiles) + "}}";
    separator = ",\n";
  }
  return out + "\n]}\n";
}

Status Trace::write(const std::string &path) const {
  return writeFileAtomically(path, toJson());
}
