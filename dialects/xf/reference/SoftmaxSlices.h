//===- SoftmaxSlices.h - The walk that both softmaxes share -----*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_REFERENCE_SOFTMAXSLICES_H
#define DRAGOMAN_DIALECTS_XF_REFERENCE_SOFTMAXSLICES_H

#include "dialects/xf/reference/Reference.h"

namespace dragoman::xf {

struct SoftmaxOperands {
  mlir::Value x, mask, keyCount;
  int64_t axis;
};

/// For each slice along the axis: `hidden` where an entry is not visible or no
/// visible entry is above -inf, else write(x, maximum, sum of exp(x -
/// maximum)).
Status evaluateSlices(ReferenceCall &call, SoftmaxOperands operands,
                      double hidden,
                      llvm::function_ref<double(double, double, double)> write);

} // namespace dragoman::xf

#endif // DRAGOMAN_DIALECTS_XF_REFERENCE_SOFTMAXSLICES_H
