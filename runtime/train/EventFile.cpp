//===- EventFile.cpp - TensorBoard event files ----------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/EventFile.h"

#include "runtime/base/SystemError.h"

#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <unistd.h>

using namespace dragoman;
namespace fs = std::filesystem;

uint32_t dragoman::crc32c(std::string_view bytes) {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> entries{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit)
        value = value & 1 ? value >> 1 ^ 0x82F63B78u : value >> 1;
      entries[i] = value;
    }
    return entries;
  }();
  uint32_t crc = ~0u;
  for (char c : bytes)
    crc = table[(crc ^ static_cast<uint8_t>(c)) & 0xFF] ^ crc >> 8;
  return ~crc;
}

uint32_t dragoman::maskedCrc32c(std::string_view bytes) {
  uint32_t crc = crc32c(bytes);
  return (crc >> 15 | crc << 17) + 0xA282EAD8u;
}

namespace {

template <typename T> std::string rawBytes(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// Fields of a protobuf message.
class Message {
public:
  std::string bytes;

  Message &number(uint32_t field, uint64_t value) {
    varint(field << 3 | 0);
    varint(value);
    return *this;
  }
  Message &real(uint32_t field, double value) {
    varint(field << 3 | 1);
    bytes += rawBytes(value);
    return *this;
  }
  Message &real32(uint32_t field, float value) {
    varint(field << 3 | 5);
    bytes += rawBytes(value);
    return *this;
  }
  Message &text(uint32_t field, std::string_view value) {
    varint(field << 3 | 2);
    varint(value.size());
    bytes += value;
    return *this;
  }
  Message &message(uint32_t field, const Message &value) {
    return text(field, value.bytes);
  }

private:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      bytes += static_cast<char>(value | 0x80);
    bytes += static_cast<char>(value);
  }
};

double secondsNow() {
  return std::chrono::duration<double>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// An Event with a wall time and a step.
Message event(int64_t step) {
  Message result;
  result.real(1, secondsNow());
  result.number(2, static_cast<uint64_t>(step));
  return result;
}

} // namespace

Result<std::unique_ptr<EventFile>>
EventFile::create(const std::string &folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  char host[256] = "localhost";
  gethostname(host, sizeof host - 1);
  std::string base = folder + "/events.out.tfevents." +
                     std::to_string(static_cast<int64_t>(secondsNow())) + "." +
                     host;
  // A run that stopped in the same second has taken the first name.
  for (int attempt = 0; attempt < 1000; ++attempt) {
    std::unique_ptr<EventFile> events(new EventFile());
    events->name = attempt == 0 ? base : base + "." + std::to_string(attempt);
    events->file = std::fopen(events->name.c_str(), "wbx");
    if (!events->file && errno == EEXIST)
      continue;
    if (!events->file)
      return systemError("cannot be made", events->name);
    Message version;
    version.real(1, secondsNow());
    version.text(3, "brain.Event:2");
    DRAGOMAN_RETURN_IF_ERROR(events->write(version.bytes));
    return events;
  }
  return Status(StatusCode::InvalidData, "too many event files", base);
}

EventFile::~EventFile() {
  if (file)
    std::fclose(file);
}

Status EventFile::write(const std::string &record) {
  std::string length = rawBytes(static_cast<uint64_t>(record.size()));
  std::string bytes = length + rawBytes(maskedCrc32c(length)) + record +
                      rawBytes(maskedCrc32c(record));
  bool written =
      std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() &&
      std::fflush(file) == 0;
  return written ? Status::ok() : systemError("cannot be written", name);
}

Status EventFile::addScalars(
    int64_t step, const std::vector<std::pair<std::string, double>> &values) {
  Message summary;
  for (const auto &[tag, value] : values) {
    Message point;
    point.text(1, tag).real32(2, static_cast<float>(value));
    summary.message(1, point);
  }
  return write(event(step).message(5, summary).bytes);
}

Status EventFile::addText(int64_t step, const std::string &tag,
                          const std::string &text) {
  Message plugin, metadata, extent, shape, tensor, value, summary;
  plugin.text(1, "text");
  metadata.message(1, plugin);
  extent.number(1, 1);
  shape.message(2, extent);
  constexpr uint64_t stringType = 7;
  tensor.number(1, stringType).message(2, shape).text(8, text);
  value.text(1, tag).message(8, tensor).message(9, metadata);
  summary.message(1, value);
  return write(event(step).message(5, summary).bytes);
}
