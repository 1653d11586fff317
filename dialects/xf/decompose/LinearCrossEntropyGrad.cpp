//===- LinearCrossEntropyGrad.cpp - Decomposition of its op ---------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/decompose/LossBuilder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

/// h with zeros in ignored rows: they add nothing to dw, whatever they hold.
static Value countedRows(TensorBuilder &tensors, Value h, Value target,
                         int64_t ignore) {
  mlir::Type element = tensorType(h).getElementType();
  Value rows = tensors.elementwise(
      {{h, tensors.builder.getMultiDimIdentityMap(2)},
       tensors.onLoops(target, {0}, 2)},
      tensors.sizes(h), element,
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        return scalar.select(buildCounts(scalar, in[1], ignore), in[0],
                             scalar.constant(element, 0.0));
      });
  return tensors.ofType(rows, h.getType());
}

/// Sums of the columns of x [N,V], in acc, rounded once.
static Value columnSums(TensorBuilder &tensors, Value x) {
  mlir::Type element = tensorType(x).getElementType(),
             acc = accumulatorType(element);
  mlir::OpFoldResult sizes[] = {tensors.size(x, 1), tensors.size(x, 0)};
  Value sums =
      tensors.reduce({tensors.onLoops(x, {1, 0}, 2)}, sizes, 1, acc, 0.0,
                     [&](ScalarBuilder &scalar, auto in) {
                       return scalar.add(in[1], scalar.cast(in[0], acc));
                     });
  return tensors.cast(sums, element);
}

static Value sum(TensorBuilder &tensors, Value a, Value b) {
  auto identity =
      tensors.builder.getMultiDimIdentityMap(tensorType(a).getRank());
  return tensors.elementwise({{a, identity}, {b, identity}}, tensors.sizes(a),
                             tensorType(a).getElementType(),
                             [](ScalarBuilder &scalar, mlir::ValueRange in) {
                               return scalar.add(in[0], in[1]);
                             });
}

/// What the chunks start from: rows that each chunk writes, sums that are 0.
static llvm::SmallVector<Value> startValues(LinearCrossEntropyGradOp op,
                                            TensorBuilder &tensors) {
  llvm::SmallVector<Value> values;
  for (mlir::OpResult result : op->getResults()) {
    mlir::RankedTensorType type = tensorType(result);
    bool isSum = result.getResultNumber() >= 4;
    llvm::SmallVector<mlir::OpFoldResult> sizes =
        tensors.sizes(isSum ? op.getW() : op.getH());
    sizes.resize(type.getRank());
    Value value = mlir::tensor::EmptyOp::create(tensors.builder, op.getLoc(),
                                                sizes, type.getElementType());
    if (isSum)
      value = mlir::linalg::FillOp::create(
                  tensors.builder, op.getLoc(),
                  ScalarBuilder(tensors.builder, op.getLoc())
                      .constant(type.getElementType(), 0.0),
                  value)
                  .getResult(0);
    values.push_back(tensors.ofType(value, type));
  }
  return values;
}

llvm::FailureOr<llvm::SmallVector<Value>>
LinearCrossEntropyGradOp::decompose(mlir::OpBuilder &builder) {
  TensorBuilder tensors(builder, getLoc());
  mlir::RankedTensorType all = tensorType(getH()), w = tensorType(getW());
  mlir::Type element = all.getElementType(), acc = accumulatorType(element);
  auto product = [&](mlir::Type type, Value a, Value b, bool transposeA) {
    return MatmulOp::create(builder, getLoc(), type, a, b, transposeA,
                            /*transpose_b=*/false, llvm::APFloat(1.0));
  };
  return buildRowChunks(
      tensors, getH(), startValues(*this, tensors),
      [&](RowChunk chunk, mlir::ValueRange carried) {
        Value h = chunk.take(getH()), target = chunk.take(getTarget());
        int64_t count = tensorType(h).getDimSize(0);
        auto logits =
            mlir::RankedTensorType::get({count, w.getDimSize(0)}, element);
        auto rows = mlir::RankedTensorType::get({count}, acc);
        Value x =
            LinearOp::create(builder, getLoc(), logits, h, getW(), getB());
        auto losses = CrossEntropyGradOp::create(
            builder, getLoc(), logits, rows, rows, rows, rows, x, target,
            chunk.take(getDloss()), getClassWeight(), getSmoothingAttr(),
            getIgnoreAttr(), getForbiddenAttr(), getSiteAttr());
        Value dx = losses.getDlogits();
        Value dh = product(h.getType(), dx, getW(), /*transposeA=*/false);
        Value dw = product(w, dx, countedRows(tensors, h, target, getIgnore()),
                           /*transposeA=*/true);
        llvm::SmallVector<Value> results = {
            chunk.put(losses.getLoss(), carried[0]),
            chunk.put(losses.getNll(), carried[1]),
            chunk.put(losses.getCorrect(), carried[2]),
            chunk.put(dh, carried[3]), sum(tensors, carried[4], dw)};
        if (getB())
          results.push_back(sum(tensors, carried[5], columnSums(tensors, dx)));
        return results;
      });
}
