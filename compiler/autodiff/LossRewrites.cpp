//===- LossRewrites.cpp - Rewrites of a loss around its gradient ----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/autodiff/LossRewrites.h"

#include "dialects/xf/Xf.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace dragoman;
using mlir::RankedTensorType;
using mlir::Value;

Value autodiff::reshaped(mlir::OpBuilder &builder, mlir::Location loc,
                         Value value, llvm::ArrayRef<int64_t> shape) {
  auto type = llvm::cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  // Through one axis: a group of all axes, or none for a scalar.
  auto group = [](size_t rank) {
    llvm::SmallVector<mlir::ReassociationIndices> groups;
    if (rank > 0)
      groups.push_back(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    return groups;
  };
  if (type.getRank() != 1)
    value = type.getRank() == 0
                ? mlir::tensor::ExpandShapeOp::create(
                      builder, loc, type.clone(llvm::ArrayRef<int64_t>{1}),
                      value, group(0))
                      .getResult()
                : mlir::tensor::CollapseShapeOp::create(builder, loc, value,
                                                        group(type.getRank()))
                      .getResult();
  if (shape.size() == 1)
    return value;
  auto target = type.clone(shape);
  if (shape.empty())
    return mlir::tensor::CollapseShapeOp::create(builder, loc, target, value,
                                                 group(0));
  return mlir::tensor::ExpandShapeOp::create(builder, loc, target, value,
                                             group(shape.size()));
}

void autodiff::removeDropout(mlir::func::FuncOp function) {
  function.walk([](xf::DropoutOp dropout) {
    dropout.getY().replaceAllUsesWith(dropout.getX());
    dropout.erase();
  });
  function.walk([](xf::AttentionOp attention) {
    attention.setDropout(llvm::APFloat(0.0));
    attention.getSeedMutable().clear();
    attention.getRowKeyMutable().clear();
  });
}

void autodiff::splitActivations(mlir::func::FuncOp function) {
  function.walk([](xf::LinearOp linear) {
    std::string activation = linear.getActivation().str();
    bool gelu = activation == "gelu" || activation == "gelu_tanh";
    if (!gelu && activation != "silu")
      return;
    mlir::OpBuilder builder(linear.getContext());
    builder.setInsertionPointAfter(linear);
    linear.setActivation("none");
    mlir::Type type = linear.getY().getType();
    Value y =
        gelu ? xf::GeluOp::create(builder, linear.getLoc(), type, linear.getY(),
                                  activation == "gelu" ? "erf" : "tanh")
                   .getResult()
             : xf::SiluOp::create(builder, linear.getLoc(), type, linear.getY())
                   .getResult();
    linear.getY().replaceAllUsesExcept(y, y.getDefiningOp());
  });
}

/// True if `value` follows from a result of `op` in their block.
static bool dependsOn(Value value, mlir::Operation *op,
                      llvm::DenseSet<Value> &seen) {
  mlir::Operation *source = value.getDefiningOp();
  if (!source || !seen.insert(value).second)
    return false;
  if (source == op)
    return true;
  bool found = false;
  source->walk([&](mlir::Operation *inner) {
    for (Value operand : inner->getOperands())
      found = found || dependsOn(operand, op, seen);
  });
  return found;
}

/// The op and its gradient agree in everything but the cotangent.
static bool isPair(xf::LinearCrossEntropyOp op,
                   xf::LinearCrossEntropyGradOp gradient) {
  return llvm::equal(op->getOperands(),
                     llvm::drop_begin(gradient->getOperands())) &&
         op.getSmoothing() == gradient.getSmoothing() &&
         op.getIgnore() == gradient.getIgnore() &&
         op.getForbidden() == gradient.getForbidden() &&
         static_cast<bool>(op.getB()) == static_cast<bool>(gradient.getB());
}

void autodiff::mergeGradientPairs(mlir::func::FuncOp function) {
  llvm::SmallVector<xf::LinearCrossEntropyOp> ops(
      function.getOps<xf::LinearCrossEntropyOp>());
  bool merged = false;
  for (xf::LinearCrossEntropyOp op : ops)
    for (auto gradient : function.getOps<xf::LinearCrossEntropyGradOp>()) {
      if (!isPair(op, gradient))
        continue;
      // Sizes of the results are those of the rows.
      mlir::OpBuilder builder(op);
      for (mlir::Operation *user : llvm::make_early_inc_range(op->getUsers()))
        if (auto dim = llvm::dyn_cast<mlir::tensor::DimOp>(user)) {
          dim.replaceAllUsesWith(
              mlir::tensor::DimOp::create(builder, dim.getLoc(), op.getH(), 0)
                  .getResult());
          dim.erase();
        }
      llvm::DenseSet<Value> seen;
      if (dependsOn(gradient.getDloss(), op, seen))
        continue;
      for (auto [old, fresh] :
           llvm::zip(op->getResults(), gradient->getResults().take_front(3)))
        old.replaceAllUsesWith(fresh);
      op->erase();
      merged = true;
      break;
    }
  if (merged)
    mlir::sortTopologically(&function.getBody().front());
}
