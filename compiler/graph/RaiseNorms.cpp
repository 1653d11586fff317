//===- RaiseNorms.cpp - xf-raise-norms --------------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/graph/Match.h"
#include "compiler/graph/Passes.h"
#include "dialects/xf/Xf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace dragoman {
#define GEN_PASS_DEF_XFRAISENORMS
#include "compiler/graph/Passes.h.inc"
} // namespace dragoman

using namespace dragoman;
using namespace mlir::arith;
using mlir::Value;

/// x if `value` is x^2, as a power or a product.
static Value matchSquare(Value value) {
  if (auto power = matchWithConstant<mlir::math::PowFOp>(value, false))
    return power->second == 2.0 ? power->first : Value();
  if (auto product = matchBinary<MulFOp>(value))
    return product->first == product->second ? product->first : Value();
  return {};
}

/// y and eps if `value` is sqrt(mean(y^2) + eps) over the last axis of y.
static std::optional<std::pair<Value, double>>
matchRootMeanSquare(Value value) {
  Value root = matchUnary<mlir::math::SqrtOp>(stripUnitReshapes(value));
  if (!root)
    return std::nullopt;
  auto sum = matchWithConstant<AddFOp>(stripUnitReshapes(root), true);
  if (!sum)
    return std::nullopt;
  Value square = matchMeanOfLastAxis(sum->first);
  Value inner = square ? matchSquare(square) : Value();
  if (!inner)
    return std::nullopt;
  return std::make_pair(inner, sum->second);
}

/// x if `value` is x - mean(x) over the last axis.
static Value matchCentred(Value value) {
  auto difference = matchBinary<SubFOp>(value);
  if (!difference ||
      matchMeanOfLastAxis(difference->second) != difference->first)
    return {};
  return difference->first;
}

/// True if `value` has the shape of the last axis of `type`.
static bool isLastAxisVector(Value value, mlir::RankedTensorType type) {
  auto vector = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return vector && vector.getRank() == 1 &&
         vector.getDimSize(0) == type.getShape().back() &&
         vector.getElementType() == type.getElementType();
}

/// If the only use of `value` is OpT with a vector of the last axis, that
/// vector; `value` then becomes the result of the use.
template <typename OpT> static Value absorbVector(Value &value) {
  if (!value.hasOneUse())
    return {};
  auto user = llvm::dyn_cast<mlir::linalg::GenericOp>(*value.user_begin());
  if (!user || user->getNumResults() != 1)
    return {};
  auto operands = matchBinary<OpT>(user->getResult(0));
  if (!operands)
    return {};
  Value other = operands->first == value ? operands->second : operands->first;
  auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  if (user->getResult(0).getType() != type || !isLastAxisVector(other, type))
    return {};
  value = user->getResult(0);
  return other;
}

namespace {
struct XfRaiseNormsPass : impl::XfRaiseNormsBase<XfRaiseNormsPass> {
  void runOnOperation() override {
    llvm::SmallVector<mlir::linalg::GenericOp> quotients;
    getOperation().walk(
        [&](mlir::linalg::GenericOp generic) { quotients.push_back(generic); });
    for (mlir::linalg::GenericOp generic : quotients)
      raise(generic);
  }

private:
  void raise(mlir::linalg::GenericOp generic) {
    if (generic->getNumResults() != 1)
      return;
    auto quotient = matchBinary<DivFOp>(generic->getResult(0));
    if (!quotient)
      return;
    auto scale = matchRootMeanSquare(quotient->second);
    if (!scale || scale->first != quotient->first)
      return;
    Value centred = matchCentred(quotient->first);
    Value result = generic->getResult(0);
    Value gain = absorbVector<MulFOp>(result);
    Value bias = centred ? absorbVector<AddFOp>(result) : Value();
    mlir::OpBuilder builder(result.getDefiningOp());
    mlir::FloatAttr eps = builder.getF64FloatAttr(scale->second);
    Value norm;
    if (centred)
      norm = xf::LayerNormOp::create(builder, result.getLoc(), result.getType(),
                                     centred, gain, bias, eps,
                                     builder.getI64IntegerAttr(1));
    else
      norm = xf::RmsNormOp::create(builder, result.getLoc(), result.getType(),
                                   quotient->first, gain, eps,
                                   builder.getI64IntegerAttr(1));
    result.replaceAllUsesWith(norm);
  }
};
} // namespace
