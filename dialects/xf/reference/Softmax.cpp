//===- Softmax.cpp - Reference of xf.softmax ------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/SoftmaxSlices.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceSoftmax(ReferenceCall &call, mlir::Operation *operation) {
  auto op = llvm::cast<SoftmaxOp>(operation);
  return evaluateSlices(
      call, {op.getX(), op.getMask(), op.getKeyCount(), op.getAxis()}, 0.0,
      [](double x, double maximum, double sum) {
        return std::exp(x - maximum) / sum;
      });
}
