//===- BufferColouring.cpp - Values of disjoint lifetime share a buffer -*- C++
//-*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/BufferColouring.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace dragoman;

namespace {

/// Sizes are counted in lines of 64 bytes.
struct Buffer {
  DimExpr lines;
  bool ragged = false; ///< some value's size is no plain multiple of a line
  std::vector<size_t> values;
};

} // namespace

/// The bytes at a typical point: every dimension is 48, which no size formula
/// treats specially. An expression that does not evaluate counts as largest.
static int64_t typicalBytes(const DimExpr &bytes) {
  std::map<std::string, int64_t> dims;
  for (const std::string &name : bytes.names())
    dims[name] = 48;
  Result<int64_t> value = bytes.evaluate(dims);
  return value ? *value : INT64_MAX;
}

static bool meet(const LiveValue &a, const LiveValue &b) {
  return a.first <= b.last && b.first <= a.last;
}

/// The larger of two sizes, without max() where one provably holds the other.
static DimExpr larger(const DimExpr &a, const DimExpr &b) {
  if ((a - b).provablyNonNegative())
    return a;
  if ((b - a).provablyNonNegative())
    return b;
  return DimExpr::max(a, b);
}

BufferPlan dragoman::colourBuffers(const std::vector<LiveValue> &values) {
  const DimExpr line(64);
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<int64_t> typical;
  for (const LiveValue &value : values)
    typical.push_back(typicalBytes(value.bytes));
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return typical[a] > typical[b]; });

  // Largest first, each into the first buffer that is free all its life.
  std::vector<Buffer> buffers;
  for (size_t i : order) {
    auto isFree = [&](const Buffer &buffer) {
      return std::none_of(
          buffer.values.begin(), buffer.values.end(),
          [&](size_t other) { return meet(values[i], values[other]); });
    };
    auto buffer = std::find_if(buffers.begin(), buffers.end(), isFree);
    if (buffer == buffers.end())
      buffer = buffers.insert(buffers.end(), Buffer{});
    std::optional<DimExpr> exact = values[i].bytes.exactDivide(line);
    DimExpr lines = exact ? *exact : DimExpr::ceilDiv(values[i].bytes, line);
    buffer->lines = larger(buffer->lines, lines);
    buffer->ragged |= !exact;
    buffer->values.push_back(i);
  }

  // Ragged buffers come last, so that the other offsets stay plain sums.
  std::stable_partition(buffers.begin(), buffers.end(),
                        [](const Buffer &buffer) { return !buffer.ragged; });
  BufferPlan plan;
  plan.offsets.resize(values.size());
  for (const Buffer &buffer : buffers) {
    for (size_t i : buffer.values)
      plan.offsets[i] = plan.bytes;
    plan.bytes += buffer.lines * line;
  }
  return plan;
}
