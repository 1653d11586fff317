//===- SoftmaxAlongAxis.cpp - Decomposition of both softmaxes -------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/decompose/SoftmaxAlongAxis.h"

#include <limits>

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

/// Visibility as i1 of the shape of x, or null.
static Value buildVisible(TensorBuilder &tensors, Value x, Value mask,
                          Value keyCount, unsigned axis) {
  if (!mask && !keyCount)
    return nullptr;
  llvm::SmallVector<GenericInput> inputs;
  if (mask)
    inputs.push_back(tensors.broadcast(mask));
  return tensors.elementwise(
      inputs, tensors.sizes(x), tensors.builder.getI1Type(),
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        if (!keyCount)
          return in[0];
        Value counted = scalar.less(
            scalar.loop(axis), scalar.extractIndex(keyCount, scalar.loop(0)));
        return mask ? scalar.both(in[0], counted) : counted;
      });
}

Value xf::buildSoftmax(TensorBuilder &tensors, Value x, Value mask,
                       Value keyCount, int64_t axis, bool logarithm) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  mlir::OpBuilder &builder = tensors.builder;
  mlir::Type element = tensorType(x).getElementType(),
             acc = accumulatorType(element);
  unsigned rank = tensorType(x).getRank();
  axis = normalizeAxis(axis, rank);
  Value visible = buildVisible(tensors, x, mask, keyCount, axis);

  // The axis goes last, and back at the end.
  llvm::SmallVector<int64_t> last =
      llvm::to_vector(llvm::seq<int64_t>(0, rank));
  llvm::SmallVector<int64_t> back(rank);
  last.erase(last.begin() + axis);
  last.push_back(axis);
  for (unsigned i = 0; i < rank; ++i)
    back[last[i]] = i;
  bool moved = axis + 1 != rank;
  Value rows = tensors.cast(x, acc);
  if (moved) {
    rows = tensors.transpose(rows, last);
    visible = visible ? tensors.transpose(visible, last) : nullptr;
  }

  SoftmaxParts parts = buildSoftmaxParts(tensors, rows, visible);
  auto identity = builder.getMultiDimIdentityMap(rank);
  llvm::SmallVector<unsigned> outer = axisRange(0, rank - 1);
  llvm::SmallVector<GenericInput> inputs = {
      {rows, identity},
      tensors.onLoops(parts.maximum, outer, rank),
      tensors.onLoops(parts.sum, outer, rank)};
  if (visible)
    inputs.push_back({visible, identity});
  Value y = tensors.elementwise(
      inputs, tensors.sizes(rows), element,
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value hidden = scalar.constant(acc, logarithm ? -infinity : 0.0);
        Value distance = scalar.subtract(in[0], in[1]);
        Value value = logarithm ? scalar.subtract(distance, scalar.log(in[2]))
                                : scalar.divide(scalar.exp(distance), in[2]);
        Value empty = scalar.equal(in[2], scalar.constant(acc, 0.0));
        value = scalar.select(empty, hidden, value);
        if (visible)
          value = scalar.select(in[3], value, hidden);
        return scalar.cast(value, element);
      });
  return moved ? tensors.transpose(y, back) : y;
}
