//===- WireReader.h - Walking protobuf wire data ----------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TEXT_WIREREADER_H
#define DRAGOMAN_RUNTIME_TEXT_WIREREADER_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <string_view>

namespace dragoman {

enum class WireType : uint8_t {
  Varint = 0,
  Fixed64 = 1,
  Bytes = 2,
  Fixed32 = 5
};

/// One field of a message.
struct WireField {
  uint32_t number = 0;
  WireType type = WireType::Varint;
  uint64_t value = 0;     ///< Varint, Fixed32, Fixed64
  std::string_view bytes; ///< Bytes
  uint64_t offset = 0;    ///< of `bytes` in the file
};

/// Reads the fields of a message in file order. Groups are refused.
class WireReader {
public:
  /// `offset` is where `message` begins in the file, for messages.
  explicit WireReader(std::string_view message, uint64_t offset = 0)
      : message(message), base(offset) {}

  bool atEnd() const { return position == message.size(); }
  /// Reads the next field; not to be called at the end.
  Status next(WireField &field);

private:
  Status varint(uint64_t &value);
  Status fixed(size_t bytes, uint64_t &value);
  uint64_t place() const { return base + position; }

  std::string_view message;
  uint64_t base;
  size_t position = 0;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TEXT_WIREREADER_H
