//===- WireReader.cpp - Walking protobuf wire data ------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/text/WireReader.h"

namespace dragoman {

static Status damaged(uint64_t place, const std::string &expected,
                      const std::string &found) {
  return Status(StatusCode::InvalidData, "byte " + std::to_string(place) +
                                             ": expected " + expected +
                                             ", found " + found);
}

Status WireReader::varint(uint64_t &value) {
  constexpr int maxBytes = 10;
  value = 0;
  for (int i = 0; i < maxBytes; ++i) {
    if (atEnd())
      return damaged(place(), "the rest of a number", "the end");
    const auto byte = static_cast<uint8_t>(message[position++]);
    value |= static_cast<uint64_t>(byte & 0x7F) << (7 * i);
    if (byte < 0x80)
      return Status::ok();
  }
  return damaged(place(), "a number of at most 10 bytes", "a longer one");
}

Status WireReader::fixed(size_t bytes, uint64_t &value) {
  if (message.size() - position < bytes)
    return damaged(place(), std::to_string(bytes) + " bytes",
                   std::to_string(message.size() - position));
  value = 0;
  for (size_t i = 0; i < bytes; ++i)
    value |= static_cast<uint64_t>(static_cast<uint8_t>(message[position++]))
             << (8 * i);
  return Status::ok();
}

Status WireReader::next(WireField &field) {
  const uint64_t start = place();
  uint64_t tag = 0;
  DRAGOMAN_RETURN_IF_ERROR(varint(tag));
  const uint64_t number = tag >> 3;
  const uint64_t type = tag & 7;
  constexpr uint64_t maxNumber = (1u << 29) - 1;
  if (number == 0 || number > maxNumber)
    return damaged(start,
                   "a field number from 1 to " + std::to_string(maxNumber),
                   std::to_string(number));
  field = WireField();
  field.number = static_cast<uint32_t>(number);
  field.type = static_cast<WireType>(type);
  switch (field.type) {
  case WireType::Varint:
    return varint(field.value);
  case WireType::Fixed64:
    return fixed(8, field.value);
  case WireType::Fixed32:
    return fixed(4, field.value);
  case WireType::Bytes: {
    uint64_t length = 0;
    DRAGOMAN_RETURN_IF_ERROR(varint(length));
    const uint64_t left = message.size() - position;
    if (length > left)
      return damaged(place(), std::to_string(length) + " bytes",
                     std::to_string(left));
    field.offset = place();
    field.bytes = message.substr(position, length);
    position += length;
    return Status::ok();
  }
  }
  return damaged(start, "wire type 0, 1, 2 or 5", std::to_string(type));
}

} // namespace dragoman
