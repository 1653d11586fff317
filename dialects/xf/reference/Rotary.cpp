//===- Rotary.cpp - Reference of xf.rotary --------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/Reference.h"

#include <algorithm>

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceRotary(ReferenceCall &call, mlir::Operation *operation) {
  auto op = llvm::cast<RotaryOp>(operation);
  const Tensor &x = call.operand(op.getX());
  const Tensor &cos = call.operand(op.getCos()); // [P,R/2]
  const Tensor &sin = call.operand(op.getSin());
  const Tensor *positions = call.optional(op.getPositions()); // [B,T]
  std::array<unsigned, 4> axes = AttentionOp::axes(op.getLayout());
  int64_t length = x.dim(axes[2]), half = cos.dim(1);
  std::vector<int64_t> rows = {x.dim(axes[0]), length};
  if (positions && positions->shape() != rows)
    return sizeError("positions", rows, positions->shape());
  if (cos.dim(0) == 0 || cos.shape() != sin.shape())
    return sizeError("sin", cos.shape(), sin.shape());
  Tensor y = x;
  double *out = y.mutableFloats();
  auto rotate = [&](int64_t row, int64_t position) {
    for (int64_t i = 0; i < half; ++i) {
      int64_t first = row + (op.getInterleaved() ? 2 * i : i);
      int64_t second = first + (op.getInterleaved() ? 1 : half);
      double c = cos.floats()[position * half + i],
             s = sin.floats()[position * half + i];
      if (op.getInverse())
        s = -s;
      double a = x.floats()[first], b = x.floats()[second];
      out[first] = a * c - b * s;
      out[second] = b * c + a * s;
    }
  };
  auto indexOf = [&](int64_t b, int64_t t) {
    int64_t position = positions ? positions->integers()[b * length + t] : t;
    if (position < 0 || position >= cos.dim(0))
      call.fail(op.getSite(), positions ? b * length + t : t, position,
                cos.dim(0));
    return std::clamp<int64_t>(position, 0, cos.dim(0) - 1);
  };
  std::vector<int64_t> strides = x.strides();
  for (int64_t b = 0; b < x.dim(axes[0]); ++b)
    for (int64_t t = 0; t < length; ++t) {
      int64_t position = indexOf(b, t);
      for (int64_t h = 0; h < x.dim(axes[1]); ++h)
        rotate(b * strides[axes[0]] + h * strides[axes[1]] +
                   t * strides[axes[2]],
               position);
    }
  call.results = {y};
  return Status::ok();
}
