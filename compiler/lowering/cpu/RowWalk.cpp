//===- RowWalk.cpp - Walks over the rows of a rowwise root ----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/RowWalk.h"

#include "compiler/lowering/cpu/ElementwiseKernel.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace dragoman;

using Values = KernelBuilder::Values;

bool dragoman::dependsOn(Value tensor, Operation *root) {
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return false;
  return op == root || llvm::any_of(op->getOperands(), [&](Value operand) {
           return dependsOn(operand, root);
         });
}

llvm::SmallVector<Value>
dragoman::resultsOfShape(KernelBody &body, llvm::ArrayRef<DimExpr> dims) {
  auto isOfShape = [&](Value tensor) {
    return llvm::ArrayRef(body.analysis.dimsOf(tensor)) == dims;
  };
  llvm::SmallVector<Value> results;
  for (Value tensor : body.yield().getOperands()) {
    while (!isOfShape(tensor) && tensor.getDefiningOp() &&
           isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(
               tensor.getDefiningOp()))
      tensor = tensor.getDefiningOp()->getOperand(0);
    results.push_back(isOfShape(tensor) ? tensor : Value());
  }
  return results;
}

void RowWalk::prepare() {
  Value y = axes.root->getResult(0);
  columns = body.value(axes.columns);
  strides = body.denseStrides(y);
  llvm::SmallVector<DimExpr> dims = body.analysis.dimsOf(y);
  for (auto [axis, dim] : llvm::enumerate(dims)) {
    bool along = axis >= axes.first && axis < axes.first + axes.count;
    (along ? columnSizes : rowSizes).push_back(body.value(dim));
  }
}

void RowWalk::start(Value row) {
  pull.newElements();
  indices = pull.delinearize(pull.uniform(row), rowSizes);
  indices.insert(indices.begin() + axes.first, axes.count, Lanes());
}

void RowWalk::setColumn(Value column) {
  pull.newElements();
  Lanes ramp = pull.ramp(column, 1, true);
  llvm::SmallVector<Lanes> inside = pull.delinearize(ramp, columnSizes);
  llvm::copy(inside, indices.begin() + axes.first);
}

Lanes RowWalk::offset() {
  Lanes sum = pull.constant(0);
  for (auto [index, stride] : llvm::zip(indices, strides))
    sum = pull.add(sum, pull.mul(index, body.value(stride)));
  return sum;
}

Values
RowWalk::carry(ValueRange init,
               llvm::function_ref<Values(Value, Value, ValueRange)> step) {
  Value zero = k.index(0);
  Value whole = k.sub(columns, k.rem(columns, kernelLanes));
  Values sums = k.forLoop(zero, whole, kernelLanes, init,
                          [&](Value column, ValueRange carried) {
                            setColumn(column);
                            return step(column, Value(), carried);
                          });
  if (std::optional<int64_t> known = getConstantIntValue(columns);
      known && *known % kernelLanes == 0)
    return sums;
  llvm::SmallVector<Type> types(ValueRange(sums).getTypes());
  return k.ifElse(
      k.less(whole, columns), types,
      [&] {
        setColumn(whole);
        return step(whole, k.tailMask(k.sub(columns, whole)), sums);
      },
      [&] { return sums; });
}

void RowWalk::each(llvm::function_ref<void(Value, Value)> step) {
  forColumns(k, k.index(0), columns, [&](Value column, Value mask) {
    setColumn(column);
    step(column, mask);
  });
}
