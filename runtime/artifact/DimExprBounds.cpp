//===- DimExprBounds.cpp - Signs and maxima of dimension expressions ----===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/DimExprAtom.h"

#include <algorithm>

using namespace dragoman;

// Steps that a proof of non-negativity may take.
static constexpr int proofBudget = 256;

//===----------------------------------------------------------------------===//
// Proofs of sign
//===----------------------------------------------------------------------===//

/// A sum of many calls, such as the size of an arena less that of one buffer,
/// would use up the budget on calls that do not matter: so each non-negative
/// call is also tried without the others.
bool DimExpr::provablyNonNegative() const {
  int budget = proofBudget;
  if (nonNegative(budget))
    return true;
  std::vector<DimExpr> calls;
  DimExpr rest = *this;
  for (const auto &[monomial, coefficient] : terms) {
    DimExpr term = fromTerm(monomial, coefficient);
    bool hasCall =
        std::any_of(monomial.begin(), monomial.end(), [](const AtomRef &f) {
          return f.atom->kind != Call::None;
        });
    budget = proofBudget;
    if (!hasCall || coefficient < 0 || !term.nonNegative(budget))
      continue;
    calls.push_back(term);
    rest = rest - term;
  }
  return calls.size() > 1 &&
         std::any_of(calls.begin(), calls.end(), [&](const DimExpr &call) {
           budget = proofBudget;
           return (rest + call).nonNegative(budget);
         });
}

bool DimExpr::nonNegative(const Atom &atom, int &budget) {
  switch (atom.kind) {
  case Call::None:
    return true;
  case Call::CeilDiv:
  case Call::FloorDiv:
    return atom.a.nonNegative(budget) && atom.b.nonNegative(budget);
  case Call::Max:
    return atom.a.nonNegative(budget) || atom.b.nonNegative(budget);
  case Call::Min:
    return atom.a.nonNegative(budget) && atom.b.nonNegative(budget);
  }
  return false;
}

/// Expressions that are at most a positive multiple of this one and hold one
/// call fewer: a call in the term `coefficient * monomial` is replaced by a
/// bound of it. Other factors of the term must be non-negative.
std::vector<DimExpr> DimExpr::lowerBounds(const Monomial &monomial,
                                          int64_t coefficient,
                                          int &budget) const {
  std::vector<DimExpr> bounds;
  for (size_t i = 0; i < monomial.size(); ++i) {
    const Atom &atom = *monomial[i].atom;
    if (atom.kind == Call::None)
      continue;
    Monomial others = monomial;
    others.erase(others.begin() + i);
    if (!fromTerm(others, 1).nonNegative(budget))
      continue;
    DimExpr factor = fromTerm(others, coefficient);
    DimExpr rest = *this - fromTerm(monomial, coefficient);
    bool wantsLower = coefficient > 0;
    if (atom.kind == (wantsLower ? Call::Max : Call::Min)) {
      std::vector<DimExpr> operands;
      fromTerm({monomial[i]}, 1).operands(atom.kind, operands);
      for (const DimExpr &operand : operands)
        bounds.push_back(rest + factor * operand);
      continue;
    }
    // a <= c*ceildiv(a,c) <= a + c-1 and a - (c-1) <= c*floordiv(a,c) <= a.
    std::optional<int64_t> divisor = atom.b.constant();
    bool isDivision = atom.kind == Call::CeilDiv || atom.kind == Call::FloorDiv;
    if (!isDivision || !divisor || *divisor <= 0)
      continue;
    DimExpr quotient = atom.a;
    if (atom.kind == Call::CeilDiv && !wantsLower)
      quotient += DimExpr(*divisor - 1);
    if (atom.kind == Call::FloorDiv && wantsLower)
      quotient += DimExpr(1 - *divisor);
    bounds.push_back(rest * DimExpr(*divisor) + factor * quotient);
  }
  return bounds;
}

bool DimExpr::nonNegative(int &budget) const {
  if (overflow || --budget < 0)
    return false;
  // 1. Non-negative coefficients on non-negative factors.
  auto isObvious = [&](const DimExpr &expr) {
    return std::all_of(
        expr.terms.begin(), expr.terms.end(), [&](const auto &term) {
          return term.second >= 0 &&
                 std::all_of(term.first.begin(), term.first.end(),
                             [&](const AtomRef &factor) {
                               return nonNegative(*factor.atom, budget);
                             });
        });
  };
  if (isObvious(*this))
    return true;
  // 2. A smaller expression that is non-negative: those that are obvious before
  // any is looked into, since the budget is small.
  std::vector<DimExpr> bounds;
  for (const auto &[monomial, coefficient] : terms)
    for (DimExpr &bound : lowerBounds(monomial, coefficient, budget))
      bounds.push_back(std::move(bound));
  auto isSound = [](const DimExpr &bound) { return !bound.overflow; };
  return std::any_of(bounds.begin(), bounds.end(),
                     [&](const DimExpr &bound) {
                       return isSound(bound) && isObvious(bound);
                     }) ||
         std::any_of(bounds.begin(), bounds.end(), [&](const DimExpr &bound) {
           return bound.nonNegative(budget);
         });
}

//===----------------------------------------------------------------------===//
// Maxima
//===----------------------------------------------------------------------===//

static bool holds(const DimExpr &expr, const std::string &name) {
  std::vector<std::string> names = expr.names();
  return std::binary_search(names.begin(), names.end(), name);
}

DimExpr::Trend DimExpr::reversed(Trend trend) {
  if (trend == Trend::Rises)
    return Trend::Falls;
  return trend == Trend::Falls ? Trend::Rises : trend;
}

DimExpr::Trend DimExpr::joined(Trend a, Trend b) {
  if (a == Trend::Constant || a == b)
    return b;
  return b == Trend::Constant ? a : Trend::Unknown;
}

DimExpr::Trend DimExpr::trend(const Atom &atom, const std::string &name) {
  if (atom.kind == Call::None)
    return atom.text == name ? Trend::Rises : Trend::Constant;
  if (atom.kind == Call::Max || atom.kind == Call::Min)
    return joined(atom.a.trend(name), atom.b.trend(name));
  std::optional<int64_t> divisor = atom.b.constant();
  if (divisor && *divisor > 0)
    return atom.a.trend(name);
  return holds(atom.a, name) || holds(atom.b, name) ? Trend::Unknown
                                                    : Trend::Constant;
}

DimExpr::Trend DimExpr::trend(const Monomial &monomial, int64_t coefficient,
                              const std::string &name) {
  Trend found = Trend::Constant;
  Monomial others;
  for (const AtomRef &factor : monomial) {
    Trend own = trend(*factor.atom, name);
    if (own == Trend::Constant) {
      others.push_back(factor);
      continue;
    }
    if (found != Trend::Constant)
      return Trend::Unknown;
    found = own;
  }
  if (found == Trend::Constant)
    return found;
  if (!fromTerm(others, 1).provablyNonNegative())
    return Trend::Unknown;
  return coefficient < 0 ? reversed(found) : found;
}

DimExpr::Trend DimExpr::trend(const std::string &name) const {
  Trend found = Trend::Constant;
  for (const auto &[monomial, coefficient] : terms)
    found = joined(found, trend(monomial, coefficient, name));
  return found;
}

std::optional<DimExpr> DimExpr::maximumOver(const std::string &name,
                                            const DimExpr &last) const {
  if (overflow)
    return std::nullopt;
  DimExpr sum;
  for (const auto &[monomial, coefficient] : terms) {
    DimExpr term = fromTerm(monomial, coefficient);
    Trend own = trend(monomial, coefficient, name);
    if (own == Trend::Unknown)
      return std::nullopt;
    if (own != Trend::Constant)
      term = term.substitute(
          [&](const std::string &other) -> std::optional<DimExpr> {
            if (other != name)
              return std::nullopt;
            return own == Trend::Rises ? last : DimExpr(0);
          });
    sum += term;
  }
  return sum;
}
