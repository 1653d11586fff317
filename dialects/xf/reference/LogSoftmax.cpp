//===- LogSoftmax.cpp - Reference of xf.log_softmax -----------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/SoftmaxSlices.h"

#include <cmath>
#include <limits>

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceLogSoftmax(ReferenceCall &call,
                               mlir::Operation *operation) {
  auto op = llvm::cast<LogSoftmaxOp>(operation);
  return evaluateSlices(
      call, {op.getX(), op.getMask(), op.getKeyCount(), op.getAxis()},
      -std::numeric_limits<double>::infinity(),
      [](double x, double maximum, double sum) {
        return (x - maximum) - std::log(sum);
      });
}
