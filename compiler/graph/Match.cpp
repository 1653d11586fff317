//===- Match.cpp - Reading elementwise graphs by meaning --------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/graph/Match.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace dragoman;
using mlir::Value;

std::optional<double> dragoman::constantValue(Value value) {
  mlir::Attribute attr;
  if (!mlir::matchPattern(value, mlir::m_Constant(&attr)))
    return std::nullopt;
  if (auto elements = llvm::dyn_cast<mlir::DenseElementsAttr>(attr)) {
    if (!elements.isSplat() && elements.getNumElements() != 1)
      return std::nullopt;
    if (llvm::isa<mlir::FloatType>(elements.getElementType()))
      return (*elements.getValues<mlir::APFloat>().begin()).convertToDouble();
    return static_cast<double>(
        (*elements.getValues<mlir::APInt>().begin()).getSExtValue());
  }
  if (auto number = llvm::dyn_cast<mlir::FloatAttr>(attr))
    return number.getValueAsDouble();
  if (auto number = llvm::dyn_cast<mlir::IntegerAttr>(attr))
    return static_cast<double>(number.getValue().getSExtValue());
  return std::nullopt;
}

Value dragoman::tensorOfScalar(mlir::linalg::GenericOp generic, Value scalar) {
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(scalar);
  if (!argument || argument.getOwner() != generic.getBody() ||
      argument.getArgNumber() >= generic.getNumDpsInputs())
    return {};
  return generic.getDpsInputOperand(argument.getArgNumber())->get();
}

std::optional<double>
dragoman::constantOfScalar(mlir::linalg::GenericOp generic, Value scalar) {
  if (Value tensor = tensorOfScalar(generic, scalar))
    return constantValue(tensor);
  return constantValue(scalar);
}

Value Elementwise::tensor(unsigned index) const {
  return tensorOfScalar(generic, scalar->getOperand(index));
}

std::optional<double> Elementwise::constant(unsigned index) const {
  mlir::linalg::GenericOp op = generic;
  return constantOfScalar(op, scalar->getOperand(index));
}

Elementwise dragoman::matchElementwise(Value value) {
  auto generic = value.getDefiningOp<mlir::linalg::GenericOp>();
  if (!generic || generic.getNumResults() != 1 ||
      generic.getNumReductionLoops() != 0)
    return {};
  mlir::Operation *scalar =
      generic.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (!scalar)
    return {};
  return {generic, scalar};
}

/// `scalar` = 1 / (1 + exp(-x)) inside one body; returns x.
static Value sigmoidOfScalar(mlir::linalg::GenericOp generic,
                             mlir::Operation *scalar) {
  auto div = llvm::dyn_cast<mlir::arith::DivFOp>(scalar);
  if (!div || constantOfScalar(generic, div.getLhs()) != 1.0)
    return {};
  auto add = div.getRhs().getDefiningOp<mlir::arith::AddFOp>();
  if (!add)
    return {};
  Value other;
  if (constantOfScalar(generic, add.getLhs()) == 1.0)
    other = add.getRhs();
  else if (constantOfScalar(generic, add.getRhs()) == 1.0)
    other = add.getLhs();
  auto exp = other ? other.getDefiningOp<mlir::math::ExpOp>() : nullptr;
  auto neg =
      exp ? exp.getOperand().getDefiningOp<mlir::arith::NegFOp>() : nullptr;
  return neg ? neg.getOperand() : Value();
}

Value dragoman::matchSigmoid(Value value) {
  Elementwise match = matchElementwise(value);
  if (!match)
    return {};
  if (Value inner = sigmoidOfScalar(match.generic, match.scalar))
    return tensorOfScalar(match.generic, inner);
  // In parts: 1 / add(1, exp(neg(x))).
  if (!llvm::isa<mlir::arith::DivFOp>(match.scalar) ||
      match.constant(0) != 1.0 || !match.tensor(1))
    return {};
  auto sum = matchWithConstant<mlir::arith::AddFOp>(match.tensor(1), true);
  if (!sum || sum->second != 1.0)
    return {};
  Value power = matchUnary<mlir::math::ExpOp>(sum->first);
  return power ? matchUnary<mlir::arith::NegFOp>(power) : Value();
}

/// The axes of a shape that are not statically 1.
static llvm::SmallVector<int64_t> withoutUnits(Value value) {
  llvm::SmallVector<int64_t> sizes;
  for (int64_t size :
       llvm::cast<mlir::RankedTensorType>(value.getType()).getShape())
    if (size != 1)
      sizes.push_back(size);
  return sizes;
}

Value dragoman::stripUnitReshapes(Value value) {
  while (mlir::Operation *op = value.getDefiningOp()) {
    if (!llvm::isa<mlir::tensor::ExpandShapeOp, mlir::tensor::CollapseShapeOp>(
            op) ||
        withoutUnits(op->getOperand(0)) != withoutUnits(value))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The input of a sum over the last axis, or null.
static Value matchSumOfLastAxis(Value value) {
  auto linalg = value.getDefiningOp<mlir::linalg::LinalgOp>();
  if (!linalg || linalg.getNumDpsInputs() != 1 ||
      linalg->getNumResults() != 1 || linalg.getNumReductionLoops() != 1)
    return {};
  Value input = linalg.getDpsInputOperand(0)->get();
  auto maps = linalg.getIndexingMapsArray();
  unsigned loops = linalg.getNumLoops();
  if (!maps[0].isIdentity() ||
      !llvm::is_contained({mlir::utils::IteratorType::reduction},
                          linalg.getIteratorTypesArray().back()) ||
      loops !=
          static_cast<unsigned>(
              llvm::cast<mlir::RankedTensorType>(input.getType()).getRank()))
    return {};
  mlir::Block *body = linalg.getBlock();
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<mlir::arith::AddFOp>();
  if (!add || !llvm::is_contained(add->getOperands(), body->getArgument(0)) ||
      !llvm::is_contained(add->getOperands(), body->getArgument(1)))
    return {};
  auto fill =
      linalg.getDpsInitOperand(0)->get().getDefiningOp<mlir::linalg::FillOp>();
  if (!fill || constantValue(fill.getInputs()[0]) != 0.0)
    return {};
  return input;
}

Value dragoman::matchMeanOfLastAxis(Value value) {
  value = stripUnitReshapes(value);
  auto divided = matchWithConstant<mlir::arith::DivFOp>(value, false);
  auto scaled = matchWithConstant<mlir::arith::MulFOp>(value, true);
  if (!divided && !scaled)
    return {};
  Value sum = stripUnitReshapes(divided ? divided->first : scaled->first);
  Value input = matchSumOfLastAxis(sum);
  if (!input)
    return {};
  int64_t extent =
      llvm::cast<mlir::RankedTensorType>(input.getType()).getShape().back();
  if (mlir::ShapedType::isDynamic(extent))
    return {};
  bool same = divided ? divided->second == static_cast<double>(extent)
                      : static_cast<float>(scaled->second) ==
                            static_cast<float>(1.0 / extent);
  return same ? input : Value();
}
