//===- DimExprParser.cpp - Text form of DimExpr -----------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/DimExpr.h"

#include <cctype>
#include <charconv>

using namespace dragoman;

namespace {

/// Recursive descent over the grammar in DimExpr.h. After the first error every
/// rule returns zero and keeps that error.
class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  Result<DimExpr> parse() {
    if (text.size() > maxLength)
      return Status(StatusCode::InvalidData,
                    "expression has " + std::to_string(text.size()) +
                        " characters, at most " + std::to_string(maxLength));
    DimExpr value = expr();
    skipSpace();
    if (failure.isOk() && at < text.size())
      fail("an operator or the end");
    if (failure.isOk() && value.overflowed())
      failure = Status(StatusCode::InvalidData,
                       "expression left the range of int64", place());
    if (!failure)
      return failure;
    return value;
  }

private:
  static constexpr size_t maxLength = 65536;
  static constexpr int maxDepth = 64;

  std::string place() const {
    return "'" + std::string(text.substr(0, 200)) + "'";
  }

  DimExpr fail(const std::string &expected) {
    if (failure.isOk())
      failure =
          Status(StatusCode::InvalidData,
                 "column " + std::to_string(at + 1) + ": expected " + expected +
                     ", found " +
                     (at < text.size() ? "'" + std::string(1, text[at]) + "'"
                                       : std::string("the end")),
                 place());
    at = text.size();
    return DimExpr();
  }

  void skipSpace() {
    while (at < text.size() && std::isspace(static_cast<uint8_t>(text[at])))
      ++at;
  }

  bool accept(char symbol) {
    skipSpace();
    if (at >= text.size() || text[at] != symbol)
      return false;
    ++at;
    return true;
  }

  void expect(char symbol) {
    if (failure.isOk() && !accept(symbol))
      fail(std::string("'") + symbol + "'");
  }

  DimExpr expr() {
    if (depth == maxDepth)
      return fail("at most " + std::to_string(maxDepth) + " nested levels");
    ++depth;
    DimExpr value = accept('-') ? term(-1) : term(1);
    while (failure.isOk() && !value.overflowed()) {
      if (accept('+'))
        value += term(1);
      else if (accept('-'))
        value += term(-1);
      else
        break;
    }
    --depth;
    return value;
  }

  /// A product, times `sign`.
  DimExpr term(int64_t sign) {
    DimExpr value = factor(sign);
    while (failure.isOk() && !value.overflowed() && accept('*'))
      value *= factor(1);
    return value;
  }

  DimExpr factor(int64_t sign) {
    skipSpace();
    if (at < text.size() && std::isdigit(static_cast<uint8_t>(text[at])))
      return integer(sign);
    if (accept('(')) {
      DimExpr value = expr();
      expect(')');
      return value * DimExpr(sign);
    }
    if (at < text.size() &&
        (std::isalpha(static_cast<uint8_t>(text[at])) || text[at] == '_'))
      return nameOrCall() * DimExpr(sign);
    return fail("a number, a name or '('");
  }

  DimExpr integer(int64_t sign) {
    uint64_t magnitude = 0;
    const char *end = text.data() + text.size();
    auto [stop, error] = std::from_chars(text.data() + at, end, magnitude);
    uint64_t limit = static_cast<uint64_t>(INT64_MAX) + (sign < 0);
    if (error != std::errc() || magnitude > limit)
      return fail("a number that fits int64");
    at = stop - text.data();
    return DimExpr(static_cast<int64_t>(sign < 0 ? 0 - magnitude : magnitude));
  }

  DimExpr nameOrCall() {
    size_t start = at;
    auto isNameChar = [](char c) {
      return std::isalnum(static_cast<uint8_t>(c)) || c == '_' || c == '.';
    };
    while (at < text.size() && isNameChar(text[at]))
      ++at;
    std::string_view name = text.substr(start, at - start);
    if (!accept('('))
      return DimExpr::dim(name);
    bool isAlign = name == "align";
    if (!isAlign && name != "ceildiv" && name != "floordiv" && name != "max" &&
        name != "min") {
      at = start;
      return fail("ceildiv, floordiv, max, min or align");
    }
    DimExpr a = expr();
    expect(',');
    DimExpr b = expr();
    bool isMax = name == "max", isMin = name == "min";
    for (int i = 0; (isMax || isMin) && failure.isOk() && accept(','); ++i) {
      if (i == maxDepth * 4)
        return fail("fewer operands");
      a = isMax ? DimExpr::max(a, b) : DimExpr::min(a, b);
      b = expr();
    }
    expect(')');
    if (!failure)
      return DimExpr();
    if (isMax || isMin)
      return isMax ? DimExpr::max(a, b) : DimExpr::min(a, b);
    if (name == "floordiv")
      return DimExpr::floorDiv(a, b);
    return isAlign ? DimExpr::ceilDiv(a, b) * b : DimExpr::ceilDiv(a, b);
  }

  std::string_view text;
  size_t at = 0;
  int depth = 0;
  Status failure;
};

} // namespace

Result<DimExpr> DimExpr::parse(std::string_view text) {
  return Parser(text).parse();
}
