//===- ScalarOps.cpp - The meaning of arith and math on scalars -----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/interpret/ScalarOps.h"

#include "dialects/xf/reference/Reference.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>

namespace dragoman::interpret {

namespace {

Cell cell(double value) { return {.f = value}; }
Cell cell(int64_t value) { return {.i = value}; }
Cell cell(bool value) { return {.i = value}; }

/// The value as unsigned at its width.
uint64_t bits(int64_t value, const ScalarInfo &info) {
  int width = integerBits(info.operand);
  uint64_t raw = static_cast<uint64_t>(value);
  return width == 64 ? raw : raw & ((uint64_t(1) << width) - 1);
}

/// The value as signed at its width (an i1 of 1 is -1).
int64_t sign(int64_t value, const ScalarInfo &info) {
  return info.operand == Element::I1 ? -value : value;
}

/// Division by zero is undefined in arith; here it gives 0.
int64_t divide(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  return b == -1 ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : a / b;
}
int64_t remainder(int64_t a, int64_t b) {
  return b == 0 || b == -1 ? 0 : a % b;
}

int64_t floorDivide(int64_t a, int64_t b) {
  int64_t quotient = divide(a, b);
  return b != 0 && remainder(a, b) != 0 && (a < 0) != (b < 0) ? quotient - 1
                                                              : quotient;
}
int64_t ceilDivide(int64_t a, int64_t b) {
  int64_t quotient = divide(a, b);
  return b != 0 && remainder(a, b) != 0 && (a < 0) == (b < 0) ? quotient + 1
                                                              : quotient;
}

double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return NAN;
  if (a == 0 && b == 0)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
double minimum(double a, double b) { return -maximum(-a, -b); }

Cell compareFloats(const Cell *x, const ScalarInfo &info) {
  using mlir::arith::CmpFPredicate;
  double a = x[0].f, b = x[1].f;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (static_cast<CmpFPredicate>(info.predicate)) {
  case CmpFPredicate::AlwaysFalse:
    return cell(false);
  case CmpFPredicate::OEQ:
    return cell(a == b);
  case CmpFPredicate::OGT:
    return cell(a > b);
  case CmpFPredicate::OGE:
    return cell(a >= b);
  case CmpFPredicate::OLT:
    return cell(a < b);
  case CmpFPredicate::OLE:
    return cell(a <= b);
  case CmpFPredicate::ONE:
    return cell(!unordered && a != b);
  case CmpFPredicate::ORD:
    return cell(!unordered);
  case CmpFPredicate::UEQ:
    return cell(unordered || a == b);
  case CmpFPredicate::UGT:
    return cell(unordered || a > b);
  case CmpFPredicate::UGE:
    return cell(unordered || a >= b);
  case CmpFPredicate::ULT:
    return cell(unordered || a < b);
  case CmpFPredicate::ULE:
    return cell(unordered || a <= b);
  case CmpFPredicate::UNE:
    return cell(a != b);
  case CmpFPredicate::UNO:
    return cell(unordered);
  case CmpFPredicate::AlwaysTrue:
    return cell(true);
  }
  llvm_unreachable("all predicates are handled");
}

Cell compareIntegers(const Cell *x, const ScalarInfo &info) {
  using mlir::arith::CmpIPredicate;
  int64_t a = sign(x[0].i, info), b = sign(x[1].i, info);
  uint64_t ua = bits(x[0].i, info), ub = bits(x[1].i, info);
  switch (static_cast<CmpIPredicate>(info.predicate)) {
  case CmpIPredicate::eq:
    return cell(a == b);
  case CmpIPredicate::ne:
    return cell(a != b);
  case CmpIPredicate::slt:
    return cell(a < b);
  case CmpIPredicate::sle:
    return cell(a <= b);
  case CmpIPredicate::sgt:
    return cell(a > b);
  case CmpIPredicate::sge:
    return cell(a >= b);
  case CmpIPredicate::ult:
    return cell(ua < ub);
  case CmpIPredicate::ule:
    return cell(ua <= ub);
  case CmpIPredicate::ugt:
    return cell(ua > ub);
  case CmpIPredicate::uge:
    return cell(ua >= ub);
  }
  llvm_unreachable("all predicates are handled");
}

int64_t wrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}
int64_t wrapSubtract(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) -
                              static_cast<uint64_t>(b));
}
int64_t wrapMultiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}

/// Truncation toward zero; NaN and values outside int64 are undefined in arith
/// and saturate here.
int64_t toInteger(double value) {
  if (std::isnan(value))
    return 0;
  if (value >= 0x1p63)
    return INT64_MAX;
  return value <= -0x1p63 ? INT64_MIN : static_cast<int64_t>(value);
}

#define F1(expr)                                                               \
  [](const Cell *x, const ScalarInfo &) {                                      \
    double a = x[0].f;                                                         \
    return cell(static_cast<double>(expr));                                    \
  }
#define F2(expr)                                                               \
  [](const Cell *x, const ScalarInfo &) {                                      \
    double a = x[0].f, b = x[1].f;                                             \
    return cell(static_cast<double>(expr));                                    \
  }
#define I2(expr)                                                               \
  [](const Cell *x, const ScalarInfo &info) {                                  \
    int64_t a = sign(x[0].i, info), b = sign(x[1].i, info);                    \
    return cell(static_cast<int64_t>(expr));                                   \
  }
#define U2(expr)                                                               \
  [](const Cell *x, const ScalarInfo &info) {                                  \
    uint64_t a = bits(x[0].i, info), b = bits(x[1].i, info);                   \
    return cell(static_cast<int64_t>(expr));                                   \
  }
#define RAW(expr)                                                              \
  [](const Cell *x, const ScalarInfo &info) { return cell(expr); }

const llvm::StringMap<ScalarFunction> &table() {
  static const llvm::StringMap<ScalarFunction> functions = {
      {"arith.addf", F2(a + b)},
      {"arith.subf", F2(a - b)},
      {"arith.mulf", F2(a * b)},
      {"arith.divf", F2(a / b)},
      {"arith.remf", F2(std::fmod(a, b))},
      {"arith.negf", F1(-a)},
      {"arith.maximumf", F2(maximum(a, b))},
      {"arith.minimumf", F2(minimum(a, b))},
      {"arith.maxnumf", F2(std::fmax(a, b))},
      {"arith.minnumf", F2(std::fmin(a, b))},
      {"arith.cmpf", compareFloats},
      {"arith.cmpi", compareIntegers},
      {"arith.select",
       [](const Cell *x, const ScalarInfo &) { return x[0].i ? x[1] : x[2]; }},
      {"arith.truncf", F1(a)},
      {"arith.extf", F1(a)},
      {"arith.sitofp", RAW(static_cast<double>(sign(x[0].i, info)))},
      {"arith.uitofp", RAW(static_cast<double>(bits(x[0].i, info)))},
      {"arith.fptosi", RAW(toInteger(x[0].f))},
      {"arith.fptoui", RAW(toInteger(x[0].f))},
      {"arith.addi", I2(wrapAdd(a, b))},
      {"arith.subi", I2(wrapSubtract(a, b))},
      {"arith.muli", I2(wrapMultiply(a, b))},
      {"arith.divsi", I2(divide(a, b))},
      {"arith.divui", U2(b ? a / b : 0)},
      {"arith.ceildivsi", I2(ceilDivide(a, b))},
      {"arith.ceildivui", U2(b ? a / b + (a % b != 0) : 0)},
      {"arith.floordivsi", I2(floorDivide(a, b))},
      {"arith.remsi", I2(remainder(a, b))},
      {"arith.remui", U2(b ? a % b : 0)},
      {"arith.andi", U2(a & b)},
      {"arith.ori", U2(a | b)},
      {"arith.xori", U2(a ^ b)},
      {"arith.shli", U2(b < 64 ? a << b : 0)},
      {"arith.shrsi", I2(a >> (b < 64 ? b : 63))},
      {"arith.shrui", U2(b < 64 ? a >> b : 0)},
      {"arith.maxsi", I2(a > b ? a : b)},
      {"arith.minsi", I2(a < b ? a : b)},
      {"arith.maxui", U2(a > b ? a : b)},
      {"arith.minui", U2(a < b ? a : b)},
      {"arith.extsi", RAW(sign(x[0].i, info))},
      {"arith.extui", RAW(static_cast<int64_t>(bits(x[0].i, info)))},
      {"arith.trunci", RAW(x[0].i)},
      {"arith.index_cast", RAW(sign(x[0].i, info))},
      {"arith.index_castui", RAW(static_cast<int64_t>(bits(x[0].i, info)))},
      {"math.absf", F1(std::fabs(a))},
      {"math.absi",
       RAW(sign(x[0].i, info) < 0 ? -sign(x[0].i, info) : sign(x[0].i, info))},
      {"math.atan", F1(std::atan(a))},
      {"math.atan2", F2(std::atan2(a, b))},
      {"math.ceil", F1(std::ceil(a))},
      {"math.copysign", F2(std::copysign(a, b))},
      {"math.cos", F1(std::cos(a))},
      {"math.cosh", F1(std::cosh(a))},
      {"math.erf", F1(std::erf(a))},
      {"math.erfc", F1(std::erfc(a))},
      {"math.exp", F1(std::exp(a))},
      {"math.exp2", F1(std::exp2(a))},
      {"math.expm1", F1(std::expm1(a))},
      {"math.floor", F1(std::floor(a))},
      {"math.fma",
       [](const Cell *x, const ScalarInfo &) {
         return cell(std::fma(x[0].f, x[1].f, x[2].f));
       }},
      {"math.isfinite", RAW(static_cast<int64_t>(std::isfinite(x[0].f)))},
      {"math.isinf", RAW(static_cast<int64_t>(std::isinf(x[0].f)))},
      {"math.isnan", RAW(static_cast<int64_t>(std::isnan(x[0].f)))},
      {"math.log", F1(std::log(a))},
      {"math.log10", F1(std::log10(a))},
      {"math.log1p", F1(std::log1p(a))},
      {"math.log2", F1(std::log2(a))},
      {"math.powf", F2(std::pow(a, b))},
      {"math.round", F1(std::round(a))},
      {"math.roundeven", F1(std::nearbyint(a))},
      {"math.rsqrt", F1(1.0 / std::sqrt(a))},
      {"math.sin", F1(std::sin(a))},
      {"math.sinh", F1(std::sinh(a))},
      {"math.sqrt", F1(std::sqrt(a))},
      {"math.tan", F1(std::tan(a))},
      {"math.tanh", F1(std::tanh(a))},
      {"math.trunc", F1(std::trunc(a))},
  };
  return functions;
}

#undef F1
#undef F2
#undef I2
#undef U2
#undef RAW

} // namespace

std::optional<ScalarOp> findScalarOp(mlir::Operation *op) {
  auto found = table().find(op->getName().getStringRef());
  if (found == table().end())
    return std::nullopt;
  std::optional<Element> operand = xf::elementOf(op->getOperand(0).getType());
  std::optional<Element> result = xf::elementOf(op->getResult(0).getType());
  if (!operand || !result)
    return std::nullopt;
  ScalarInfo info{*operand, *result};
  if (auto compare = llvm::dyn_cast<mlir::arith::CmpIOp>(op))
    info.predicate = static_cast<int64_t>(compare.getPredicate());
  if (auto compare = llvm::dyn_cast<mlir::arith::CmpFOp>(op))
    info.predicate = static_cast<int64_t>(compare.getPredicate());
  return ScalarOp{found->second, info};
}

} // namespace dragoman::interpret
