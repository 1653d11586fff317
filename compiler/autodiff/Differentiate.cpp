//===- Differentiate.cpp - Reverse mode over functions --------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/autodiff/Differentiate.h"

#include "dialects/upstream/Gradients.h"

#include "llvm/ADT/DenseSet.h"

using namespace dragoman;
using mlir::Operation;
using mlir::Value;

namespace {

class Reverse {
public:
  Reverse(mlir::OpBuilder &builder, mlir::Block &block)
      : builder(builder), block(block) {}

  /// Marks what depends on `wanted`.
  void markActive(mlir::ValueRange wanted);
  void add(Value value, Value cotangent);
  mlir::LogicalResult visit(Operation *op);
  Value gradientOf(Value value) { return sums.lookup(value); }

private:
  bool dependsOnActive(Operation *op);
  mlir::LogicalResult refuseCaptures(Operation *op);

  mlir::OpBuilder &builder;
  mlir::Block &block;
  llvm::DenseSet<Value> active;
  llvm::DenseMap<Value, Value> sums;
};

} // namespace

bool Reverse::dependsOnActive(Operation *op) {
  bool found = false;
  op->walk([&](Operation *inner) {
    found |= llvm::any_of(inner->getOperands(),
                          [&](Value value) { return active.contains(value); });
  });
  return found;
}

void Reverse::markActive(mlir::ValueRange wanted) {
  active.insert_range(wanted);
  for (Operation &op : block)
    if (dependsOnActive(&op))
      for (Value result : op.getResults())
        if (isDifferentiable(result))
          active.insert(result);
}

void Reverse::add(Value value, Value cotangent) {
  if (!cotangent || !active.contains(value))
    return;
  Value &sum = sums[value];
  sum = sumOf(builder, cotangent.getLoc(), sum, cotangent);
}

/// A gradient reaches operands only, not what a region reads from around it.
mlir::LogicalResult Reverse::refuseCaptures(Operation *op) {
  Value captured;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (inner != op && active.contains(operand) &&
          !llvm::is_contained(op->getOperands(), operand))
        captured = operand;
  });
  if (!captured)
    return mlir::success();
  return op->emitOpError("has no gradient of what its region reads, found ")
         << captured.getType();
}

mlir::LogicalResult Reverse::visit(Operation *op) {
  llvm::SmallVector<Value> cotangents;
  for (Value result : op->getResults())
    cotangents.push_back(sums.lookup(result));
  if (llvm::none_of(cotangents, [](Value value) { return bool(value); }))
    return mlir::success();
  if (failed(refuseCaptures(op)))
    return mlir::failure();
  llvm::SmallVector<bool> wanted;
  for (Value operand : op->getOperands())
    wanted.push_back(active.contains(operand));
  llvm::FailureOr<llvm::SmallVector<Value>> gradients =
      buildGradientOf(op, builder, cotangents, wanted);
  if (failed(gradients))
    return mlir::failure();
  for (auto [operand, gradient] : llvm::zip(op->getOperands(), *gradients))
    add(operand, gradient);
  return mlir::success();
}

llvm::FailureOr<llvm::SmallVector<Value>>
autodiff::buildReverse(mlir::OpBuilder &builder, mlir::Block &block,
                       mlir::ValueRange outputs, mlir::ValueRange cotangents,
                       mlir::ValueRange wanted) {
  Reverse reverse(builder, block);
  reverse.markActive(wanted);
  for (auto [output, cotangent] : llvm::zip(outputs, cotangents))
    reverse.add(output, cotangent);
  llvm::SmallVector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (failed(reverse.visit(op)))
      return mlir::failure();
  llvm::SmallVector<Value> gradients;
  for (Value value : wanted)
    gradients.push_back(reverse.gradientOf(value));
  return gradients;
}

llvm::FailureOr<mlir::func::FuncOp>
autodiff::differentiateFunction(mlir::func::FuncOp function,
                                const GradientRequest &request) {
  mlir::func::FuncOp gradient = function.clone();
  mlir::OpBuilder builder(function.getContext());
  builder.setInsertionPointAfter(function);
  builder.insert(gradient);
  gradient.setSymName((function.getSymName() + "_gradient").str());
  gradient.setPrivate();
  mlir::Block &block = gradient.getBody().front();
  auto terminator = llvm::cast<mlir::func::ReturnOp>(block.getTerminator());

  llvm::SmallVector<Value> outputs, cotangents, wanted;
  for (auto [flag, output] :
       llvm::zip(request.results, terminator.getOperands()))
    if (flag) {
      outputs.push_back(output);
      cotangents.push_back(
          block.addArgument(output.getType(), terminator.getLoc()));
    }
  for (auto [flag, argument] :
       llvm::zip(request.arguments, block.getArguments()))
    if (flag)
      wanted.push_back(argument);

  builder.setInsertionPoint(terminator);
  llvm::FailureOr<llvm::SmallVector<Value>> gradients =
      buildReverse(builder, block, outputs, cotangents, wanted);
  if (failed(gradients)) {
    gradient.erase();
    return mlir::failure();
  }
  for (auto [value, argument] : llvm::zip(*gradients, wanted))
    if (!value)
      value = zerosLike(builder, terminator.getLoc(), argument);
  terminator.getOperandsMutable().assign(*gradients);
  gradient.setResAttrsAttr({});
  llvm::SmallVector<mlir::Attribute> attributes;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    attributes.push_back(function.getArgAttrDict(i)
                             ? function.getArgAttrDict(i)
                             : builder.getDictionaryAttr({}));
  attributes.append(cotangents.size(), builder.getDictionaryAttr({}));
  gradient.setArgAttrsAttr(builder.getArrayAttr(attributes));
  gradient.setFunctionType(builder.getFunctionType(
      block.getArgumentTypes(), mlir::ValueRange(wanted).getTypes()));
  return gradient;
}
