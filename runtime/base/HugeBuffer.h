//===- HugeBuffer.h - Anonymous memory on huge pages ------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_BASE_HUGEBUFFER_H
#define DRAGOMAN_RUNTIME_BASE_HUGEBUFFER_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <utility>

namespace dragoman {

/// Zeroed memory whose address is a multiple of 2 MiB, on huge pages where the
/// system gives them.
class HugeBuffer {
public:
  HugeBuffer() = default;
  HugeBuffer(HugeBuffer &&other) noexcept
      : address(std::exchange(other.address, nullptr)),
        length(std::exchange(other.length, 0)) {}
  HugeBuffer &operator=(HugeBuffer &&other) noexcept {
    std::swap(address, other.address);
    std::swap(length, other.length);
    return *this;
  }
  ~HugeBuffer();

  /// OutOfMemory, naming the size, if the system refuses.
  static Result<HugeBuffer> allocate(size_t bytes);

  char *data() const { return address; }
  size_t size() const { return length; }

private:
  char *address = nullptr;
  size_t length = 0; ///< mapped from `address` on
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_BASE_HUGEBUFFER_H
