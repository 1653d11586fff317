//===- Gradients.cpp - Reverse mode of one op -----------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/upstream/Gradients.h"

#include "dialects/upstream/GradientParts.h"
#include "dialects/upstream/MathDerivatives.h"
#include "dialects/xf/decompose/TensorBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace dragoman;
using mlir::Value;

bool dragoman::isDifferentiable(Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && llvm::isa<mlir::FloatType>(type.getElementType());
}

Value dragoman::sumOf(mlir::OpBuilder &builder, mlir::Location loc, Value a,
                      Value b) {
  if (!a || !b)
    return a ? a : b;
  return mlir::arith::AddFOp::create(builder, loc, a, b);
}

Value dragoman::zerosLike(mlir::OpBuilder &builder, mlir::Location loc,
                          Value like) {
  xf::TensorBuilder tensors(builder, loc);
  mlir::RankedTensorType type = xf::tensorType(like);
  Value zero =
      xf::ScalarBuilder(builder, loc).constant(type.getElementType(), 0.0);
  Value empty = mlir::tensor::EmptyOp::create(builder, loc, tensors.sizes(like),
                                              type.getElementType());
  Value filled =
      mlir::linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  return tensors.ofType(filled, type);
}

Gradients dragoman::buildGradientOf(mlir::Operation *op,
                                    mlir::OpBuilder &builder,
                                    mlir::ValueRange cotangents,
                                    llvm::ArrayRef<bool> wanted) {
  assert(cotangents.size() == op->getNumResults() &&
         wanted.size() == op->getNumOperands() && "one per result, operand");
  llvm::SmallVector<Value> none(op->getNumOperands());
  if (llvm::none_of(cotangents, [](Value value) { return bool(value); }) ||
      llvm::none_of(wanted, [](bool flag) { return flag; }))
    return none;
  if (auto differentiable = llvm::dyn_cast<xf::DifferentiableOpInterface>(op))
    return differentiable.buildGradient(builder, cotangents, wanted);
  if (auto linalg = llvm::dyn_cast<mlir::linalg::LinalgOp>(op))
    return gradientOfLinalg(linalg, builder, cotangents, wanted);
  if (std::optional<Gradients> known =
          gradientOfTensorOp(op, builder, cotangents[0], wanted))
    return *known;
  if (op->hasTrait<mlir::OpTrait::Elementwise>() && hasScalarDerivative(op))
    return gradientOfElementwise(op, builder, cotangents, wanted);
  op->emitOpError("has no gradient");
  return mlir::failure();
}
