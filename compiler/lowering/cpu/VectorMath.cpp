//===- VectorMath.cpp - Elementary functions on 16 lanes ------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/StringSwitch.h"

#include <limits>

using namespace mlir;
using namespace dragoman;

/// Adding this rounds a float below 2^22 to an integer, which then stands in
/// the low bits of the sum.
static constexpr double roundingMagic = 12582912.0; // 1.5 * 2^23

/// Horner's rule; the coefficient of the highest power comes first.
static Value polynomial(KernelBuilder &k, Value x,
                        llvm::ArrayRef<double> coefficients) {
  Value sum = k.splat(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    sum = k.fma(sum, x, k.splat(coefficient));
  return sum;
}

/// The smaller of x and limit; a NaN in x stays.
static Value limitAbove(KernelBuilder &k, Value x, double limit) {
  Value bound = k.splat(limit);
  return k.select(k.cmpF(arith::CmpFPredicate::OGT, x, bound), bound, x);
}

static Value limitBelow(KernelBuilder &k, Value x, double limit) {
  Value bound = k.splat(limit);
  return k.select(k.cmpF(arith::CmpFPredicate::OLT, x, bound), bound, x);
}

/// The float whose exponent field is the low byte of `biased`'s bits, where
/// `biased` = n + roundingMagic + bias.
static Value powerOfTwo(KernelBuilder &k, Value biased) {
  Value bits = k.bitcast(biased, k.vec(k.i32()));
  Value shifted = arith::ShLIOp::create(k.op(), bits, k.splatInt(k.i32(), 23));
  return k.bitcast(shifted, k.vecF());
}

Value dragoman::emitExp2(KernelBuilder &k, Value x) {
  Value magic = k.splat(roundingMagic + 127);
  Value biased = k.addF(x, magic);
  Value fraction = k.subF(x, k.subF(biased, magic));
  // Interpolates 2^f on [-1/2, 1/2] at Chebyshev nodes, 4e-9; exact at f = 0.
  Value power = polynomial(k, fraction,
                           {0.00015453162939509034, 0.001339086336462805,
                            0.009618082557302569, 0.05550357114219147,
                            0.24022650760567846, 0.6931471880262285, 1.0});
  // The product, not an integer addition to the exponent: it keeps a NaN.
  Value result = k.mulF(power, powerOfTwo(k, biased));
  Value tiny = k.cmpF(arith::CmpFPredicate::OLT, x, k.splat(-100));
  return k.select(tiny, k.splat(0), result);
}

Value dragoman::emitExp(KernelBuilder &k, Value x) {
  // 1. x = n ln 2 + r with n in [-150, 128].
  Value inside = limitAbove(k, limitBelow(k, x, -104), 89);
  Value magic = k.splat(roundingMagic + 126);
  Value biased = k.fma(inside, k.splat(1.44269504088896341), magic);
  Value n = k.subF(biased, magic);
  Value r = k.fma(n, k.splat(-0.693359375), inside);
  r = k.fma(n, k.splat(2.12194440e-4), r);
  // 2. e^r = 1 + r + r^2 P(r) (Cephes).
  Value p = polynomial(k, r,
                       {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
                        4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
  p = k.addF(k.fma(k.mulF(r, r), p, r), k.splat(1));
  // 3. Times 2^(n-1), so that n = 128 has an exponent, then twice. That product
  // is a normal number from 2^-126 on, so e^x is one from -125 ln 2 on.
  Value result = k.mulF(p, powerOfTwo(k, biased));
  result = k.addF(result, result);
  Value tiny = k.cmpF(arith::CmpFPredicate::OLT, x, k.splat(-86.6433975));
  return k.select(tiny, k.splat(0), result);
}

Value dragoman::emitLog(KernelBuilder &k, Value x) {
  // 1. x = m 2^e with m in [sqrt 1/2, sqrt 2).
  Type integers = k.vec(k.i32());
  Value bits = k.bitcast(x, integers);
  Value shift = k.splatInt(k.i32(), 23);
  Value e = arith::ShRSIOp::create(
      k.op(), k.sub(bits, k.splatInt(k.i32(), 0x3f3504f3)), shift);
  Value m =
      k.bitcast(k.sub(bits, arith::ShLIOp::create(k.op(), e, shift)), k.vecF());
  Value exponent = arith::SIToFPOp::create(k.op(), k.vecF(), e);
  // 2. log m = f - f^2 / 2 + f^3 P(f) (Cephes).
  Value f = k.subF(m, k.splat(1));
  Value square = k.mulF(f, f);
  Value p = polynomial(k, f,
                       {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1,
                        -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
                        2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  p = k.mulF(k.mulF(p, f), square);
  p = k.fma(exponent, k.splat(-2.12194440e-4), p);
  p = k.fma(square, k.splat(-0.5), p);
  Value result = k.fma(exponent, k.splat(0.693359375), k.addF(f, p));
  // 3. Zero (and denormals), infinity, negative numbers and NaN.
  double infinity = std::numeric_limits<double>::infinity();
  Value normal = k.cmpF(arith::CmpFPredicate::OGE, x, k.splat(1.17549435e-38));
  Value finite = k.cmpF(arith::CmpFPredicate::OLT, x, k.splat(infinity));
  Value negative = k.cmpF(arith::CmpFPredicate::ULT, x, k.splat(0));
  result = k.select(finite, result, x);
  result = k.select(normal, result, k.splat(-infinity));
  return k.select(negative, k.splat(std::numeric_limits<double>::quiet_NaN()),
                  result);
}

/// x / (1 + e^-s): sigmoid with x = 1, SiLU with s = x.
static Value divideByLogistic(KernelBuilder &k, Value x, Value s) {
  Value minus = arith::NegFOp::create(k.op(), s);
  return k.divF(x, k.addF(k.splat(1), emitExp(k, minus)));
}

Value dragoman::emitSigmoid(KernelBuilder &k, Value x) {
  return divideByLogistic(k, k.splat(1), x);
}

Value dragoman::emitTanh(KernelBuilder &k, Value x) {
  // A quotient of odd and even polynomials, which reaches 1 at the limit.
  constexpr double limit = 7.90531110763549805;
  Value inside = limitAbove(k, limitBelow(k, x, -limit), limit);
  Value z = k.mulF(inside, inside);
  Value p = polynomial(k, z,
                       {-2.76076847742355e-16, 2.00018790482477e-13,
                        -8.60467152213735e-11, 5.12229709037114e-08,
                        1.48572235717979e-05, 6.37261928875436e-04,
                        4.89352455891786e-03});
  Value q = polynomial(k, z,
                       {1.19825839466702e-06, 1.18534705686654e-04,
                        2.26843463243900e-03, 4.89352518554385e-03});
  Value quotient = k.divF(k.mulF(inside, p), q);
  // Near zero the quotient's own rounding exceeds the error of x.
  Value small = k.cmpF(arith::CmpFPredicate::OLT,
                       math::AbsFOp::create(k.op(), x), k.splat(0.0004));
  return k.select(small, x, quotient);
}

Value dragoman::emitErf(KernelBuilder &k, Value x) {
  Value inside = limitAbove(k, limitBelow(k, x, -4), 4);
  Value z = k.mulF(inside, inside);
  Value p = polynomial(k, z,
                       {-2.72614225801306e-10, 2.77068142495902e-08,
                        -2.10102402082508e-06, -5.69250639462346e-05,
                        -7.34990630326855e-04, -2.95459980854025e-03,
                        -1.60960333262415e-02});
  Value q = polynomial(k, z,
                       {-1.45660718464996e-05, -2.13374055278905e-04,
                        -1.68282697438203e-03, -7.37332916720468e-03,
                        -1.42647390514189e-02});
  return k.divF(k.mulF(p, inside), q);
}

Value dragoman::emitRelu(KernelBuilder &k, Value x) {
  return limitBelow(k, x, 0);
}

Value dragoman::emitGelu(KernelBuilder &k, Value x) {
  Value erf = emitErf(k, k.mulF(x, k.splat(0.70710678118654752)));
  return k.mulF(k.mulF(x, k.splat(0.5)), k.addF(k.splat(1), erf));
}

Value dragoman::emitGeluTanh(KernelBuilder &k, Value x) {
  // 2 u = 2 sqrt(2 / pi) (x + 0.044715 x^3)
  Value slope =
      k.fma(k.mulF(x, x), k.splat(0.07135481627), k.splat(1.595769122));
  return divideByLogistic(k, x, k.mulF(x, slope));
}

Value dragoman::emitSilu(KernelBuilder &k, Value x) {
  return divideByLogistic(k, x, x);
}

std::optional<Activation> dragoman::parseActivation(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Activation>>(name)
      .Case("none", Activation::None)
      .Case("relu", Activation::Relu)
      .Case("gelu", Activation::Gelu)
      .Case("gelu_tanh", Activation::GeluTanh)
      .Case("silu", Activation::Silu)
      .Case("sigmoid", Activation::Sigmoid)
      .Case("tanh", Activation::Tanh)
      .Default(std::nullopt);
}

Value dragoman::emitActivation(KernelBuilder &k, Activation activation,
                               Value x) {
  switch (activation) {
  case Activation::None:
    return x;
  case Activation::Relu:
    return emitRelu(k, x);
  case Activation::Gelu:
    return emitGelu(k, x);
  case Activation::GeluTanh:
    return emitGeluTanh(k, x);
  case Activation::Silu:
    return emitSilu(k, x);
  case Activation::Sigmoid:
    return emitSigmoid(k, x);
  case Activation::Tanh:
    return emitTanh(k, x);
  }
  llvm_unreachable("all activations are handled");
}
