//===- Scalar.h - Expressions over scalars ----------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a C++ lambda of a model computes for one element: a score of attention,
// a probability, an element of a map. The operators build IR; the compiler
// fuses and differentiates it.
//
//   auto slope = [](Scalar s, const ScorePlace &at) {
//     return s - 0.5 * toFloat(at.query - at.key, s);
//   };
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_DSL_SCALAR_H
#define DRAGOMAN_FRONTENDS_DSL_SCALAR_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dragoman::dsl {

/// A float, an index or a truth value inside a body that is being built. Both
/// sides of an operator have one type; a number takes the type of the other.
class Scalar {
public:
  Scalar(mlir::ImplicitLocOpBuilder &builder, mlir::Value value)
      : b(&builder), v(value) {}

  mlir::Value value() const { return v; }
  mlir::ImplicitLocOpBuilder &builder() const { return *b; }
  bool isFloat() const;
  /// The number in the type of this scalar.
  Scalar constant(double number) const;

private:
  mlir::ImplicitLocOpBuilder *b;
  mlir::Value v;
};

Scalar operator+(Scalar x, Scalar y);
Scalar operator-(Scalar x, Scalar y);
Scalar operator*(Scalar x, Scalar y);
/// Of floats.
Scalar operator/(Scalar x, Scalar y);
inline Scalar operator+(Scalar x, double y) { return x + x.constant(y); }
inline Scalar operator-(Scalar x, double y) { return x - x.constant(y); }
inline Scalar operator*(Scalar x, double y) { return x * x.constant(y); }
inline Scalar operator/(Scalar x, double y) { return x / x.constant(y); }
inline Scalar operator+(double x, Scalar y) { return y.constant(x) + y; }
inline Scalar operator-(double x, Scalar y) { return y.constant(x) - y; }
inline Scalar operator*(double x, Scalar y) { return y.constant(x) * y; }
inline Scalar operator/(double x, Scalar y) { return y.constant(x) / y; }
inline Scalar operator-(Scalar x) { return 0.0 - x; }

/// Comparisons: ordered for floats, signed for indices.
Scalar operator<(Scalar x, Scalar y);
Scalar operator<=(Scalar x, Scalar y);
Scalar operator==(Scalar x, Scalar y);
Scalar operator!=(Scalar x, Scalar y);
inline Scalar operator<(Scalar x, double y) { return x < x.constant(y); }
inline Scalar operator>(Scalar x, Scalar y) { return y < x; }
inline Scalar operator>(Scalar x, double y) { return x.constant(y) < x; }
inline Scalar operator==(Scalar x, double y) { return x == x.constant(y); }
inline Scalar operator!=(Scalar x, double y) { return x != x.constant(y); }
/// Of truth values.
Scalar operator&&(Scalar x, Scalar y);

/// `condition` ? x : y
Scalar select(Scalar condition, Scalar x, Scalar y);
/// An index in the float type of `like`.
Scalar toFloat(Scalar index, Scalar like);

Scalar exp(Scalar x);
Scalar log(Scalar x);
Scalar tanh(Scalar x);
Scalar sqrt(Scalar x);

} // namespace dragoman::dsl

#endif // DRAGOMAN_FRONTENDS_DSL_SCALAR_H
