//===- SoftmaxAlongAxis.h - Gradient of both softmaxes --------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_GRADIENT_SOFTMAXALONGAXIS_H
#define DRAGOMAN_DIALECTS_XF_GRADIENT_SOFTMAXALONGAXIS_H

#include "dialects/xf/decompose/TensorBuilder.h"

namespace dragoman::xf {

/// dx of y = softmax(x), or log_softmax(x), along `axis`. Entries that the op
/// excluded (y is 0, or -inf) get exactly 0 and add nothing, whatever dy holds
/// there.
mlir::Value buildSoftmaxGradient(TensorBuilder &tensors, mlir::Value y,
                                 mlir::Value dy, int64_t axis, bool logarithm);

} // namespace dragoman::xf

#endif // DRAGOMAN_DIALECTS_XF_GRADIENT_SOFTMAXALONGAXIS_H
