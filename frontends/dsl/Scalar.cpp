//===- Scalar.cpp - Expressions over scalars ------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/dsl/Scalar.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace dragoman::dsl;
using namespace mlir;

bool Scalar::isFloat() const { return llvm::isa<FloatType>(v.getType()); }

Scalar Scalar::constant(double number) const {
  TypedAttr attribute;
  if (isFloat())
    attribute = b->getFloatAttr(v.getType(), number);
  else
    attribute = b->getIntegerAttr(v.getType(), static_cast<int64_t>(number));
  return {*b, arith::ConstantOp::create(*b, attribute)};
}

/// The op of floats or of integers.
template <typename FloatOp, typename IntegerOp>
static Scalar binary(Scalar x, Scalar y) {
  assert(x.value().getType() == y.value().getType() &&
         "both sides of an operator have one type");
  ImplicitLocOpBuilder &b = x.builder();
  if (x.isFloat())
    return {b, FloatOp::create(b, x.value(), y.value())};
  return {b, IntegerOp::create(b, x.value(), y.value())};
}

Scalar dragoman::dsl::operator+(Scalar x, Scalar y) {
  return binary<arith::AddFOp, arith::AddIOp>(x, y);
}
Scalar dragoman::dsl::operator-(Scalar x, Scalar y) {
  return binary<arith::SubFOp, arith::SubIOp>(x, y);
}
Scalar dragoman::dsl::operator*(Scalar x, Scalar y) {
  return binary<arith::MulFOp, arith::MulIOp>(x, y);
}
Scalar dragoman::dsl::operator/(Scalar x, Scalar y) {
  assert(x.isFloat() && "indices are not divided");
  return {x.builder(),
          arith::DivFOp::create(x.builder(), x.value(), y.value())};
}

static Scalar compare(Scalar x, Scalar y, arith::CmpFPredicate floats,
                      arith::CmpIPredicate integers) {
  ImplicitLocOpBuilder &b = x.builder();
  if (x.isFloat())
    return {b, arith::CmpFOp::create(b, floats, x.value(), y.value())};
  return {b, arith::CmpIOp::create(b, integers, x.value(), y.value())};
}

Scalar dragoman::dsl::operator<(Scalar x, Scalar y) {
  return compare(x, y, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt);
}
Scalar dragoman::dsl::operator<=(Scalar x, Scalar y) {
  return compare(x, y, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle);
}
Scalar dragoman::dsl::operator!=(Scalar x, Scalar y) {
  return compare(x, y, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne);
}
Scalar dragoman::dsl::operator==(Scalar x, Scalar y) {
  return compare(x, y, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq);
}
Scalar dragoman::dsl::operator&&(Scalar x, Scalar y) {
  return {x.builder(),
          arith::AndIOp::create(x.builder(), x.value(), y.value())};
}

Scalar dragoman::dsl::select(Scalar condition, Scalar x, Scalar y) {
  ImplicitLocOpBuilder &b = x.builder();
  return {b,
          arith::SelectOp::create(b, condition.value(), x.value(), y.value())};
}

Scalar dragoman::dsl::toFloat(Scalar index, Scalar like) {
  ImplicitLocOpBuilder &b = index.builder();
  Value wide = index.value();
  if (llvm::isa<IndexType>(wide.getType()))
    wide = arith::IndexCastOp::create(b, b.getI64Type(), wide);
  return {b, arith::SIToFPOp::create(b, like.value().getType(), wide)};
}

template <typename Op> static Scalar unary(Scalar x) {
  return {x.builder(), Op::create(x.builder(), x.value())};
}

Scalar dragoman::dsl::exp(Scalar x) { return unary<math::ExpOp>(x); }
Scalar dragoman::dsl::log(Scalar x) { return unary<math::LogOp>(x); }
Scalar dragoman::dsl::tanh(Scalar x) { return unary<math::TanhOp>(x); }
Scalar dragoman::dsl::sqrt(Scalar x) { return unary<math::SqrtOp>(x); }
