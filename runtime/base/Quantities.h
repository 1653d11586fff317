//===- Quantities.h - Sizes and counts as text ------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_BASE_QUANTITIES_H
#define DRAGOMAN_RUNTIME_BASE_QUANTITIES_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman {

/// "2GiB", "512 MiB", "1.5GB", "4096": bytes, at least 1. K, M, G and KiB, MiB,
/// GiB are powers of 1024; KB, MB, GB are powers of 1000.
Result<int64_t> parseBytes(std::string_view text);

/// "9.5 MiB", "812 bytes".
std::string formatBytes(uint64_t bytes);

/// "12,400".
std::string formatCount(int64_t count);

/// "00:31", "1:02:03".
std::string formatDuration(double seconds);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_BASE_QUANTITIES_H
