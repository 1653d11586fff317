//===- Activations.h - Derivatives of activations and gates ---------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_GRADIENT_ACTIVATIONS_H
#define DRAGOMAN_DIALECTS_XF_GRADIENT_ACTIVATIONS_H

#include "dialects/xf/decompose/TensorBuilder.h"

namespace dragoman::xf {

/// The derivative of ScalarBuilder::activation(name, x) at x; that of relu is 0
/// at 0.
mlir::Value activationDerivative(ScalarBuilder &scalar, llvm::StringRef name,
                                 mlir::Value x);

/// dy * activation'(x), elementwise over two tensors of x's type.
mlir::Value buildActivationGradient(TensorBuilder &tensors,
                                    llvm::StringRef name, mlir::Value x,
                                    mlir::Value dy);

/// True if the derivative follows from the result alone.
bool derivativeFromResult(llvm::StringRef name);

/// The same as buildActivationGradient from y = activation(x).
mlir::Value buildActivationGradientFromResult(TensorBuilder &tensors,
                                              llvm::StringRef name,
                                              mlir::Value y, mlir::Value dy);

} // namespace dragoman::xf

#endif // DRAGOMAN_DIALECTS_XF_GRADIENT_ACTIVATIONS_H
