//===- VectorMath.h - Elementary functions on 16 lanes ----------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Straight-line code on vectors of 16 float32, the same operations at every CPU
// level, so the same bits. No reciprocal estimates (they differ between
// processors) and no library calls. NaN in gives NaN out everywhere: limits are
// taken with ordered comparisons that leave a NaN in place.
//
// Denormals are read and written as zero (the executor sets FTZ and DAZ).
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_VECTORMATH_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_VECTORMATH_H

#include "compiler/lowering/cpu/KernelBuilder.h"

#include <optional>

namespace dragoman {

/// 2^x for x <= 0: exactly 1 at 0, exactly 0 below -100. The exponential of
/// softmax and attention, within 2 ulp; x in (0, 126] is right as well.
mlir::Value emitExp2(KernelBuilder &k, mlir::Value x);
/// e^x on the whole range, within 2 ulp: overflows to infinity, underflows to
/// 0.
mlir::Value emitExp(KernelBuilder &k, mlir::Value x);
/// Natural logarithm within 2 ulp: -inf at 0, NaN below.
mlir::Value emitLog(KernelBuilder &k, mlir::Value x);
/// 1 / (1 + e^-x).
mlir::Value emitSigmoid(KernelBuilder &k, mlir::Value x);
/// Hyperbolic tangent, within 6 ulp.
mlir::Value emitTanh(KernelBuilder &k, mlir::Value x);
/// The error function, absolute error below 4e-7.
mlir::Value emitErf(KernelBuilder &k, mlir::Value x);
/// Maximum of 0 and x; a NaN stays.
mlir::Value emitRelu(KernelBuilder &k, mlir::Value x);
/// x * (1 + erf(x / sqrt 2)) / 2.
mlir::Value emitGelu(KernelBuilder &k, mlir::Value x);
/// The tanh form of GELU, as x * sigmoid(2 u).
mlir::Value emitGeluTanh(KernelBuilder &k, mlir::Value x);
/// x * sigmoid(x).
mlir::Value emitSilu(KernelBuilder &k, mlir::Value x);

/// What `linear` may apply behind its sum.
enum class Activation { None, Relu, Gelu, GeluTanh, Silu, Sigmoid, Tanh };

/// The activation of that name (none, relu, gelu, gelu_tanh, silu, sigmoid,
/// tanh), or nothing.
std::optional<Activation> parseActivation(llvm::StringRef name);

mlir::Value emitActivation(KernelBuilder &k, Activation activation,
                           mlir::Value x);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_VECTORMATH_H
