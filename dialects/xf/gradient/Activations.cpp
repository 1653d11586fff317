//===- Activations.cpp - Derivatives of activations and gates -------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/gradient/Activations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

/// 0 where `value` <= 0, else `derivative`; a NaN keeps it.
static Value wherePositive(ScalarBuilder &scalar, Value value,
                           Value derivative) {
  Value zero = scalar.constant(value.getType(), 0.0);
  Value below = mlir::arith::CmpFOp::create(
      scalar.builder, scalar.loc, mlir::arith::CmpFPredicate::OLE, value, zero);
  return scalar.select(below, zero, derivative);
}

/// s (1 - s) of s = sigmoid(x), and 1 - t^2 of t = tanh(x).
static Value sigmoidSlope(ScalarBuilder &scalar, Value s) {
  Value one = scalar.constant(s.getType(), 1.0);
  return scalar.multiply(s, scalar.subtract(one, s));
}
static Value tanhSlope(ScalarBuilder &scalar, Value t) {
  Value one = scalar.constant(t.getType(), 1.0);
  return scalar.subtract(one, scalar.multiply(t, t));
}

/// Phi(x) + x phi(x).
static Value geluSlope(ScalarBuilder &scalar, Value x) {
  auto number = [&](double value) {
    return scalar.constant(x.getType(), value);
  };
  Value erf = mlir::math::ErfOp::create(scalar.builder, scalar.loc,
                                        scalar.multiply(x, number(M_SQRT1_2)));
  Value below = scalar.multiply(number(0.5), scalar.add(number(1.0), erf));
  Value bell = scalar.exp(scalar.multiply(number(-0.5), scalar.multiply(x, x)));
  Value density = scalar.multiply(number(M_SQRT1_2 / std::sqrt(M_PI)), bell);
  return scalar.add(below, scalar.multiply(x, density));
}

/// Of y = x (1 + t) / 2, t = tanh(c (x + k x^3)).
static Value geluTanhSlope(ScalarBuilder &scalar, Value x) {
  auto number = [&](double value) {
    return scalar.constant(x.getType(), value);
  };
  double c = std::sqrt(M_2_PI), k = 0.044715;
  Value square = scalar.multiply(x, x);
  Value inner = scalar.multiply(
      scalar.multiply(number(c), x),
      scalar.add(number(1.0), scalar.multiply(number(k), square)));
  Value t = scalar.tanh(inner);
  Value slope =
      scalar.add(number(0.5 * c), scalar.multiply(number(1.5 * c * k), square));
  return scalar.add(
      scalar.multiply(number(0.5), scalar.add(number(1.0), t)),
      scalar.multiply(scalar.multiply(x, slope), tanhSlope(scalar, t)));
}

Value xf::activationDerivative(ScalarBuilder &scalar, llvm::StringRef name,
                               Value x) {
  Value one = scalar.constant(x.getType(), 1.0);
  if (name == "none" || name == "identity")
    return one;
  if (name == "relu")
    return wherePositive(scalar, x, one);
  if (name == "gelu")
    return geluSlope(scalar, x);
  if (name == "gelu_tanh")
    return geluTanhSlope(scalar, x);
  if (name == "tanh")
    return tanhSlope(scalar, scalar.tanh(x));
  Value s = scalar.activation("sigmoid", x);
  if (name == "sigmoid")
    return sigmoidSlope(scalar, s);
  assert(name == "silu" && "a legal activation");
  Value rest = scalar.subtract(one, s);
  return scalar.multiply(s, scalar.add(one, scalar.multiply(x, rest)));
}

/// f(value, dy) in acc over two tensors of one type.
static Value
buildSlope(TensorBuilder &tensors, Value value, Value dy,
           llvm::function_ref<Value(ScalarBuilder &, Value, Value)> f) {
  mlir::Type element = tensorType(value).getElementType(),
             acc = accumulatorType(element);
  auto identity =
      tensors.builder.getMultiDimIdentityMap(tensorType(value).getRank());
  Value dx = tensors.elementwise(
      {{value, identity}, {dy, identity}}, tensors.sizes(value), element,
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        return scalar.cast(
            f(scalar, scalar.cast(in[0], acc), scalar.cast(in[1], acc)),
            element);
      });
  return tensors.ofType(dx, value.getType());
}

Value xf::buildActivationGradient(TensorBuilder &tensors, llvm::StringRef name,
                                  Value x, Value dy) {
  return buildSlope(tensors, x, dy,
                    [&](ScalarBuilder &scalar, Value at, Value cotangent) {
                      return scalar.multiply(
                          cotangent, activationDerivative(scalar, name, at));
                    });
}

bool xf::derivativeFromResult(llvm::StringRef name) {
  return name == "relu" || name == "sigmoid" || name == "tanh";
}

Value xf::buildActivationGradientFromResult(TensorBuilder &tensors,
                                            llvm::StringRef name, Value y,
                                            Value dy) {
  return buildSlope(
      tensors, y, dy, [&](ScalarBuilder &scalar, Value at, Value cotangent) {
        if (name == "relu")
          return wherePositive(scalar, at, cotangent);
        return scalar.multiply(cotangent, name == "tanh"
                                              ? tanhSlope(scalar, at)
                                              : sigmoidSlope(scalar, at));
      });
}
