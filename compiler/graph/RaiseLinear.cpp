//===- RaiseLinear.cpp - xf-raise-linear ------------------------*- C++ -*-===//
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

#include <cmath>

namespace dragoman {
#define GEN_PASS_DEF_XFRAISELINEAR
#include "compiler/graph/Passes.h.inc"
} // namespace dragoman

using namespace dragoman;
using namespace mlir::arith;
using mlir::Value;

/// True if two constants are the same float32.
static bool sameFloat(double a, double b) {
  return static_cast<float>(a) == static_cast<float>(b);
}

/// x if `value` is x * sigmoid(x).
static Value matchSilu(Value value) {
  auto product = matchBinary<MulFOp>(value);
  if (!product)
    return {};
  for (auto [x, gate] :
       {*product, std::make_pair(product->second, product->first)})
    if (matchSigmoid(gate) == x)
      return x;
  return {};
}

/// x if `value` is 0.5 * x * (1 + f(inner)), in any order of the factors;
/// `inner` gets f(inner)'s value.
static Value matchHalfGate(Value value, Value &gate) {
  // Flatten the product: constants multiply, tensors collect.
  double constant = 1.0;
  llvm::SmallVector<Value> tensors, work{value};
  while (!work.empty()) {
    Value current = work.pop_back_val();
    if (auto scaled = matchWithConstant<MulFOp>(current, true)) {
      constant *= scaled->second;
      work.push_back(scaled->first);
    } else if (auto product = matchBinary<MulFOp>(current)) {
      work.push_back(product->first);
      work.push_back(product->second);
    } else {
      tensors.push_back(current);
    }
  }
  if (tensors.size() != 2 || !sameFloat(constant, 0.5))
    return {};
  for (unsigned side : {0u, 1u}) {
    auto sum = matchWithConstant<AddFOp>(tensors[side], true);
    if (sum && sum->second == 1.0) {
      gate = sum->first;
      return tensors[1 - side];
    }
  }
  return {};
}

/// x if `value` is gelu of x, by erf or by the tanh form; `kind` says which.
static Value matchGelu(Value value, llvm::StringRef &kind) {
  Value gate;
  Value x = matchHalfGate(value, gate);
  if (!x)
    return {};
  if (Value inner = matchUnary<mlir::math::ErfOp>(gate)) {
    kind = "gelu";
    if (auto scaled = matchWithConstant<MulFOp>(inner, true))
      return scaled->first == x && sameFloat(scaled->second, M_SQRT1_2)
                 ? x
                 : Value();
    auto divided = matchWithConstant<DivFOp>(inner, false);
    return divided && divided->first == x && sameFloat(divided->second, M_SQRT2)
               ? x
               : Value();
  }
  Value inner = matchUnary<mlir::math::TanhOp>(gate);
  auto scaled = inner ? matchWithConstant<MulFOp>(inner, true) : std::nullopt;
  if (!scaled || !sameFloat(scaled->second, std::sqrt(2.0 / M_PI)))
    return {};
  auto sum = matchBinary<AddFOp>(scaled->first);
  if (!sum)
    return {};
  Value cubic = sum->first == x ? sum->second : sum->first;
  auto term = matchWithConstant<MulFOp>(cubic, true);
  if (!term || !sameFloat(term->second, 0.044715))
    return {};
  auto power = matchWithConstant<mlir::math::PowFOp>(term->first, false);
  if (!power || power->first != x || power->second != 3.0)
    return {};
  kind = "gelu_tanh";
  return x;
}

/// The activation that `value` is of some x; empty if none.
static llvm::StringRef matchActivation(Value value, Value &x) {
  if ((x = matchSilu(value)))
    return "silu";
  if ((x = matchSigmoid(value)))
    return "sigmoid";
  llvm::StringRef kind;
  if ((x = matchGelu(value, kind)))
    return kind;
  if ((x = matchUnary<mlir::math::TanhOp>(value)))
    return "tanh";
  if (auto relu = matchWithConstant<MaximumFOp>(value, true);
      relu && relu->second == 0.0) {
    x = relu->first;
    return "relu";
  }
  return {};
}

namespace {
struct XfRaiseLinearPass : impl::XfRaiseLinearBase<XfRaiseLinearPass> {
  void runOnOperation() override {
    llvm::SmallVector<mlir::linalg::GenericOp> generics;
    getOperation().walk([&](mlir::linalg::GenericOp generic) {
      if (generic->getNumResults() == 1)
        generics.push_back(generic);
    });
    for (mlir::linalg::GenericOp generic : generics)
      raiseBias(generic);
    // The last op of an activation comes last, so its parts are dead by then.
    for (mlir::linalg::GenericOp generic : llvm::reverse(generics))
      raiseActivation(generic);
  }

private:
  void raiseBias(mlir::linalg::GenericOp generic) {
    auto sum = matchBinary<AddFOp>(generic->getResult(0));
    if (!sum)
      return;
    for (auto [value, other] :
         {*sum, std::make_pair(sum->second, sum->first)}) {
      auto linear = value.getDefiningOp<xf::LinearOp>();
      if (!linear || linear.getB() || linear.getActivation() != "none" ||
          !linear->hasOneUse() ||
          linear.getY().getType() != generic->getResult(0).getType())
        continue;
      auto bias = llvm::cast<mlir::RankedTensorType>(other.getType());
      auto type = llvm::cast<mlir::RankedTensorType>(linear.getY().getType());
      if (bias.getRank() != 1 || bias.getDimSize(0) != type.getShape().back())
        continue;
      mlir::OpBuilder builder(generic);
      Value y = xf::LinearOp::create(builder, linear.getLoc(), type,
                                     linear.getX(), linear.getW(), other);
      generic->getResult(0).replaceAllUsesWith(y);
      return;
    }
  }

  void raiseActivation(mlir::linalg::GenericOp generic) {
    Value x;
    llvm::StringRef activation = matchActivation(generic->getResult(0), x);
    auto linear = x ? x.getDefiningOp<xf::LinearOp>() : nullptr;
    if (!linear || linear.getActivation() != "none" ||
        x.getType() != generic->getResult(0).getType() ||
        !onlyFeeds(x, generic))
      return;
    mlir::OpBuilder builder(generic);
    Value y = xf::LinearOp::create(builder, linear.getLoc(), x.getType(),
                                   linear.getX(), linear.getW(), linear.getB(),
                                   builder.getStringAttr(activation));
    generic->getResult(0).replaceAllUsesWith(y);
  }

  /// True if everything computed from `x` ends in `last`: every user is live
  /// only through it.
  static bool onlyFeeds(Value x, mlir::Operation *last) {
    llvm::SmallVector<mlir::Operation *> work(x.getUsers());
    while (!work.empty()) {
      mlir::Operation *user = work.pop_back_val();
      if (user == last)
        continue;
      if (!llvm::isa<mlir::linalg::GenericOp>(user) &&
          !mlir::isOpTriviallyDead(user))
        return false;
      work.append(user->getUsers().begin(), user->getUsers().end());
      if (user->use_empty())
        continue;
      if (user->getNumRegions() == 0)
        return false;
    }
    return true;
  }
};
} // namespace
