//===- Utf8.h - UTF-8 scan and repair ---------------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Valid is what RFC 3629 allows: no overlong form, no surrogate, nothing above
// U+10FFFF.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_BASE_UTF8_H
#define DRAGOMAN_RUNTIME_BASE_UTF8_H

#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman {

/// Length (1 to 4) of the valid sequence that `text` begins with, or 0. `text`
/// must not be empty.
size_t utf8SequenceLength(std::string_view text);

/// Number of bytes before the first invalid one; text.size() if all are valid.
size_t validUtf8Prefix(std::string_view text);

inline bool isValidUtf8(std::string_view text) {
  return validUtf8Prefix(text) == text.size();
}

/// Replaces each invalid byte by one U+FFFD and returns how many there were.
int64_t repairUtf8(std::string &text);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_BASE_UTF8_H
