//===- HugeBuffer.cpp - Anonymous memory on huge pages --------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/HugeBuffer.h"

#include <cstdint>
#include <string>
#include <sys/mman.h>

namespace dragoman {

static constexpr size_t hugePage = 2u << 20;

HugeBuffer::~HugeBuffer() {
  if (address)
    munmap(address, length);
}

Result<HugeBuffer> HugeBuffer::allocate(size_t bytes) {
  const Status refused(StatusCode::OutOfMemory,
                       "cannot allocate " + std::to_string(bytes) + " bytes");
  if (bytes > SIZE_MAX - 2 * hugePage)
    return refused;
  const size_t rounded = (bytes / hugePage + 1) * hugePage;
  // One page more than needed, then give back what lies before and behind the
  // aligned part.
  const size_t mapped = rounded + hugePage;
  void *raw = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED)
    return refused;
  char *start = static_cast<char *>(raw);
  const size_t misaligned = reinterpret_cast<uintptr_t>(start) % hugePage;
  const size_t before = misaligned == 0 ? 0 : hugePage - misaligned;
  if (before > 0)
    munmap(start, before);
  if (before < hugePage)
    munmap(start + before + rounded, hugePage - before);
  HugeBuffer buffer;
  buffer.address = start + before;
  buffer.length = rounded;
  (void)madvise(buffer.address, buffer.length, MADV_HUGEPAGE);
  return buffer;
}

} // namespace dragoman
