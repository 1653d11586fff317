//===- Hash.h - xxh3-128 checksums ------------------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_BASE_HASH_H
#define DRAGOMAN_RUNTIME_BASE_HASH_H

#include <memory>
#include <string>
#include <string_view>

namespace dragoman {

/// Number of hex digits of a checksum.
inline constexpr size_t checksumDigits = 32;

/// xxh3-128 of the bytes as 32 lower-case hex digits, high word first.
std::string checksumOf(std::string_view bytes);

/// The same over bytes that arrive in pieces.
class Hasher {
public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher &) = delete;
  Hasher &operator=(const Hasher &) = delete;

  void update(const void *data, size_t bytes);
  /// The checksum of everything so far.
  std::string digest() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_BASE_HASH_H
