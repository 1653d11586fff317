//===- OptimizerSupport.cpp - Checks that the optimisers share -----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OptimizerSupport.h"

using namespace dragoman;
using namespace dragoman::xf;
using llvm::LogicalResult;
using mlir::Operation;
using mlir::Value;

LogicalResult xf::verifyUpdated(Operation *op, Value p,
                                llvm::ArrayRef<Value> others) {
  for (Value value : others)
    if (value && value.getType() != p.getType())
      return op->emitOpError(
                 "expected gradient, moments and results of the type of p, ")
             << p.getType() << ", found " << value.getType();
  return mlir::success();
}

LogicalResult xf::verifyScalars(Operation *op, Value p,
                                llvm::ArrayRef<Value> scalars) {
  mlir::Type element = tensorType(p).getElementType();
  for (Value value : scalars) {
    if (!value)
      continue;
    mlir::RankedTensorType type = tensorType(value);
    bool isFloat = llvm::isa<mlir::FloatType>(type.getElementType());
    if (type.getRank() != 0 || (isFloat && type.getElementType() != element))
      return op->emitOpError("expected lr, step, scale and skip to be scalars, "
                             "floats of ")
             << element << ", found " << type;
  }
  return mlir::success();
}

LogicalResult xf::verifyFraction(Operation *op, llvm::StringRef name,
                                 const llvm::APFloat &value) {
  double number = value.convertToDouble();
  if (number >= 0 && number < 1)
    return mlir::success();
  return op->emitOpError("expected ") << name << " in [0, 1), found " << number;
}

LogicalResult xf::verifyNotNegative(Operation *op, llvm::StringRef name,
                                    const llvm::APFloat &value) {
  if (value.isFinite() && (!value.isNegative() || value.isZero()))
    return mlir::success();
  return op->emitOpError("expected a finite ")
         << name << " of 0 or more, found " << value.convertToDouble();
}

LogicalResult xf::verifyDecay(Operation *op, const llvm::APFloat &decay,
                              int64_t end) {
  if (failed(verifyNotNegative(op, "decay", decay)))
    return mlir::failure();
  if (end < -1)
    return op->emitOpError("expected decay_end of -1 or more, found ") << end;
  return mlir::success();
}
