//===- Glu.cpp - Reference of xf.glu --------------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/Reference.h"

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceGlu(ReferenceCall &call, mlir::Operation *operation) {
  auto op = llvm::cast<GluOp>(operation);
  const Tensor &x = call.operand(op.getX());
  int64_t axis = op.getAxis() < 0 ? op.getAxis() + x.rank() : op.getAxis();
  std::vector<int64_t> shape = x.shape();
  int64_t half = shape[axis] /= 2;
  Tensor y = call.makeResult(0, shape);
  // x [outer, 2*half, inner] -> y [outer, half, inner]
  int64_t inner = x.strides()[axis];
  int64_t outer = half ? y.elements() / (half * inner ? half * inner : 1) : 0;
  double *out = y.mutableFloats();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t c = 0; c < half * inner; ++c) {
      const double *first = x.floats() + o * 2 * half * inner + c;
      const double *second = first + half * inner;
      double value = op.getGateFirst() ? *second : *first;
      double gate = op.getGateFirst() ? *first : *second;
      out[o * half * inner + c] = value * applyActivation(op.getGate(), gate);
    }
  call.results = {y};
  return Status::ok();
}
