//===- SoftmaxAlongAxis.h - Decomposition of both softmaxes -----*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_DECOMPOSE_SOFTMAXALONGAXIS_H
#define DRAGOMAN_DIALECTS_XF_DECOMPOSE_SOFTMAXALONGAXIS_H

#include "dialects/xf/decompose/TensorBuilder.h"

namespace dragoman::xf {

/// softmax or log_softmax of `x` along `axis`; mask and keyCount may be null.
mlir::Value buildSoftmax(TensorBuilder &tensors, mlir::Value x,
                         mlir::Value mask, mlir::Value keyCount, int64_t axis,
                         bool logarithm);

} // namespace dragoman::xf

#endif // DRAGOMAN_DIALECTS_XF_DECOMPOSE_SOFTMAXALONGAXIS_H
