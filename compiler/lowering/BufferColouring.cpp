//===- BufferColouring.cpp - Values of disjoint lifetime share bytes ------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/BufferColouring.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

using namespace dragoman;

namespace {

/// Where a value lies inside a buffer. Sizes are counted in lines of 64 bytes.
struct Part {
  size_t value;
  DimExpr offset, lines;

  DimExpr end() const { return offset + lines; }
};

struct Buffer {
  DimExpr lines;
  bool ragged = false; ///< some value's size is no plain multiple of a line
  std::vector<Part> parts;
};

class Colouring {
public:
  explicit Colouring(const std::vector<LiveValue> &values) : values(values) {}

  /// Into the first buffer that has room without growing, else the first that
  /// is free all the value's life, else a new one.
  void place(size_t value);

  std::vector<Buffer> buffers;

private:
  std::vector<Part> neighbours(const Buffer &buffer, size_t value) const;
  bool findRoom(const Buffer &buffer, Part &part) const;

  const std::vector<LiveValue> &values;
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

/// The parts of a buffer that live at the same time as a value.
std::vector<Part> Colouring::neighbours(const Buffer &buffer,
                                        size_t value) const {
  std::vector<Part> found;
  for (const Part &part : buffer.parts)
    if (meet(values[value], values[part.value]))
      found.push_back(part);
  return found;
}

/// Moves `part` to the start of the buffer or behind a neighbour, where it
/// provably fits.
bool Colouring::findRoom(const Buffer &buffer, Part &part) const {
  std::vector<Part> others = neighbours(buffer, part.value);
  auto fitsAt = [&](const DimExpr &offset) {
    part.offset = offset;
    return (buffer.lines - part.end()).provablyNonNegative() &&
           std::all_of(others.begin(), others.end(), [&](const Part &other) {
             return (other.offset - part.end()).provablyNonNegative() ||
                    (part.offset - other.end()).provablyNonNegative();
           });
  };
  return fitsAt(DimExpr(0)) ||
         std::any_of(others.begin(), others.end(),
                     [&](const Part &other) { return fitsAt(other.end()); });
}

void Colouring::place(size_t value) {
  const DimExpr line(64);
  const DimExpr &bytes = values[value].bytes;
  std::optional<DimExpr> exact = bytes.exactDivide(line);
  Part part{value, DimExpr(0), exact ? *exact : DimExpr::ceilDiv(bytes, line)};

  auto buffer = std::find_if(buffers.begin(), buffers.end(),
                             [&](Buffer &b) { return findRoom(b, part); });
  if (buffer == buffers.end()) {
    part.offset = DimExpr(0);
    buffer = std::find_if(buffers.begin(), buffers.end(), [&](Buffer &b) {
      return neighbours(b, value).empty();
    });
  }
  if (buffer == buffers.end())
    buffer = buffers.insert(buffers.end(), Buffer{});
  buffer->lines = larger(buffer->lines, part.end());
  buffer->ragged |= !exact;
  buffer->parts.push_back(part);
}

BufferPlan dragoman::colourBuffers(const std::vector<LiveValue> &values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<int64_t> typical;
  for (const LiveValue &value : values)
    typical.push_back(typicalBytes(value.bytes));
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return typical[a] > typical[b]; });

  Colouring colouring(values);
  for (size_t value : order)
    colouring.place(value);

  // Ragged buffers come last, so that the other offsets stay plain sums.
  std::vector<Buffer> &buffers = colouring.buffers;
  std::stable_partition(buffers.begin(), buffers.end(),
                        [](const Buffer &buffer) { return !buffer.ragged; });
  BufferPlan plan;
  plan.offsets.resize(values.size());
  for (const Buffer &buffer : buffers) {
    for (const Part &part : buffer.parts)
      plan.offsets[part.value] = plan.bytes + part.offset * DimExpr(64);
    plan.bytes += buffer.lines * DimExpr(64);
  }
  return plan;
}
