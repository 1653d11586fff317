//===- Quantities.cpp - Sizes and counts as text --------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Quantities.h"

#include <charconv>
#include <cmath>
#include <cstdio>

using namespace dragoman;

Result<int64_t> dragoman::parseBytes(std::string_view text) {
  Status wrong(StatusCode::InvalidArgument,
               "expected a size such as 512MiB, 2GiB or 4096, found '" +
                   std::string(text) + "'");
  double number = 0;
  auto [end, failure] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc())
    return wrong;
  std::string_view unit(end, size_t(text.data() + text.size() - end));
  while (unit.starts_with(' '))
    unit.remove_prefix(1);
  struct Unit {
    std::string_view name;
    double bytes;
  };
  constexpr Unit units[] = {
      {"", 1},        {"B", 1},         {"K", 1 << 10}, {"KiB", 1 << 10},
      {"M", 1 << 20}, {"MiB", 1 << 20}, {"G", 1 << 30}, {"GiB", 1 << 30},
      {"KB", 1e3},    {"MB", 1e6},      {"GB", 1e9},
  };
  for (const Unit &candidate : units) {
    if (candidate.name != unit)
      continue;
    double bytes = number * candidate.bytes;
    if (!(bytes >= 1) || bytes > 9e18)
      return wrong;
    return int64_t(bytes);
  }
  return wrong;
}

std::string dragoman::formatBytes(uint64_t bytes) {
  if (bytes < 1024)
    return std::to_string(bytes) + " bytes";
  double value = double(bytes);
  const char *unit = "";
  for (const char *next : {"KiB", "MiB", "GiB", "TiB"}) {
    if (value < 1024)
      break;
    value /= 1024;
    unit = next;
  }
  char buffer[48];
  std::snprintf(buffer, sizeof(buffer), "%.1f %s", value, unit);
  return buffer;
}

std::string dragoman::formatCount(int64_t count) {
  std::string digits = std::to_string(count);
  size_t first = count < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string dragoman::formatDuration(double seconds) {
  int64_t total = int64_t(std::llround(seconds));
  char buffer[48];
  if (total >= 3600)
    std::snprintf(buffer, sizeof(buffer), "%lld:%02lld:%02lld",
                  (long long)(total / 3600), (long long)(total / 60 % 60),
                  (long long)(total % 60));
  else
    std::snprintf(buffer, sizeof(buffer), "%02lld:%02lld",
                  (long long)(total / 60), (long long)(total % 60));
  return buffer;
}
