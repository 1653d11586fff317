//===- SoftmaxSlices.cpp - The walk that both softmaxes share -------------===//
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

Status
xf::evaluateSlices(ReferenceCall &call, SoftmaxOperands operands, double hidden,
                   llvm::function_ref<double(double, double, double)> write) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Tensor &x = call.operand(operands.x);
  const Tensor *mask = call.optional(operands.mask);
  const Tensor *keyCount = call.optional(operands.keyCount);
  int64_t axis = operands.axis < 0 ? operands.axis + x.rank() : operands.axis;
  std::optional<BroadcastReader> maskAt;
  if (mask) {
    maskAt.emplace(*mask, operands.mask.getType());
    DRAGOMAN_RETURN_IF_ERROR(maskAt->fits("mask", x.shape()));
  }
  if (keyCount && keyCount->dim(0) != x.dim(0))
    return sizeError("key_count", {x.dim(0)}, keyCount->shape());

  Tensor y = call.makeResult(0, x.shape());
  double *out = y.mutableFloats();
  std::vector<int64_t> strides = x.strides(), index(x.rank());
  int64_t size = x.dim(axis), stride = strides[axis];
  std::vector<char> visible(size);
  for (int64_t linear = 0; linear < x.elements(); ++linear) {
    int64_t rest = linear;
    for (int64_t other = 0; other < x.rank(); ++other) {
      index[other] = rest / strides[other];
      rest %= strides[other];
    }
    if (index[axis] != 0) // not the first element of a slice
      continue;
    double maximum = -infinity, sum = 0;
    bool poisoned = false;
    for (int64_t j = 0; j < size; ++j) {
      index[axis] = j;
      bool shown =
          !mask || mask->integers()[maskAt->linear(index.data(), index.size())];
      // With axis 0 the row of key_count is the entry's own index.
      visible[j] = shown && (!keyCount || j < keyCount->integers()[index[0]]);
      double value = x.floats()[linear + j * stride];
      if (visible[j] && value > maximum)
        maximum = value;
      poisoned |= visible[j] && std::isnan(value);
    }
    bool empty = maximum == -infinity && !poisoned;
    for (int64_t j = 0; j < size; ++j)
      if (visible[j])
        sum += std::exp(x.floats()[linear + j * stride] - maximum);
    for (int64_t j = 0; j < size; ++j) {
      int64_t at = linear + j * stride;
      out[at] =
          visible[j] && !empty ? write(x.floats()[at], maximum, sum) : hidden;
    }
  }
  call.results = {y};
  return Status::ok();
}
