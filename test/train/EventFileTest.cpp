//===- EventFileTest.cpp - TensorBoard event files ------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/EventFile.h"
#include "test/runtime/TestFiles.h"

#include <cstring>

using namespace dragoman;
using namespace dragoman::test;

TEST(EventFile, Checksum) {
  // The check value of CRC-32C, and 32 zero bytes (RFC 3720).
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(maskedCrc32c("123456789"),
            ((0xE3069283u >> 15) | (0xE3069283u << 17)) + 0xA282EAD8u);
}

/// The records of a file; every checksum must be right.
static std::vector<std::string> recordsOf(const std::string &bytes) {
  std::vector<std::string> records;
  size_t at = 0;
  auto word = [&](size_t place) {
    uint32_t value;
    std::memcpy(&value, bytes.data() + place, 4);
    return value;
  };
  while (at + 12 <= bytes.size()) {
    uint64_t length;
    std::memcpy(&length, bytes.data() + at, 8);
    EXPECT_EQ(word(at + 8), maskedCrc32c(bytes.substr(at, 8)));
    records.push_back(bytes.substr(at + 12, length));
    EXPECT_EQ(word(at + 12 + length), maskedCrc32c(records.back()));
    at += 16 + length;
  }
  EXPECT_EQ(at, bytes.size());
  return records;
}

TEST(EventFile, Records) {
  TemporaryFolder folder;
  auto events = EventFile::create(folder / "tb");
  ASSERT_TRUE(events.isOk()) << events.status().toString();
  ASSERT_TRUE((*events)->addScalars(300, {{"train/loss", 1.5}}).isOk());
  ASSERT_TRUE((*events)->addText(300, "config", "a: 1").isOk());
  std::vector<std::string> records = recordsOf(bytesOf((*events)->path()));
  ASSERT_EQ(records.size(), 3u);
  // Event: 1 wall time (double), 3 file version.
  EXPECT_EQ(records[0][0], 0x09);
  EXPECT_EQ(records[0].substr(9), std::string("\x1a\x0d") + "brain.Event:2");
  // 2 step = 300 (ac 02), 5 summary { 1 value { 1 tag, 2 simple_value } }.
  EXPECT_EQ(records[1].substr(9, 3), "\x10\xac\x02");
  EXPECT_EQ(records[1].substr(12),
            std::string("\x2a\x13\x0a\x11\x0a\x0atrain/loss\x15") +
                std::string("\0\0\xc0\x3f", 4));
  EXPECT_NE(records[2].find("config"), std::string::npos);
  // Two runs in one second do not share a file.
  auto second = EventFile::create(folder / "tb");
  EXPECT_NE((*second)->path(), (*events)->path());
}
