//===- Utf8Test.cpp - UTF-8 scan and repair -------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Utf8.h"

#include <gtest/gtest.h>

using namespace dragoman;

namespace {

/// "?" stands for U+FFFD in the expectations.
std::string repaired(std::string text, int64_t expectedCount) {
  EXPECT_EQ(repairUtf8(text), expectedCount);
  std::string shown;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 3, "\xEF\xBF\xBD") != 0) {
      shown += text[i];
      continue;
    }
    shown += '?';
    i += 2;
  }
  return shown;
}

TEST(Utf8, ValidTextIsLeftAlone) {
  const std::string text = "a\u00E4\u20AC\U0001F600\uD7FF\uE000\U0010FFFF";
  EXPECT_EQ(repaired(text, 0), text);
  EXPECT_TRUE(isValidUtf8(std::string(1, '\0')));
  EXPECT_TRUE(isValidUtf8(""));
}

TEST(Utf8, EachInvalidByteBecomesOneReplacement) {
  EXPECT_EQ(repaired("a\x80z", 1), "a?z");
  EXPECT_EQ(repaired("\xC0\xAF", 2), "??") << "overlong, two bytes";
  EXPECT_EQ(repaired("\xC1\xBF", 2), "??") << "overlong, two bytes";
  EXPECT_EQ(repaired("\xE0\x9F\xBF", 3), "???") << "overlong, three bytes";
  EXPECT_EQ(repaired("\xF0\x8F\xBF\xBF", 4), "????") << "overlong, four bytes";
  EXPECT_EQ(repaired("\xED\xA0\x80", 3), "???") << "surrogate";
  EXPECT_EQ(repaired("\xED\xBF\xBF", 3), "???") << "surrogate";
  EXPECT_EQ(repaired("\xF4\x90\x80\x80", 4), "????") << "above U+10FFFF";
  EXPECT_EQ(repaired("\xF5z", 1), "?z");
  EXPECT_EQ(repaired("\xFF\xFE", 2), "??");
}

TEST(Utf8, CutSequencesAreRepairedByteByByte) {
  EXPECT_EQ(repaired("a\xF0\x9F\x98", 3), "a???") << "cut at the end";
  EXPECT_EQ(repaired("\xE2\x82z", 2), "??z") << "cut by another character";
  EXPECT_EQ(repaired("\xC3", 1), "?");
  // The cut sequence does not swallow the whole one behind it.
  EXPECT_EQ(repaired("\xE2\x82\xC3\xA4", 2), "??\xC3\xA4");
}

TEST(Utf8, PrefixIsFoundBehindAsciiOfAnyLength) {
  for (size_t length = 0; length < 40; ++length) {
    const std::string text = std::string(length, 'x') + "\x80";
    EXPECT_EQ(validUtf8Prefix(text), length);
    EXPECT_EQ(validUtf8Prefix(text + "yyyyyyyyyy"), length);
  }
}

} // namespace
