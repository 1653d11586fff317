//===- PrecompiledMap.cpp - Checks of normalisation maps ------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The map is: u32 bytes of the trie; the trie, an array of 32-bit units; the
// normalised texts, each ended by a NUL. A lookup starts at unit 0 with base
// b = 0 ^ offset(unit 0); a byte c leads to unit b ^ c, if the label of that
// unit is c, and from there to its base (b ^ c) ^ offset. If the unit says that
// a key ends there, the unit at its base holds the value.
//
//===----------------------------------------------------------------------===//

#include "runtime/text/SentencePieceFile.h"

#include "runtime/base/Utf8.h"

#include <algorithm>
#include <cstring>

namespace dragoman {

namespace {

constexpr size_t sizeBytes = 4;
constexpr size_t unitBytes = 4;
/// What the library's buffer for matches holds.
constexpr uint32_t maxMatches = 32;

constexpr uint32_t leafBit = 1u << 31; ///< the unit is a value, not a step

uint32_t labelOf(uint32_t unit) { return unit & 0xFF; }
bool hasValue(uint32_t unit) { return (unit >> 8) & 1; }
uint32_t valueOf(uint32_t unit) { return unit & ~leafBit; }
uint32_t offsetOf(uint32_t unit) {
  return (unit >> 10) << ((unit & (1u << 9)) >> 6);
}

Status damaged(const std::string &expected, const std::string &found) {
  return Status(StatusCode::InvalidData,
                "normalisation map: expected " + expected + ", found " + found);
}

/// Visits every base that a lookup can reach and counts matches on the way.
class TrieWalk {
public:
  TrieWalk(std::vector<uint32_t> trieUnits, std::string_view texts)
      : units(std::move(trieUnits)), texts(texts), matches(units.size()),
        color(units.size(), Color::New) {
    groupByBase();
  }

  Status run() {
    const uint32_t root = offsetOf(units[0]);
    DRAGOMAN_RETURN_IF_ERROR(checkBase(root));
    std::vector<Frame> stack = {{root, firstChild[root]}};
    color[root] = Color::Open;
    while (!stack.empty()) {
      Frame &frame = stack.back();
      if (frame.next == firstChild[frame.base + 1]) {
        color[frame.base] = Color::Done;
        stack.pop_back();
        continue;
      }
      const uint32_t child = children[frame.next];
      const uint32_t base = child ^ offsetOf(units[child]);
      if (color.size() > base && color[base] == Color::Open)
        return damaged("a trie", "a cycle at unit " + std::to_string(child));
      if (base >= color.size() || color[base] == Color::New) {
        DRAGOMAN_RETURN_IF_ERROR(checkBase(base));
        DRAGOMAN_RETURN_IF_ERROR(checkValue(child, base));
        color[base] = Color::Open;
        stack.push_back({base, firstChild[base]}); // invalidates `frame`
        continue;
      }
      DRAGOMAN_RETURN_IF_ERROR(checkValue(child, base));
      const uint32_t found = matches[base] + (hasValue(units[child]) ? 1 : 0);
      matches[frame.base] = std::max(matches[frame.base], found);
      if (found >= maxMatches)
        return damaged("fewer than " + std::to_string(maxMatches) +
                           " matching prefixes",
                       "more");
      ++frame.next;
    }
    return Status::ok();
  }

private:
  enum class Color : uint8_t { New, Open, Done };
  struct Frame {
    uint32_t base;
    uint32_t next; ///< position in `children`
  };

  /// children[firstChild[b] .. firstChild[b + 1]) are the units reached from
  /// base b. A unit with label c belongs to base index ^ c.
  void groupByBase() {
    firstChild.assign(units.size() + 1, 0);
    const auto baseOf = [this](uint32_t unit) {
      return unit ^ labelOf(units[unit]);
    };
    const auto isChild = [&](uint32_t unit) {
      return unit != 0 && !(units[unit] & leafBit) &&
             baseOf(unit) < units.size();
    };
    const auto count = static_cast<uint32_t>(units.size());
    for (uint32_t unit = 0; unit < count; ++unit)
      if (isChild(unit))
        ++firstChild[baseOf(unit) + 1];
    for (uint32_t base = 0; base < count; ++base)
      firstChild[base + 1] += firstChild[base];
    children.resize(firstChild[count]);
    std::vector<uint32_t> next(firstChild.begin(), firstChild.end() - 1);
    for (uint32_t unit = 0; unit < count; ++unit)
      if (isChild(unit))
        children[next[baseOf(unit)]++] = unit;
  }

  /// Any byte added to the base must stay inside the array.
  Status checkBase(uint32_t base) const {
    if ((base | 0xFF) < units.size())
      return Status::ok();
    return damaged("steps inside " + std::to_string(units.size()) + " units",
                   "a step to unit " + std::to_string(base | 0xFF));
  }

  Status checkValue(uint32_t unit, uint32_t base) const {
    if (!hasValue(units[unit]))
      return Status::ok();
    const uint32_t value = valueOf(units[base]);
    if (value < texts.size())
      return Status::ok();
    return damaged("values below " + std::to_string(texts.size()),
                   std::to_string(value));
  }

  std::vector<uint32_t> units;
  std::string_view texts;
  std::vector<uint32_t> firstChild;
  std::vector<uint32_t> children;
  std::vector<uint32_t> matches; ///< most matches below a base
  std::vector<Color> color;      ///< of a base
};

} // namespace

Status checkPrecompiledMap(std::string_view map) {
  if (map.empty())
    return Status::ok();
  if (map.size() < sizeBytes)
    return damaged("a size of 4 bytes", std::to_string(map.size()));
  uint32_t trieBytes;
  std::memcpy(&trieBytes, map.data(), sizeBytes);
  map.remove_prefix(sizeBytes);
  if (trieBytes == 0 || trieBytes % unitBytes != 0 || trieBytes >= map.size())
    return damaged("a trie of whole units before the texts in " +
                       std::to_string(map.size()) + " bytes",
                   "a trie of " + std::to_string(trieBytes) + " bytes");
  const std::string_view texts = map.substr(trieBytes);
  if (texts.back() != '\0' || !isValidUtf8(texts))
    return damaged("UTF-8 texts ended by NUL", "other bytes");
  std::vector<uint32_t> units(trieBytes / unitBytes);
  std::memcpy(units.data(), map.data(), trieBytes);
  return TrieWalk(std::move(units), texts).run();
}

} // namespace dragoman
