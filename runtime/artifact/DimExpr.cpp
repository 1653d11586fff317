//===- DimExpr.cpp - Integer expressions in named dimensions ----*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/DimExprAtom.h"
#include "runtime/artifact/DimMath.h"

#include <algorithm>
#include <numeric>
#include <set>

using namespace dragoman;

// Limits of the canonical form; what exceeds them is marked as overflowed.
static constexpr size_t maxTerms = 4096;
static constexpr size_t maxDegree = 64;
static constexpr size_t maxOperands = 256;

bool DimExpr::AtomRef::operator==(const AtomRef &other) const {
  return atom == other.atom || atom->text == other.atom->text;
}
bool DimExpr::AtomRef::operator<(const AtomRef &other) const {
  return atom != other.atom && atom->text < other.atom->text;
}
bool DimExpr::operator==(const DimExpr &other) const {
  return overflow == other.overflow && terms == other.terms;
}
bool DimExpr::operator<(const DimExpr &other) const {
  if (overflow != other.overflow)
    return other.overflow;
  return terms < other.terms;
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

DimExpr::DimExpr(int64_t value) { addTerm({}, value); }

DimExpr DimExpr::dim(std::string_view name) {
  auto atom = std::make_shared<Atom>();
  atom->text = std::string(name);
  return fromTerm({AtomRef{std::move(atom)}}, 1);
}

DimExpr DimExpr::fromTerm(const Monomial &monomial, int64_t coefficient) {
  DimExpr result;
  result.addTerm(monomial, coefficient);
  return result;
}

void DimExpr::addTerm(const Monomial &monomial, int64_t coefficient) {
  if (coefficient == 0)
    return;
  auto [it, inserted] = terms.try_emplace(monomial, coefficient);
  if (inserted) {
    overflow |= terms.size() > maxTerms || monomial.size() > maxDegree;
    return;
  }
  overflow |= __builtin_add_overflow(it->second, coefficient, &it->second);
  if (it->second == 0)
    terms.erase(it);
}

DimExpr DimExpr::operator+(const DimExpr &other) const {
  DimExpr result = *this;
  result.overflow |= other.overflow;
  for (const auto &[monomial, coefficient] : other.terms)
    result.addTerm(monomial, coefficient);
  return result;
}

DimExpr DimExpr::operator-(const DimExpr &other) const {
  return *this + other * DimExpr(-1);
}

DimExpr DimExpr::operator*(const DimExpr &other) const {
  DimExpr result;
  result.overflow = overflow || other.overflow;
  for (const auto &[left, leftCoefficient] : terms) {
    for (const auto &[right, rightCoefficient] : other.terms) {
      int64_t coefficient = 0;
      if (__builtin_mul_overflow(leftCoefficient, rightCoefficient,
                                 &coefficient))
        result.overflow = true;
      Monomial product;
      std::merge(left.begin(), left.end(), right.begin(), right.end(),
                 std::back_inserter(product));
      result.addTerm(product, coefficient);
      if (result.overflow)
        return result;
    }
  }
  return result;
}

std::optional<int64_t> DimExpr::constant() const {
  if (overflow || terms.size() > 1)
    return std::nullopt;
  if (terms.empty())
    return 0;
  const auto &[monomial, coefficient] = *terms.begin();
  if (!monomial.empty())
    return std::nullopt;
  return coefficient;
}

const DimExpr::Atom *DimExpr::onlyAtom() const {
  if (overflow || terms.size() != 1)
    return nullptr;
  const auto &[monomial, coefficient] = *terms.begin();
  if (coefficient != 1 || monomial.size() != 1)
    return nullptr;
  return monomial.front().atom.get();
}

std::string DimExpr::dimName() const {
  const Atom *atom = onlyAtom();
  return atom && atom->kind == Call::None ? atom->text : std::string();
}

std::optional<DimExpr> DimExpr::exactDivide(const DimExpr &divisor) const {
  if (overflow || divisor.overflow || divisor.terms.size() != 1)
    return std::nullopt;
  const auto &[by, byCoefficient] = *divisor.terms.begin();
  DimExpr quotient;
  for (const auto &[monomial, coefficient] : terms) {
    bool leavesInt64 = byCoefficient == -1 && coefficient == INT64_MIN;
    if (leavesInt64 || coefficient % byCoefficient != 0 ||
        !std::includes(monomial.begin(), monomial.end(), by.begin(), by.end()))
      return std::nullopt;
    Monomial rest;
    std::set_difference(monomial.begin(), monomial.end(), by.begin(), by.end(),
                        std::back_inserter(rest));
    quotient.addTerm(rest, coefficient / byCoefficient);
  }
  return quotient;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static const char *callName(uint8_t kind) {
  static const char *const names[] = {"", "ceildiv", "floordiv", "max", "min"};
  return names[kind];
}

DimExpr DimExpr::call(Call kind, const DimExpr &a, const DimExpr &b) {
  DimExpr result;
  if (a.overflow || b.overflow) {
    result.overflow = true;
    return result;
  }
  auto atom = std::make_shared<Atom>();
  const Atom *nested = a.onlyAtom();
  bool joins = nested && nested->kind == kind &&
               (kind == Call::Max || kind == Call::Min);
  atom->text =
      joins ? nested->text.substr(0, nested->text.size() - 1)
            : std::string(callName(static_cast<uint8_t>(kind))) + "(" + a.str();
  atom->text += "," + b.str() + ")";
  atom->kind = kind;
  atom->a = a;
  atom->b = b;
  return fromTerm({AtomRef{std::move(atom)}}, 1);
}

/// ceildiv and floordiv. For a constant divisor c > 0 the multiples of c leave
/// the numerator, common factors cancel, and nested divisions join.
DimExpr DimExpr::divide(Call kind, const DimExpr &a, const DimExpr &b) {
  bool isCeil = kind == Call::CeilDiv;
  if (a.overflow || b.overflow)
    return call(kind, a, b);
  if (!b.isConstant(0))
    if (std::optional<DimExpr> exact = a.exactDivide(b))
      return *exact;
  std::optional<int64_t> constantDivisor = b.constant();
  if (!constantDivisor || *constantDivisor <= 0)
    return call(kind, a, b);
  int64_t divisor = *constantDivisor;

  // 1. Whole multiples leave: (c*q + r) / c = q + r/c. A constant leaves r in
  // [0, c), a negative coefficient leaves only if it is a multiple.
  DimExpr whole, rest;
  int64_t constantRest = 0;
  for (const auto &[monomial, coefficient] : a.terms) {
    int64_t quotient = floorDivide(coefficient, divisor);
    int64_t remainder = coefficient - quotient * divisor;
    if (monomial.empty()) {
      whole.addTerm(monomial, quotient);
      constantRest = remainder;
      continue;
    }
    if (coefficient < 0 && remainder != 0) {
      rest.addTerm(monomial, coefficient);
      continue;
    }
    whole.addTerm(monomial, quotient);
    rest.addTerm(monomial, remainder);
  }
  for (const auto &[monomial, coefficient] : rest.terms)
    if (coefficient == INT64_MIN)
      return call(kind, a, b);
  if (rest.terms.empty())
    return whole + DimExpr(isCeil ? ceilDivide(constantRest, divisor)
                                  : floorDivide(constantRest, divisor));

  // 2. A common factor g cancels: (g*x + r) / (g*m) = (x + r/g) / m.
  int64_t common = divisor;
  for (const auto &[monomial, coefficient] : rest.terms)
    common = std::gcd(common, coefficient);
  DimExpr numerator = *rest.exactDivide(DimExpr(common)) +
                      DimExpr(isCeil ? ceilDivide(constantRest, common)
                                     : floorDivide(constantRest, common));
  if (common != 1)
    return whole + divide(kind, numerator, DimExpr(divisor / common));

  // 3. (x / c) / d = x / (c*d), for divisions of the same kind.
  const Atom *inner = numerator.onlyAtom();
  if (inner && inner->kind == kind)
    if (std::optional<int64_t> innerDivisor = inner->b.constant();
        innerDivisor && *innerDivisor > 0) {
      int64_t joined = 0;
      if (!__builtin_mul_overflow(*innerDivisor, divisor, &joined))
        return whole + divide(kind, inner->a, DimExpr(joined));
    }
  return whole + call(kind, numerator, DimExpr(divisor));
}

/// Appends the operands of nested calls of `kind`, or the expression itself.
void DimExpr::operands(Call kind, std::vector<DimExpr> &out) const {
  const Atom *atom = onlyAtom();
  if (!atom || atom->kind != kind) {
    out.push_back(*this);
    return;
  }
  atom->a.operands(kind, out);
  atom->b.operands(kind, out);
}

/// max and min: nested calls are flattened, operands that another one decides
/// are dropped, and the rest is nested again in canonical order.
DimExpr DimExpr::extremum(Call kind, const DimExpr &a, const DimExpr &b) {
  if (a.overflow || b.overflow)
    return call(kind, a, b);
  // The operands of one call never decide each other.
  std::vector<DimExpr> kept, candidates;
  a.operands(kind, kept);
  b.operands(kind, candidates);
  auto decides = [&](const DimExpr &winner, const DimExpr &loser) {
    DimExpr gap = kind == Call::Max ? winner - loser : loser - winner;
    return gap.provablyNonNegative();
  };
  for (const DimExpr &candidate : candidates) {
    bool dropped = std::any_of(kept.begin(), kept.end(), [&](const DimExpr &k) {
      return decides(k, candidate);
    });
    if (dropped)
      continue;
    std::erase_if(kept,
                  [&](const DimExpr &k) { return decides(candidate, k); });
    kept.push_back(candidate);
  }
  std::sort(kept.begin(), kept.end(), [](const DimExpr &x, const DimExpr &y) {
    // Constants last, so that the text reads max(S,16).
    bool xConstant = x.constant().has_value(),
         yConstant = y.constant().has_value();
    return xConstant != yConstant ? yConstant : x.str() < y.str();
  });
  DimExpr result = kept.front();
  result.overflow |= kept.size() > maxOperands;
  for (size_t i = 1; i < kept.size(); ++i)
    result = call(kind, result, kept[i]);
  return result;
}

DimExpr DimExpr::ceilDiv(const DimExpr &a, const DimExpr &b) {
  return divide(Call::CeilDiv, a, b);
}
DimExpr DimExpr::floorDiv(const DimExpr &a, const DimExpr &b) {
  return divide(Call::FloorDiv, a, b);
}
DimExpr DimExpr::max(const DimExpr &a, const DimExpr &b) {
  return extremum(Call::Max, a, b);
}
DimExpr DimExpr::min(const DimExpr &a, const DimExpr &b) {
  return extremum(Call::Min, a, b);
}
DimExpr DimExpr::alignTo(const DimExpr &a, int64_t alignment) {
  return ceilDiv(a, alignment) * DimExpr(alignment);
}

//===----------------------------------------------------------------------===//
// Names, substitution, text, evaluation
//===----------------------------------------------------------------------===//

DimExpr DimExpr::substitute(
    const std::function<std::optional<DimExpr>(const std::string &)> &lookup)
    const {
  DimExpr result;
  result.overflow = overflow;
  for (const auto &[monomial, coefficient] : terms) {
    DimExpr product(coefficient);
    for (const AtomRef &factor : monomial) {
      const Atom &atom = *factor.atom;
      if (atom.kind == Call::None) {
        std::optional<DimExpr> value = lookup(atom.text);
        product *= value ? *value : fromTerm({factor}, 1);
        continue;
      }
      DimExpr a = atom.a.substitute(lookup), b = atom.b.substitute(lookup);
      bool isDivision =
          atom.kind == Call::CeilDiv || atom.kind == Call::FloorDiv;
      product *=
          isDivision ? divide(atom.kind, a, b) : extremum(atom.kind, a, b);
    }
    result += product;
  }
  return result;
}

std::vector<std::string> DimExpr::names() const {
  std::set<std::string> found;
  for (const auto &[monomial, coefficient] : terms) {
    for (const AtomRef &factor : monomial) {
      const Atom &atom = *factor.atom;
      if (atom.kind == Call::None) {
        found.insert(atom.text);
        continue;
      }
      for (const DimExpr *operand : {&atom.a, &atom.b})
        for (std::string &name : operand->names())
          found.insert(std::move(name));
    }
  }
  return std::vector<std::string>(found.begin(), found.end());
}

std::string DimExpr::str() const {
  if (overflow)
    return "overflow()";
  if (terms.empty())
    return "0";
  std::vector<const std::pair<const Monomial, int64_t> *> ordered;
  for (const auto &term : terms)
    ordered.push_back(&term);
  std::sort(ordered.begin(), ordered.end(), [](const auto *x, const auto *y) {
    return x->first.size() != y->first.size()
               ? x->first.size() > y->first.size()
               : x->first < y->first;
  });
  std::string text;
  for (const auto *term : ordered) {
    const auto &[monomial, coefficient] = *term;
    bool isNegative = coefficient < 0;
    if (text.empty())
      text = isNegative ? "-" : "";
    else
      text += isNegative ? " - " : " + ";
    uint64_t magnitude = isNegative ? 0 - static_cast<uint64_t>(coefficient)
                                    : static_cast<uint64_t>(coefficient);
    bool writesNumber = magnitude != 1 || monomial.empty();
    if (writesNumber)
      text += std::to_string(magnitude);
    for (size_t i = 0; i < monomial.size(); ++i) {
      if (i > 0 || writesNumber)
        text += "*";
      text += monomial[i].atom->text;
    }
  }
  return text;
}

Result<int64_t>
DimExpr::evaluate(const std::map<std::string, int64_t> &dims) const {
  std::vector<std::string> dimNames;
  std::vector<int64_t> values;
  for (const auto &[name, value] : dims) {
    dimNames.push_back(name);
    values.push_back(value);
  }
  Result<DimProgram> program = DimProgram::compile(*this, dimNames);
  if (!program)
    return program.status();
  std::optional<int64_t> value = program->evaluateChecked(values.data());
  if (!value)
    return Status(StatusCode::InvalidArgument,
                  "'" + str() + "' overflows or divides by zero");
  return *value;
}

//===----------------------------------------------------------------------===//
// DimProgram
//===----------------------------------------------------------------------===//

Status DimProgram::emit(const DimExpr &expr,
                        const std::vector<std::string> &dimNames, int depth) {
  // A sum holds one partial result, a product another one.
  if (depth + 2 > stackSize)
    return Status(StatusCode::Unsupported, "expression is nested deeper than " +
                                               std::to_string(stackSize) +
                                               " values");
  if (expr.terms.empty())
    tokens.push_back({Token::Const, 0});
  bool isFirst = true;
  for (const auto &[monomial, coefficient] : expr.terms) {
    int termDepth = depth + (isFirst ? 0 : 1);
    // A coefficient 1 is not written, so that nested calls stay flat.
    bool hasFactor = coefficient != 1 || monomial.empty();
    if (hasFactor)
      tokens.push_back({Token::Const, coefficient});
    for (const DimExpr::AtomRef &factor : monomial) {
      int atomDepth = termDepth + (hasFactor ? 1 : 0);
      const DimExpr::Atom &atom = *factor.atom;
      if (atom.kind == DimExpr::Call::None) {
        auto it = std::find(dimNames.begin(), dimNames.end(), atom.text);
        if (it == dimNames.end())
          return Status(StatusCode::NotFound,
                        "unknown dimension '" + atom.text + "'");
        tokens.push_back({Token::Dim, it - dimNames.begin()});
      } else {
        DRAGOMAN_RETURN_IF_ERROR(emit(atom.a, dimNames, atomDepth));
        DRAGOMAN_RETURN_IF_ERROR(emit(atom.b, dimNames, atomDepth + 1));
        static const Token::Kind kinds[] = {Token::Const, Token::CeilDiv,
                                            Token::FloorDiv, Token::Max,
                                            Token::Min};
        tokens.push_back({kinds[static_cast<uint8_t>(atom.kind)], 0});
      }
      if (hasFactor)
        tokens.push_back({Token::Mul, 0});
      hasFactor = true;
    }
    if (!isFirst)
      tokens.push_back({Token::Add, 0});
    isFirst = false;
  }
  return Status::ok();
}

Result<DimProgram>
DimProgram::compile(const DimExpr &expr,
                    const std::vector<std::string> &dimNames) {
  if (expr.overflowed())
    return Status(StatusCode::InvalidArgument,
                  "expression left the range of int64");
  DimProgram program;
  if (Status status = program.emit(expr, dimNames, 0); !status)
    return status.at("'" + expr.str() + "'");
  return program;
}

std::optional<int64_t> DimProgram::evaluateChecked(const int64_t *dims) const {
  int64_t stack[stackSize + 1];
  int top = -1;
  if (tokens.empty())
    return 0;
  for (const Token &token : tokens) {
    if (token.kind == Token::Const || token.kind == Token::Dim) {
      stack[++top] =
          token.kind == Token::Const ? token.value : dims[token.value];
      continue;
    }
    int64_t right = stack[top--], &left = stack[top];
    switch (token.kind) {
    case Token::Add:
      if (__builtin_add_overflow(left, right, &left))
        return std::nullopt;
      break;
    case Token::Mul:
      if (__builtin_mul_overflow(left, right, &left))
        return std::nullopt;
      break;
    case Token::CeilDiv:
    case Token::FloorDiv:
      if (right == 0 || (right == -1 && left == INT64_MIN))
        return std::nullopt;
      left = token.kind == Token::CeilDiv ? ceilDivide(left, right)
                                          : floorDivide(left, right);
      break;
    case Token::Max:
      left = std::max(left, right);
      break;
    default:
      left = std::min(left, right);
      break;
    }
  }
  return stack[0];
}

int64_t DimProgram::evaluate(const int64_t *dims) const {
  return evaluateChecked(dims).value_or(INT64_MAX);
}
