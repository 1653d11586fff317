//===- Utf8.cpp - UTF-8 scan and repair -----------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Utf8.h"

#include <cstring>

namespace dragoman {

namespace {

/// What a first byte demands: the sequence's length and the range of its second
/// byte, which is what excludes overlong forms and surrogates.
struct LeadRule {
  size_t length;
  uint8_t secondLow;
  uint8_t secondHigh;
};

LeadRule leadRule(uint8_t lead) {
  if (lead >= 0xC2 && lead <= 0xDF)
    return {2, 0x80, 0xBF};
  if (lead == 0xE0)
    return {3, 0xA0, 0xBF};
  if (lead == 0xED)
    return {3, 0x80, 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF)
    return {3, 0x80, 0xBF};
  if (lead == 0xF0)
    return {4, 0x90, 0xBF};
  if (lead >= 0xF1 && lead <= 0xF3)
    return {4, 0x80, 0xBF};
  if (lead == 0xF4)
    return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

} // namespace

size_t utf8SequenceLength(std::string_view text) {
  const uint8_t lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80)
    return 1;
  const LeadRule rule = leadRule(lead);
  if (rule.length == 0 || text.size() < rule.length)
    return 0;
  const uint8_t second = static_cast<uint8_t>(text[1]);
  if (second < rule.secondLow || second > rule.secondHigh)
    return 0;
  for (size_t i = 2; i < rule.length; ++i)
    if ((static_cast<uint8_t>(text[i]) & 0xC0) != 0x80)
      return 0;
  return rule.length;
}

size_t validUtf8Prefix(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    // ASCII, eight bytes at a time.
    uint64_t word;
    if (text.size() - at >= sizeof(word)) {
      std::memcpy(&word, text.data() + at, sizeof(word));
      if ((word & 0x8080808080808080u) == 0) {
        at += sizeof(word);
        continue;
      }
    }
    const size_t length = utf8SequenceLength(text.substr(at));
    if (length == 0)
      return at;
    at += length;
  }
  return at;
}

int64_t repairUtf8(std::string &text) {
  size_t valid = validUtf8Prefix(text);
  if (valid == text.size())
    return 0;
  int64_t repaired = 0;
  std::string result;
  std::string_view rest = text;
  while (true) {
    result.append(rest.substr(0, valid));
    rest.remove_prefix(valid);
    if (rest.empty())
      break;
    result.append("\xEF\xBF\xBD");
    rest.remove_prefix(1);
    ++repaired;
    valid = validUtf8Prefix(rest);
  }
  text = std::move(result);
  return repaired;
}

} // namespace dragoman
