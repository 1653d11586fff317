//===- CrossEntropy.cpp - Gradient of xf.cross_entropy -------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/decompose/LossBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

/// The cotangent of each row's loss, from that of the reduced one.
static Value lossOfRows(CrossEntropyOp op, TensorBuilder &tensors,
                        Value dloss) {
  if (op.getReduce() == "none")
    return tensors.ofType(dloss, op.getLse().getType());
  mlir::Type acc = tensorType(dloss).getElementType();
  llvm::SmallVector<GenericInput> inputs = {tensors.onLoops(dloss, {}, 1)};
  if (op.getReduce() == "mean")
    inputs.push_back(tensors.onLoops(buildCountedWeight(tensors, op.getTarget(),
                                                        op.getClassWeight(),
                                                        op.getIgnore(), acc),
                                     {}, 1));
  Value rows = tensors.elementwise(
      inputs, tensors.sizes(op.getTarget()), acc,
      [&](ScalarBuilder &scalar, mlir::ValueRange in) -> Value {
        if (in.size() == 1)
          return in[0];
        Value zero = scalar.constant(acc, 0.0);
        return scalar.select(scalar.equal(in[1], zero), zero,
                             scalar.divide(in[0], in[1]));
      });
  return tensors.ofType(rows, op.getLse().getType());
}

/// dlogits + dlse * softmax on the allowed ids of the rows that count.
static Value addGradientOfLse(CrossEntropyOp op, TensorBuilder &tensors,
                              Value dlogits, Value dlse) {
  mlir::RankedTensorType type = tensorType(op.getLogits());
  mlir::Type element = type.getElementType(),
             acc = tensorType(dlse).getElementType();
  auto identity = tensors.builder.getMultiDimIdentityMap(2);
  llvm::SmallVector<GenericInput> inputs = {
      {op.getLogits(), identity},
      tensors.onLoops(op.getLse(), {0}, 2),
      tensors.onLoops(dlse, {0}, 2),
      tensors.onLoops(op.getTarget(), {0}, 2)};
  if (dlogits)
    inputs.push_back({dlogits, identity});
  Value sum = tensors.elementwise(
      inputs, tensors.sizes(op.getLogits()), element,
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value softmax =
            scalar.exp(scalar.subtract(scalar.cast(in[0], acc), in[1]));
        Value zero = scalar.constant(acc, 0.0);
        Value taken = buildCounts(scalar, in[3], op.getIgnore());
        for (int64_t id : op.getForbidden())
          taken = scalar.both(taken, mlir::arith::CmpIOp::create(
                                         scalar.builder, scalar.loc,
                                         mlir::arith::CmpIPredicate::ne,
                                         scalar.loop(1), scalar.index(id)));
        Value part =
            scalar.select(taken, scalar.multiply(in[2], softmax), zero);
        if (dlogits)
          part = scalar.add(part, scalar.cast(in[4], acc));
        return scalar.cast(part, element);
      });
  return tensors.ofType(sum, type);
}

llvm::FailureOr<llvm::SmallVector<Value>>
CrossEntropyOp::buildGradient(mlir::OpBuilder &builder,
                              mlir::ValueRange cotangents,
                              llvm::ArrayRef<bool> wanted) {
  llvm::SmallVector<Value> gradients(getNumOperands());
  if (getClassWeight() && wanted[2] && cotangents[0])
    return emitOpError("has no gradient of class_weight");
  if (!wanted[0])
    return gradients;
  TensorBuilder tensors(builder, getLoc());
  if (cotangents[0]) {
    mlir::Type rows = getLse().getType();
    gradients[0] =
        CrossEntropyGradOp::create(
            builder, getLoc(), getLogits().getType(), rows, rows, rows, rows,
            getLogits(), getTarget(), lossOfRows(*this, tensors, cotangents[0]),
            getClassWeight(), getSmoothingAttr(), getIgnoreAttr(),
            getForbiddenAttr(), getSiteAttr())
            .getDlogits();
  }
  if (cotangents[1])
    gradients[0] =
        addGradientOfLse(*this, tensors, gradients[0], cotangents[1]);
  return gradients;
}
