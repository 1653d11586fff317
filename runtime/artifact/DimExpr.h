//===- DimExpr.h - Integer expressions in named dimensions ------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shapes, slot offsets, tile counts and the peak formula are all integer
// expressions in the named dimensions of an entry (B, S, T, R, Cap, ...). The
// compiler builds and simplifies them, writes their text into the artifact, and
// the runtime evaluates them once per run.
//
// Grammar of the text form (whitespace is free):
//   expr   := ['-'] term (('+' | '-') term)*
//   term   := factor ('*' factor)*
//   factor := INTEGER | NAME | '(' expr ')' | CALL '(' expr ',' expr ')'
//           | ('max' | 'min') '(' expr (',' expr)+ ')'
//   CALL   := 'ceildiv' | 'floordiv' | 'align'
//   NAME   := [A-Za-z_][A-Za-z0-9_.]*
// align(e, a) is ceildiv(e, a) * a.
//
// Canonical form: a sum of products of atoms with integer coefficients, atoms
// being names or calls that do not fold; so two equal polynomials have equal
// text, and `a == b` means provably equal. Dimensions are at least 0: max and
// min fold where that decides them, and divisions by constants where the
// quotient is exact.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_ARTIFACT_DIMEXPR_H
#define DRAGOMAN_RUNTIME_ARTIFACT_DIMEXPR_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// An immutable integer expression in named dimensions, in canonical form.
/// Values are mathematical integers; evaluation reports overflow of int64.
class DimExpr {
public:
  /// Zero.
  DimExpr() = default;
  /// The constant `value`.
  DimExpr(int64_t value);

  static DimExpr dim(std::string_view name);
  static DimExpr ceilDiv(const DimExpr &a, const DimExpr &b);
  static DimExpr floorDiv(const DimExpr &a, const DimExpr &b);
  static DimExpr max(const DimExpr &a, const DimExpr &b);
  static DimExpr min(const DimExpr &a, const DimExpr &b);
  static DimExpr alignTo(const DimExpr &a, int64_t alignment);

  /// Parses the text form; an error names the column and what was expected.
  static Result<DimExpr> parse(std::string_view text);

  DimExpr operator+(const DimExpr &other) const;
  DimExpr operator-(const DimExpr &other) const;
  DimExpr operator*(const DimExpr &other) const;
  DimExpr &operator+=(const DimExpr &other) { return *this = *this + other; }
  DimExpr &operator*=(const DimExpr &other) { return *this = *this * other; }

  /// Provable equality: same canonical form.
  bool operator==(const DimExpr &other) const;
  bool operator!=(const DimExpr &other) const { return !(*this == other); }
  /// A total order for containers; it says nothing about values.
  bool operator<(const DimExpr &other) const;

  /// True if the value is at least 0 for all dimensions >= 0 and this can be
  /// shown (bounds of max, min and divisions are used).
  bool provablyNonNegative() const;

  /// A bound of the value while `name` runs from 0 to `last`, without that name:
  /// the sum of the terms' maxima. Nothing where a term neither rises nor falls.
  std::optional<DimExpr> maximumOver(const std::string &name,
                                     const DimExpr &last) const;

  /// The value if the expression has no names, else nothing.
  std::optional<int64_t> constant() const;
  bool isConstant(int64_t value) const { return constant() == value; }

  /// The name if the expression is exactly one dimension, else empty.
  std::string dimName() const;

  /// The quotient if `divisor` (a nonzero monomial, e.g. 4 or 16*H) divides
  /// every term, else nothing.
  std::optional<DimExpr> exactDivide(const DimExpr &divisor) const;

  /// Replaces names; `lookup` returns nothing to keep a name.
  DimExpr substitute(
      const std::function<std::optional<DimExpr>(const std::string &)> &lookup)
      const;

  /// The names used, sorted, without repeats.
  std::vector<std::string> names() const;

  /// The canonical text, e.g. "4*B*S + max(S,16) + 7".
  std::string str() const;

  /// The value under `dims`; an unknown name, a division by zero or an int64
  /// overflow is an error that names the expression.
  Result<int64_t> evaluate(const std::map<std::string, int64_t> &dims) const;

  /// True if a coefficient left int64 or the expression grew beyond what the
  /// canonical form holds; such an expression only evaluates to an error.
  bool overflowed() const { return overflow; }

private:
  friend class DimProgram;
  struct Atom;
  /// A factor: a name, or a call that does not fold. Compared by text.
  struct AtomRef {
    std::shared_ptr<const Atom> atom;
    bool operator==(const AtomRef &other) const;
    bool operator<(const AtomRef &other) const;
  };
  enum class Call : uint8_t { None, CeilDiv, FloorDiv, Max, Min };
  using Monomial = std::vector<AtomRef>; // sorted

  /// How a value changes while one name grows.
  enum class Trend : uint8_t { Constant, Rises, Falls, Unknown };

  static Trend reversed(Trend trend);
  static Trend joined(Trend a, Trend b);
  static Trend trend(const Atom &atom, const std::string &name);
  static Trend trend(const Monomial &monomial, int64_t coefficient,
                     const std::string &name);
  Trend trend(const std::string &name) const;
  static DimExpr call(Call kind, const DimExpr &a, const DimExpr &b);
  static DimExpr divide(Call kind, const DimExpr &a, const DimExpr &b);
  static DimExpr extremum(Call kind, const DimExpr &a, const DimExpr &b);
  static DimExpr fromTerm(const Monomial &monomial, int64_t coefficient);
  static bool nonNegative(const Atom &atom, int &budget);
  void operands(Call kind, std::vector<DimExpr> &out) const;
  void addTerm(const Monomial &monomial, int64_t coefficient);
  bool nonNegative(int &budget) const;
  std::vector<DimExpr> lowerBounds(const Monomial &monomial,
                                   int64_t coefficient, int &budget) const;
  /// A name (kind None) or a call, if the expression is exactly that.
  const Atom *onlyAtom() const;

  std::map<Monomial, int64_t> terms; // no zero coefficients
  bool overflow = false;
};

/// A DimExpr compiled to postfix over dimension numbers: evaluation in a run
/// allocates nothing.
class DimProgram {
public:
  DimProgram() = default;
  /// `dimNames[i]` is dimension number i. Unknown names are an error, and so is
  /// an expression nested deeper than the evaluation stack.
  static Result<DimProgram> compile(const DimExpr &expr,
                                    const std::vector<std::string> &dimNames);
  /// `dims` has one value per dimension number. Overflow and division by zero
  /// give INT64_MAX (callers compare against limits, so it is always refused).
  int64_t evaluate(const int64_t *dims) const;
  /// Nothing on overflow or division by zero.
  std::optional<int64_t> evaluateChecked(const int64_t *dims) const;

private:
  static constexpr int stackSize = 64;
  struct Token {
    enum Kind : uint8_t { Const, Dim, Add, Mul, CeilDiv, FloorDiv, Max, Min };
    Kind kind;
    int64_t value;
  };
  Status emit(const DimExpr &expr, const std::vector<std::string> &dimNames,
              int depth);
  std::vector<Token> tokens;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_ARTIFACT_DIMEXPR_H
