//===- LossSupport.cpp - Checks that the losses share --------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/LossSupport.h"

using namespace dragoman;
using namespace dragoman::xf;
using llvm::LogicalResult;
using mlir::Operation;
using mlir::Value;

LogicalResult xf::verifyRows(Operation *op, mlir::Type element, int64_t rows,
                             llvm::ArrayRef<Value> values) {
  mlir::Type acc = accumulatorType(element);
  for (Value value : values)
    if (value && (tensorType(value).getElementType() != acc ||
                  !compatible(tensorType(value).getShape(), {rows})))
      return op->emitOpError("expected ")
             << acc << " of " << shapeText({rows}) << " for each row, found "
             << value.getType();
  return mlir::success();
}

LogicalResult xf::verifyTarget(Operation *op, mlir::RankedTensorType logits,
                               Value target, Value classWeight) {
  if (!compatible(tensorType(target).getShape(), {logits.getDimSize(0)}))
    return op->emitOpError("expected a target for each row, ")
           << shapeText({logits.getDimSize(0)}) << ", found "
           << target.getType();
  if (!classWeight)
    return mlir::success();
  mlir::RankedTensorType weight = tensorType(classWeight);
  if (weight.getElementType() != logits.getElementType() ||
      !compatible(weight.getShape(), {logits.getDimSize(1)}))
    return op->emitOpError("expected class weights of ")
           << shapeText({logits.getDimSize(1)}) << " "
           << logits.getElementType() << ", found " << weight;
  return mlir::success();
}

LogicalResult xf::verifySmoothing(Operation *op,
                                  const llvm::APFloat &smoothing) {
  double number = smoothing.convertToDouble();
  if (number >= 0 && number < 1)
    return mlir::success();
  return op->emitOpError("expected smoothing in [0, 1), found ") << number;
}

LogicalResult xf::verifyForbidden(Operation *op, int64_t vocabulary,
                                  llvm::ArrayRef<int64_t> forbidden) {
  int64_t last = -1;
  for (int64_t id : forbidden) {
    if (id <= last || id >= vocabulary)
      return op->emitOpError("expected forbidden ids that ascend within 0..")
             << vocabulary - 1 << ", found " << id;
    last = id;
  }
  if (static_cast<int64_t>(forbidden.size()) >= vocabulary)
    return op->emitOpError("expected an id that is not forbidden, found ")
           << vocabulary << " ids, all forbidden";
  return mlir::success();
}
