//===- ZipTest.cpp - Stored-only zip files --------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/Zip.h"
#include "runtime/artifact/ZipFormat.h"
#include "test/runtime/TestFiles.h"

#include <gmock/gmock.h>

#include <random>

using namespace dragoman;
using namespace dragoman::test;
using testing::HasSubstr;

namespace {

struct Part {
  std::string name;
  std::string bytes;
  uint32_t alignment = 1;
};

/// The bytes of a zip file with these members.
std::string makeZip(const std::vector<Part> &parts,
                    uint64_t wideFrom = 0xFFFFFFFF) {
  TemporaryFolder folder;
  Result<std::unique_ptr<AtomicFile>> file = AtomicFile::create(folder / "z");
  EXPECT_TRUE(file.isOk());
  ZipWriter zip(**file, wideFrom);
  for (const Part &part : parts) {
    EXPECT_TRUE(zip.begin(part.name, part.bytes.size(), part.alignment).isOk());
    EXPECT_TRUE(zip.append(part.bytes).isOk());
    EXPECT_TRUE(zip.end().isOk());
  }
  EXPECT_TRUE(zip.finish().isOk());
  EXPECT_TRUE((*file)->commit().isOk());
  return bytesOf(folder / "z");
}

const std::vector<Part> threeParts = {
    {"a.txt", "hello"}, {"b/c.bin", std::string(1000, 'x'), 64}, {"d", ""}};

/// Replaces the integer at `offset`.
template <typename T> void put(std::string &bytes, size_t offset, T value) {
  std::string text;
  zip::store<T>(text, value);
  bytes.replace(offset, text.size(), text);
}

size_t centralOf(const std::string &bytes, const std::string &name) {
  return bytes.rfind(name) - zip::centralBytes;
}
size_t localOf(const std::string &bytes, const std::string &name) {
  return bytes.find(name) - zip::localBytes;
}
size_t endOf(const std::string &bytes) { return bytes.size() - zip::endBytes; }

std::string refusal(const std::string &bytes) {
  Result<std::vector<ZipMember>> members = readZip(bytes);
  return members.isOk() ? "accepted" : members.status().toString();
}

TEST(Zip, RoundTrip) {
  for (uint64_t wideFrom : {uint64_t(0xFFFFFFFF), uint64_t(500), uint64_t(1)}) {
    const std::string bytes = makeZip(threeParts, wideFrom);
    Result<std::vector<ZipMember>> members = readZip(bytes);
    ASSERT_TRUE(members.isOk()) << members.status().toString();
    ASSERT_EQ(members->size(), threeParts.size());
    for (size_t i = 0; i < members->size(); ++i) {
      const ZipMember &member = (*members)[i];
      EXPECT_EQ(member.name, threeParts[i].name);
      EXPECT_EQ(bytes.substr(member.offset, member.bytes), threeParts[i].bytes);
      EXPECT_EQ(member.offset % threeParts[i].alignment, 0u);
      EXPECT_EQ(member.crc, crc32Of(threeParts[i].bytes));
    }
  }
}

TEST(Zip, OtherToolsReadIt) {
  if (std::system("command -v unzip >/dev/null") != 0)
    GTEST_SKIP() << "unzip is not installed";
  TemporaryFolder folder;
  for (uint64_t wideFrom : {uint64_t(0xFFFFFFFF), uint64_t(1)}) {
    writeBytes(folder / "z.zip", makeZip(threeParts, wideFrom));
    const std::string command = "cd '" + folder.path +
                                "' && unzip -tq z.zip >/dev/null && "
                                "unzip -l z.zip > list";
    ASSERT_EQ(std::system(command.c_str()), 0);
    for (const Part &part : threeParts)
      EXPECT_THAT(bytesOf(folder / "list"), HasSubstr(part.name));
  }
}

TEST(Zip, EveryAlignmentHolds) {
  for (uint32_t alignment : {1u, 2u, 64u, 4096u, 32768u})
    for (size_t before = 0; before < 70; before += 9) {
      const std::string bytes =
          makeZip({{"p", std::string(before, 'p')}, {"q", "data", alignment}});
      Result<std::vector<ZipMember>> members = readZip(bytes);
      ASSERT_TRUE(members.isOk()) << members.status().toString();
      EXPECT_EQ((*members)[1].offset % alignment, 0u);
    }
}

TEST(Zip, MemberNames) {
  for (const char *good : {"a", "a/b.c", "..a/b..", "\u00E4"})
    EXPECT_TRUE(isSafeMemberName(good)) << good;
  for (const char *bad : {"", "/etc/passwd", "..", "../a", "a/../b", "a/..",
                          "./a", "a//b", "a/", "a\\b", "C:a", "a\nb", "\x80"})
    EXPECT_FALSE(isSafeMemberName(bad)) << bad;
  EXPECT_FALSE(isSafeMemberName(std::string("a\0b", 3)));
  EXPECT_FALSE(isSafeMemberName(std::string(2000, 'a')));
}

TEST(Zip, RefusesUnsafeAndRepeatedNames) {
  std::string bytes = makeZip({{"aa/bbb", "x"}, {"cc/ddd", "y"}});
  std::string unsafe = bytes;
  for (size_t at; (at = unsafe.find("aa/bbb")) != std::string::npos;)
    unsafe.replace(at, 6, "../../");
  EXPECT_EQ(refusal(unsafe),
            "expected a relative path without '..', found '../../'");
  std::string repeated = bytes;
  for (size_t at; (at = repeated.find("cc/ddd")) != std::string::npos;)
    repeated.replace(at, 6, "aa/bbb");
  EXPECT_EQ(refusal(repeated),
            "expected each member once, found 'aa/bbb' again");
}

TEST(Zip, RefusesCompressedAndEncryptedMembers) {
  std::string bytes = makeZip(threeParts);
  put<uint16_t>(bytes, centralOf(bytes, "b/c.bin") + 10, 8);
  EXPECT_EQ(refusal(bytes), "member 'b/c.bin': expected a stored member, found "
                            "compression method 8");
  bytes = makeZip(threeParts);
  put<uint16_t>(bytes, centralOf(bytes, "b/c.bin") + 8, 1);
  EXPECT_EQ(refusal(bytes), "member 'b/c.bin': expected a plain member, found "
                            "an encrypted one");
  bytes = makeZip(threeParts);
  put<uint16_t>(bytes, localOf(bytes, "b/c.bin") + 8, 8);
  EXPECT_EQ(refusal(bytes), "member 'b/c.bin': expected a stored member, found "
                            "compression method 8");
}

TEST(Zip, RefusesOverlaps) {
  std::string bytes = makeZip({{"aa", "0123456789"}, {"bb", "x"}, {"cc", "y"}});
  // The first member claims the bytes of the second.
  const uint32_t wide = 60;
  put<uint32_t>(bytes, centralOf(bytes, "aa") + 20, wide);
  put<uint32_t>(bytes, centralOf(bytes, "aa") + 24, wide);
  EXPECT_EQ(refusal(bytes),
            "expected members apart, found 'bb' at byte 42 inside 'aa', which "
            "ends at byte 92");
  // Two records for one header.
  bytes = makeZip({{"aa", "same"}, {"aa", "same"}});
  put<uint32_t>(bytes, centralOf(bytes, "aa") + 42, 0);
  EXPECT_THAT(refusal(bytes), HasSubstr("expected members apart"));
}

TEST(Zip, RefusesSizesAndOffsetsBeyondTheFile) {
  std::string bytes = makeZip(threeParts);
  put<uint32_t>(bytes, centralOf(bytes, "a.txt") + 20, 100000);
  put<uint32_t>(bytes, centralOf(bytes, "a.txt") + 24, 100000);
  EXPECT_THAT(refusal(bytes), HasSubstr("member 'a.txt': expected 100000 "
                                        "bytes from byte 35 on"));
  bytes = makeZip(threeParts);
  put<uint32_t>(bytes, centralOf(bytes, "a.txt") + 42, 0xFFFFFFF0);
  EXPECT_EQ(refusal(bytes), "member 'a.txt': expected a local header at byte "
                            "4294967280, found none");
  bytes = makeZip(threeParts);
  put<uint32_t>(bytes, centralOf(bytes, "a.txt") + 24, 4);
  EXPECT_EQ(refusal(bytes), "member 'a.txt': expected equal sizes of a stored "
                            "member, found 5 and 4");
  bytes = makeZip(threeParts);
  put<uint32_t>(bytes, endOf(bytes) + 16, 0x7FFFFFFF);
  EXPECT_THAT(refusal(bytes), HasSubstr("expected the directory to end"));
  bytes = makeZip(threeParts);
  put<uint16_t>(bytes, endOf(bytes) + 8, 2);
  put<uint16_t>(bytes, endOf(bytes) + 10, 2);
  EXPECT_THAT(refusal(bytes), HasSubstr("expected 2 members in the zip "
                                        "directory, found"));
  put<uint16_t>(bytes, endOf(bytes) + 8, 4);
  put<uint16_t>(bytes, endOf(bytes) + 10, 4);
  EXPECT_THAT(refusal(bytes),
              HasSubstr("expected a member in the zip directory"));
}

TEST(Zip, RefusesLocalHeadersThatDisagree) {
  std::string bytes = makeZip(threeParts);
  bytes[localOf(bytes, "a.txt") + zip::localBytes] = 'z';
  EXPECT_EQ(refusal(bytes), "member 'a.txt': expected the same name in the "
                            "local header, found 'z.txt'");
}

TEST(Zip, RefusesLiesOf64BitRecords) {
  // A 64-bit field although the header's own field is in use.
  std::string bytes = makeZip(threeParts, 500);
  const size_t central = centralOf(bytes, "b/c.bin");
  std::string lie = bytes;
  put<uint32_t>(lie, central + 24, 1000);
  EXPECT_THAT(refusal(lie), HasSubstr("expected 64-bit fields only where"));
  // A size beyond everything.
  lie = bytes;
  const size_t extra = central + zip::centralBytes + 7 + 4;
  put<uint64_t>(lie, extra, ~uint64_t(0) - 10);
  put<uint64_t>(lie, extra + 8, ~uint64_t(0) - 10);
  EXPECT_THAT(refusal(lie), HasSubstr("found the directory at byte"));
  // The header leaves a size open and no field fills it.
  lie = makeZip(threeParts);
  put<uint32_t>(lie, centralOf(lie, "a.txt") + 24, 0xFFFFFFFF);
  EXPECT_THAT(refusal(lie), HasSubstr("expected a 64-bit extra field"));
  // The locator points elsewhere.
  bytes = makeZip(threeParts, 1);
  const size_t locator = endOf(bytes) - zip::wideLocatorBytes;
  lie = bytes;
  put<uint64_t>(lie, locator + 8, 0);
  EXPECT_THAT(refusal(lie), HasSubstr("expected the 64-bit end record at"));
  // Both end records are filled, with different values.
  lie = bytes;
  put<uint16_t>(lie, endOf(lie) + 8, 2);
  put<uint16_t>(lie, endOf(lie) + 10, 2);
  EXPECT_THAT(refusal(lie), HasSubstr("found a contradiction"));
  // The 64-bit directory offset is not where the directory is.
  lie = bytes;
  put<uint64_t>(lie, locator - zip::wideEndBytes + 48, uint64_t(1) << 62);
  EXPECT_THAT(refusal(lie), HasSubstr("expected the directory to end"));
}

TEST(Zip, RefusesWhatIsNoZip) {
  EXPECT_EQ(refusal(""),
            "expected a zip file of at least 22 bytes, found 0 bytes");
  EXPECT_THAT(refusal(std::string(100, 'x')),
              HasSubstr("expected a zip directory at the end of the file"));
}

TEST(Zip, AnyCutIsRefused) {
  for (uint64_t wideFrom : {uint64_t(0xFFFFFFFF), uint64_t(1)}) {
    const std::string bytes = makeZip(threeParts, wideFrom);
    for (size_t length = 0; length < bytes.size(); ++length)
      EXPECT_FALSE(readZip(std::string_view(bytes).substr(0, length)).isOk())
          << "cut to " << length;
  }
}

TEST(Zip, AnyDamageIsSurvived) {
  const unsigned seed = 20161;
  std::mt19937 random(seed);
  for (uint64_t wideFrom : {uint64_t(0xFFFFFFFF), uint64_t(1)}) {
    const std::string bytes = makeZip(threeParts, wideFrom);
    for (int run = 0; run < 8000; ++run) {
      std::string damaged = bytes;
      const int changes = 1 + static_cast<int>(random() % 3);
      for (int i = 0; i < changes; ++i)
        damaged[random() % damaged.size()] = static_cast<char>(random());
      Result<std::vector<ZipMember>> members = readZip(damaged);
      if (!members)
        continue;
      for (const ZipMember &member : *members) {
        ASSERT_LE(member.offset, damaged.size()) << "seed " << seed;
        ASSERT_LE(member.bytes, damaged.size() - member.offset);
      }
    }
  }
}

} // namespace
