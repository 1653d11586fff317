//===- SoftmaxAlongAxis.cpp - Gradient of both softmaxes ------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/gradient/SoftmaxAlongAxis.h"

#include <limits>

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

Value xf::buildSoftmaxGradient(TensorBuilder &tensors, Value y, Value dy,
                               int64_t axis, bool logarithm) {
  mlir::RankedTensorType type = tensorType(y);
  mlir::Type element = type.getElementType(), acc = accumulatorType(element);
  unsigned rank = type.getRank(), along = normalizeAxis(axis, rank);
  double hidden = logarithm ? -std::numeric_limits<double>::infinity() : 0.0;
  auto isHidden = [&](ScalarBuilder &scalar, Value value) {
    return scalar.equal(value, scalar.constant(acc, hidden));
  };
  // The sum over the axis, which is the last loop.
  llvm::SmallVector<unsigned> outer = axisRange(0, rank), loops(rank);
  outer.erase(outer.begin() + along);
  for (auto [loop, other] : llvm::enumerate(outer))
    loops[other] = loop;
  loops[along] = rank - 1;
  llvm::SmallVector<mlir::OpFoldResult> all = tensors.sizes(y), sizes;
  for (unsigned other : outer)
    sizes.push_back(all[other]);
  sizes.push_back(all[along]);
  Value sum = tensors.reduce(
      {tensors.onLoops(y, loops, rank), tensors.onLoops(dy, loops, rank)},
      sizes, 1, acc, 0.0, [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value value = scalar.cast(in[0], acc), term = scalar.cast(in[1], acc);
        if (!logarithm)
          term = scalar.multiply(value, term);
        term = scalar.select(isHidden(scalar, value), scalar.constant(acc, 0.0),
                             term);
        return scalar.add(in.back(), term);
      });
  auto identity = tensors.builder.getMultiDimIdentityMap(rank);
  Value dx = tensors.elementwise(
      {{y, identity}, {dy, identity}, tensors.onLoops(sum, outer, rank)}, all,
      element, [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value value = scalar.cast(in[0], acc), d = scalar.cast(in[1], acc);
        Value slope =
            logarithm
                ? scalar.subtract(d, scalar.multiply(scalar.exp(value), in[2]))
                : scalar.multiply(value, scalar.subtract(d, in[2]));
        slope = scalar.select(isHidden(scalar, value),
                              scalar.constant(acc, 0.0), slope);
        return scalar.cast(slope, element);
      });
  return tensors.ofType(dx, type);
}
