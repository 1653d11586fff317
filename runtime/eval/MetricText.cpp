//===- MetricText.cpp - Text as metrics see it ----------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/eval/MetricText.h"

#include "runtime/base/Utf8.h"

#include <clocale>
#include <cwctype>

using namespace dragoman;

std::u32string dragoman::toCodePoints(std::string_view text) {
  std::u32string points;
  for (size_t at = 0; at < text.size();) {
    size_t length = utf8SequenceLength(text.substr(at));
    if (length == 0) {
      points += U'\uFFFD';
      ++at;
      continue;
    }
    char32_t point = static_cast<uint8_t>(text[at]);
    if (length > 1)
      point &= 0x7Fu >> length;
    for (size_t i = 1; i < length; ++i)
      point = point << 6 | (static_cast<uint8_t>(text[at + i]) & 0x3F);
    points += point;
    at += length;
  }
  return points;
}

bool dragoman::isUnicodeSpace(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 ||
         c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

std::u32string dragoman::toLower(std::u32string text) {
  // A table of characters, whatever the user's language.
  static const locale_t table = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  for (char32_t &c : text) {
    if (c >= U'A' && c <= U'Z')
      c += U'a' - U'A';
    else if (c >= 0x80 && table)
      c = static_cast<char32_t>(towlower_l(static_cast<wint_t>(c), table));
  }
  return text;
}

std::vector<std::u32string> dragoman::splitAtSpaces(std::u32string_view text) {
  std::vector<std::u32string> parts;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && !isUnicodeSpace(text[end]))
      ++end;
    if (end > at)
      parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

static constexpr std::pair<MetricTokens, const char *> tokenNames[] = {
    {MetricTokens::Mteval13a, "13a"},
    {MetricTokens::None, "none"},
    {MetricTokens::Chinese, "zh"},
    {MetricTokens::Character, "char"}};

const char *dragoman::metricTokensName(MetricTokens tokens) {
  for (const auto &[value, name] : tokenNames)
    if (value == tokens)
      return name;
  return "";
}

Result<MetricTokens> dragoman::parseMetricTokens(std::string_view text) {
  for (const auto &[value, name] : tokenNames)
    if (name == text)
      return value;
  return Status(StatusCode::InvalidArgument,
                "expected 13a, none, zh or char, found '" + std::string(text) +
                    "'");
}

namespace {

bool isDigit(char32_t c) { return c >= U'0' && c <= U'9'; }
bool isPoint(char32_t c) { return c == U'.' || c == U','; }

/// Punctuation that is a word wherever it stands.
bool isSeparateSign(char32_t c) {
  return (c >= U'{' && c <= U'~') || (c >= U'[' && c <= U'`') ||
         (c >= U' ' && c <= U'&') || (c >= U'(' && c <= U'+') ||
         (c >= U':' && c <= U'@') || c == U'/';
}

void replaceAll(std::u32string &text, std::u32string_view from,
                std::u32string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::u32string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
}

/// Goes over pairs of neighbours that `matches`, from the left and without
/// overlap, and replaces each by what `write` appends.
template <typename Matches, typename Write>
std::u32string replacePairs(const std::u32string &text, Matches matches,
                            Write write) {
  std::u32string result;
  size_t at = 0;
  while (at < text.size()) {
    if (at + 1 < text.size() && matches(text[at], text[at + 1])) {
      write(result, text[at], text[at + 1]);
      at += 2;
    } else {
      result += text[at++];
    }
  }
  return result;
}

/// The words of mteval: signs stand alone; points and commas do unless they
/// stand between digits; a dash behind a digit does.
std::vector<std::u32string> signWords(std::u32string_view line) {
  std::u32string text;
  for (char32_t c : line) {
    if (!isSeparateSign(c)) {
      text += c;
      continue;
    }
    text += U' ';
    text += c;
    text += U' ';
  }
  text = replacePairs(
      text, [](char32_t a, char32_t b) { return !isDigit(a) && isPoint(b); },
      [](std::u32string &out, char32_t a, char32_t b) {
        out.append({a, U' ', b, U' '});
      });
  text = replacePairs(
      text, [](char32_t a, char32_t b) { return isPoint(a) && !isDigit(b); },
      [](std::u32string &out, char32_t a, char32_t b) {
        out.append({U' ', a, U' ', b});
      });
  text = replacePairs(
      text, [](char32_t a, char32_t b) { return isDigit(a) && b == U'-'; },
      [](std::u32string &out, char32_t a, char32_t b) {
        out.append({a, U' ', b, U' '});
      });
  return splitAtSpaces(text);
}

std::vector<std::u32string> mtevalWords(std::u32string_view line) {
  std::u32string text(line);
  replaceAll(text, U"<skipped>", U"");
  replaceAll(text, U"-\n", U"");
  replaceAll(text, U"\n", U" ");
  replaceAll(text, U"&quot;", U"\"");
  replaceAll(text, U"&amp;", U"&");
  replaceAll(text, U"&lt;", U"<");
  replaceAll(text, U"&gt;", U">");
  return signWords(U" " + text + U" ");
}

/// What the tokenizer `zh` calls Chinese. The range from U+2001 on is much
/// wider than that: the reference's table meant five-digit code points there,
/// and scores are only comparable with its mistake.
bool isChinese(char32_t c) {
  static constexpr std::pair<char32_t, char32_t> ranges[] = {
      {0x2001, 0x2A6D}, {0x2E80, 0x2EFF}, {0x2F00, 0x2FDF}, {0x2FF0, 0x2FFF},
      {0x3000, 0x303F}, {0x3100, 0x312F}, {0x31A0, 0x31BF}, {0x31C0, 0x31EF},
      {0x3200, 0x33FF}, {0x3400, 0x4DB5}, {0x4E00, 0x9FBB}, {0xF900, 0xFA2D},
      {0xFA30, 0xFA6A}, {0xFA70, 0xFAD9}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F},
      {0xFF00, 0xFFEF}};
  for (const auto &[first, last] : ranges)
    if (c >= first && c <= last)
      return true;
  return false;
}

std::vector<std::u32string> chineseWords(std::u32string_view line) {
  while (!line.empty() && isUnicodeSpace(line.front()))
    line.remove_prefix(1);
  std::u32string text;
  for (char32_t c : line) {
    if (isChinese(c))
      text.append({U' ', c, U' '});
    else
      text += c;
  }
  return signWords(text);
}

} // namespace

std::vector<std::u32string> dragoman::metricWords(std::u32string_view line,
                                                  MetricTokens tokens) {
  while (!line.empty() && isUnicodeSpace(line.back()))
    line.remove_suffix(1);
  switch (tokens) {
  case MetricTokens::Mteval13a:
    return mtevalWords(line);
  case MetricTokens::Chinese:
    return chineseWords(line);
  case MetricTokens::None:
    return splitAtSpaces(line);
  case MetricTokens::Character:
    break;
  }
  std::vector<std::u32string> words;
  for (char32_t c : line)
    if (!isUnicodeSpace(c))
      words.emplace_back(1, c);
  return words;
}
