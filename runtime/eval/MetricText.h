//===- MetricText.h - Text as metrics see it --------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splitting and folding that sacreBLEU's users rely on, down to its quirks:
// scores must be equal to its.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_EVAL_METRICTEXT_H
#define DRAGOMAN_RUNTIME_EVAL_METRICTEXT_H

#include "runtime/base/Status.h"

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// Code points of a text; an invalid byte becomes U+FFFD.
std::u32string toCodePoints(std::string_view text);

/// What Python's str.split() splits at.
bool isUnicodeSpace(char32_t c);

/// Lower case, one code point for one, in no locale.
std::u32string toLower(std::u32string text);

/// The parts between spaces.
std::vector<std::u32string> splitAtSpaces(std::u32string_view text);

/// How a line becomes words.
enum class MetricTokens {
  Mteval13a, ///< "13a": the words of WMT's mteval-v13a
  None,      ///< "none": words between spaces
  Chinese,   ///< "zh": every Chinese character is a word, the rest as 13a
  Character, ///< "char": every character is a word
};

/// "13a", ...; and back.
const char *metricTokensName(MetricTokens tokens);
Result<MetricTokens> parseMetricTokens(std::string_view name);

/// The words of a line.
std::vector<std::u32string> metricWords(std::u32string_view line,
                                        MetricTokens tokens);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_EVAL_METRICTEXT_H
