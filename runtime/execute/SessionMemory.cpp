//===- SessionMemory.cpp - States, arena and scratch of a session ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/execute/SessionImpl.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace dragoman;

SessionMemory::SessionMemory(Device &device, const SessionOptions &options)
    : device(device), options(options) {}

SessionMemory::~SessionMemory() {
  for (Buffer &state : states)
    release(state);
  release(arena);
  release(scratch);
}

void SessionMemory::release(Buffer &buffer) {
  // free only fails on a fault of the device, which the next call reports.
  (void)device.free(buffer.data, buffer.bytes);
  buffer = Buffer();
}

/// At least `bytes`; the old contents are lost if the buffer grows.
Status SessionMemory::resize(Buffer &buffer, uint64_t bytes) {
  if (buffer.data && buffer.bytes >= bytes)
    return Status::ok();
  release(buffer);
  DRAGOMAN_RETURN_IF_ERROR(device.allocate(bytes, buffer.data));
  buffer.bytes = bytes;
  return Status::ok();
}

static std::string sizeText(uint64_t bytes) {
  static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
  std::string exact = std::to_string(bytes) + " bytes";
  if (bytes < 1024)
    return exact;
  double value = bytes / 1024.0;
  int unit = 0;
  for (; value >= 1024 && unit < 3; ++unit)
    value /= 1024;
  char text[64];
  std::snprintf(text, sizeof(text), "%.1f %s", value, units[unit]);
  return std::string(text) + " (" + exact + ")";
}

Status dragoman::memoryLimitError(uint64_t needed, uint64_t limit) {
  return Status(StatusCode::OutOfMemory,
                "needs " + sizeText(needed) + ", limit is " + sizeText(limit));
}

Status SessionMemory::checkLimit(uint64_t needed) const {
  if (options.memoryLimitBytes == 0 || needed <= options.memoryLimitBytes)
    return Status::ok();
  return memoryLimitError(needed, options.memoryLimitBytes);
}

/// A sum that stays at UINT64_MAX instead of wrapping.
static uint64_t saturatingAdd(uint64_t a, uint64_t b) {
  uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

// The measuring pattern depends on the position, so that a run of equal bytes
// never matches it throughout.
static uint8_t patternByte(uint64_t index) {
  return static_cast<uint8_t>((index * 2654435761u >> 16) | 0x81);
}

static void fillPattern(void *data, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i)
    static_cast<uint8_t *>(data)[i] = patternByte(i);
}

/// 1 + the index of the last byte that is not as fillPattern left it.
static uint64_t highWater(const void *data, uint64_t bytes) {
  while (bytes > 0 && static_cast<const uint8_t *>(data)[bytes - 1] ==
                          patternByte(bytes - 1))
    --bytes;
  return bytes;
}

/// With a limit, states are as large as they must be, so that what a run may
/// use follows from the formula; without one, larger allocations are kept.
/// Arena and scratch, which no run is using, make way if the states need their
/// room.
Status SessionMemory::reserveStates(const std::vector<uint64_t> &sizes,
                                    const std::vector<bool> &keep,
                                    const std::vector<bool> &isFixed) {
  uint64_t limit = options.memoryLimitBytes, needed = otherBytes;
  states.resize(sizes.size());
  stateSizes.resize(sizes.size());
  isFixedState = isFixed;
  for (size_t i = 0; i < sizes.size(); ++i)
    needed = saturatingAdd(needed, isFixed[i] ? states[i].bytes : sizes[i]);
  DRAGOMAN_RETURN_IF_ERROR(checkLimit(needed));
  if (limit != 0 && needed + arena.bytes + scratch.bytes > limit) {
    release(arena);
    release(scratch);
  }

  bool wasReserved = isReserved;
  isReserved = false;
  auto isKept = [&](size_t i) {
    return isFixed[i] || (wasReserved && keep[i]);
  };
  for (size_t i = 0; i < sizes.size(); ++i)
    if (!isFixed[i])
      stateSizes[i] = sizes[i];
  for (size_t i = 0; i < sizes.size(); ++i)
    if (!isKept(i) && (limit != 0 || states[i].bytes < sizes[i]))
      release(states[i]);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (isKept(i))
      continue;
    DRAGOMAN_RETURN_IF_ERROR(resize(states[i], sizes[i]));
    if (options.measureMemory)
      fillPattern(states[i].data, sizes[i]);
  }
  isReserved = true;
  return Status::ok();
}

Status SessionMemory::provideFixedState(size_t index, uint64_t bytes) {
  if (states.size() <= index) {
    states.resize(index + 1);
    stateSizes.resize(index + 1);
  }
  if (isFixedState.size() < states.size())
    isFixedState.resize(states.size());
  if (isFixedState[index] && states[index].data)
    return Status::ok();
  uint64_t needed = saturatingAdd(otherBytes, bytes);
  for (const Buffer &state : states)
    needed = saturatingAdd(needed, state.bytes);
  DRAGOMAN_RETURN_IF_ERROR(checkLimit(needed));
  uint64_t limit = options.memoryLimitBytes;
  if (limit != 0 && needed + arena.bytes + scratch.bytes > limit) {
    release(arena);
    release(scratch);
  }
  DRAGOMAN_RETURN_IF_ERROR(resize(states[index], bytes));
  DRAGOMAN_RETURN_IF_ERROR(device.fill(states[index].data, 0, bytes));
  stateSizes[index] = bytes;
  isFixedState[index] = true;
  return Status::ok();
}

Status SessionMemory::prepareRun(uint64_t arenaBytes, uint64_t scratchBytes,
                                 uint64_t other) {
  uint64_t needed = other;
  for (const Buffer &state : states)
    needed = saturatingAdd(needed, state.bytes);
  needed = saturatingAdd(needed, saturatingAdd(arenaBytes, scratchBytes));
  DRAGOMAN_RETURN_IF_ERROR(checkLimit(needed));
  uint64_t limit = options.memoryLimitBytes;
  uint64_t held = needed - arenaBytes - scratchBytes +
                  std::max(arena.bytes, arenaBytes) +
                  std::max(scratch.bytes, scratchBytes);
  if (limit != 0 && held > limit) {
    release(arena);
    release(scratch);
  }
  lastArenaBytes = arenaBytes;
  lastScratchBytes = scratchBytes;
  otherBytes = other;
  DRAGOMAN_RETURN_IF_ERROR(resize(scratch, scratchBytes));
  DRAGOMAN_RETURN_IF_ERROR(resize(arena, arenaBytes + guard()));
  if (options.measureMemory)
    fillPattern(arena.data, arenaBytes + guard());
  return Status::ok();
}

MemoryReport SessionMemory::report() const {
  MemoryReport result;
  result.arenaBytes = lastArenaBytes;
  result.scratchBytes = lastScratchBytes;
  result.otherBytes = otherBytes;
  result.allocatedBytes = arena.bytes + scratch.bytes + otherBytes;
  for (size_t i = 0; i < states.size(); ++i) {
    result.stateBytes += stateSizes[i];
    result.allocatedBytes += states[i].bytes;
    if (options.measureMemory && i < isFixedState.size() && isFixedState[i])
      result.stateHighWater += stateSizes[i];
    else if (options.measureMemory && isReserved)
      result.stateHighWater += highWater(states[i].data, stateSizes[i]);
  }
  if (options.measureMemory && arena.data)
    result.arenaHighWater = highWater(arena.data, lastArenaBytes + guard());
  return result;
}
