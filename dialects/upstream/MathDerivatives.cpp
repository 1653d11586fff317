//===- MathDerivatives.cpp - Derivatives of scalar ops and bodies ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/upstream/MathDerivatives.h"

#include "dialects/xf/decompose/TensorBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <numbers>

using namespace dragoman;
using mlir::Operation;
using mlir::Value;
namespace arith = mlir::arith;
namespace math = mlir::math;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {

/// The words that the rules are written in.
class Rule : public xf::ScalarBuilder {
public:
  explicit Rule(ScalarDerivative &at)
      : ScalarBuilder(at.builder, at.loc), at(at) {}

  Value g() { return at.cotangent; }
  Value y() { return at.result(); }
  Value x(unsigned number) { return at.operand(number); }
  Value number(double value) { return constant(g().getType(), value); }
  Value square(Value a) { return multiply(a, a); }
  Value negate(Value a) { return arith::NegFOp::create(builder, loc, a); }
  Value greaterEqual(Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGE, a, b);
  }
  /// g where `condition` is `side`, else 0.
  Value where(Value condition, bool side) {
    Value zero = number(0.0);
    return side ? select(condition, g(), zero) : select(condition, zero, g());
  }
  /// g * factor.
  Value scaled(double factor) { return multiply(g(), number(factor)); }
  template <typename OpT> Value call(Value a) {
    return OpT::create(builder, loc, a);
  }
  template <typename OpT> Value call(Value a, Value b) {
    return OpT::create(builder, loc, a, b);
  }

private:
  ScalarDerivative &at;
};

using RuleFunction = Value (*)(Rule &, unsigned operand);

#define RULE(expr) [](Rule &r, unsigned) -> Value { return expr; }
#define RULE2(first, second)                                                   \
  [](Rule &r, unsigned operand) -> Value {                                     \
    return operand == 0 ? (first) : (second);                                  \
  }
#define ZERO [](Rule &, unsigned) -> Value { return nullptr; }

/// What the cotangent g of y = op(x0, x1, ...) adds to that of an operand. At a
/// kink the larger or first operand gets all.
const llvm::StringMap<RuleFunction> &rules() {
  using namespace std::numbers;
  static const llvm::StringMap<RuleFunction> table = {
      {"arith.addf", RULE(r.g())},
      {"arith.subf", RULE2(r.g(), r.negate(r.g()))},
      {"arith.mulf", RULE2(r.multiply(r.g(), r.x(1)), r.multiply(r.g(), r.x(0)))},
      {"arith.divf", RULE2(r.divide(r.g(), r.x(1)),
                           r.negate(r.divide(r.multiply(r.g(), r.y()), r.x(1))))},
      {"arith.remf",
       RULE2(r.g(), r.negate(r.multiply(
                        r.g(), r.call<math::TruncOp>(r.divide(r.x(0), r.x(1))))))},
      {"arith.negf", RULE(r.negate(r.g()))},
      {"arith.maximumf", [](Rule &r, unsigned operand) -> Value {
         return r.where(r.greaterEqual(r.x(0), r.x(1)), operand == 0);
       }},
      {"arith.maxnumf", [](Rule &r, unsigned operand) -> Value {
         return r.where(r.greaterEqual(r.x(0), r.x(1)), operand == 0);
       }},
      {"arith.minimumf", [](Rule &r, unsigned operand) -> Value {
         return r.where(r.greaterEqual(r.x(1), r.x(0)), operand == 0);
       }},
      {"arith.minnumf", [](Rule &r, unsigned operand) -> Value {
         return r.where(r.greaterEqual(r.x(1), r.x(0)), operand == 0);
       }},
      {"arith.select", [](Rule &r, unsigned operand) -> Value {
         return r.where(r.x(0), operand == 1);
       }},
      {"arith.truncf", RULE(r.g())},
      {"arith.extf", RULE(r.g())},
      {"math.absf", RULE(r.select(r.greater(r.number(0.0), r.x(0)),
                                  r.negate(r.g()), r.g()))},
      {"math.atan",
       RULE(r.divide(r.g(), r.add(r.number(1.0), r.square(r.x(0)))))},
      {"math.atan2", [](Rule &r, unsigned operand) -> Value {
         Value norm = r.add(r.square(r.x(0)), r.square(r.x(1)));
         Value value = r.divide(r.multiply(r.g(), r.x(1 - operand)), norm);
         return operand == 0 ? value : r.negate(value);
       }},
      {"math.ceil", ZERO},
      {"math.copysign", [](Rule &r, unsigned operand) -> Value {
         if (operand == 1)
           return nullptr;
         Value one = r.number(1.0);
         Value signs = r.multiply(r.call<math::CopySignOp>(one, r.x(0)),
                                  r.call<math::CopySignOp>(one, r.x(1)));
         return r.multiply(r.g(), signs);
       }},
      {"math.cos", RULE(r.negate(r.multiply(r.g(), r.call<math::SinOp>(r.x(0)))))},
      {"math.cosh", RULE(r.multiply(r.g(), r.call<math::SinhOp>(r.x(0))))},
      {"math.erf", RULE(r.multiply(r.scaled(2.0 * inv_sqrtpi),
                                   r.exp(r.negate(r.square(r.x(0))))))},
      {"math.erfc", RULE(r.multiply(r.scaled(-2.0 * inv_sqrtpi),
                                    r.exp(r.negate(r.square(r.x(0))))))},
      {"math.exp", RULE(r.multiply(r.g(), r.y()))},
      {"math.exp2", RULE(r.multiply(r.scaled(ln2), r.y()))},
      {"math.expm1", RULE(r.multiply(r.g(), r.add(r.y(), r.number(1.0))))},
      {"math.floor", ZERO},
      {"math.fma", [](Rule &r, unsigned operand) -> Value {
         return operand == 2 ? r.g() : r.multiply(r.g(), r.x(1 - operand));
       }},
      {"math.log", RULE(r.divide(r.g(), r.x(0)))},
      {"math.log10", RULE(r.divide(r.scaled(log10e), r.x(0)))},
      {"math.log1p", RULE(r.divide(r.g(), r.add(r.number(1.0), r.x(0))))},
      {"math.log2", RULE(r.divide(r.scaled(log2e), r.x(0)))},
      {"math.powf", [](Rule &r, unsigned operand) -> Value {
         if (operand == 0) {
           Value power = r.call<math::PowFOp>(
               r.x(0), r.subtract(r.x(1), r.number(1.0)));
           return r.multiply(r.g(), r.multiply(r.x(1), power));
         }
         // 0^b does not depend on b > 0.
         Value value = r.multiply(r.multiply(r.g(), r.y()), r.log(r.x(0)));
         return r.select(r.equal(r.x(0), r.number(0.0)), r.number(0.0), value);
       }},
      {"math.round", ZERO},
      {"math.roundeven", ZERO},
      {"math.rsqrt", RULE(r.multiply(r.scaled(-0.5),
                                     r.multiply(r.y(), r.square(r.y()))))},
      {"math.sin", RULE(r.multiply(r.g(), r.call<math::CosOp>(r.x(0))))},
      {"math.sinh", RULE(r.multiply(r.g(), r.call<math::CoshOp>(r.x(0))))},
      {"math.sqrt", RULE(r.divide(r.scaled(0.5), r.y()))},
      {"math.tan",
       RULE(r.multiply(r.g(), r.add(r.number(1.0), r.square(r.y()))))},
      {"math.tanh",
       RULE(r.multiply(r.g(), r.subtract(r.number(1.0), r.square(r.y()))))},
      {"math.trunc", ZERO},
  };
  return table;
}

#undef RULE
#undef RULE2
#undef ZERO

bool isFloatScalar(Value value) {
  return llvm::isa<mlir::FloatType>(value.getType());
}

} // namespace

bool dragoman::hasScalarDerivative(Operation *op) {
  return rules().count(op->getName().getStringRef());
}

Value dragoman::buildScalarDerivative(Operation *op, unsigned number,
                                      ScalarDerivative &at) {
  Rule rule(at);
  Value value = rules().at(op->getName().getStringRef())(rule, number);
  if (llvm::isa<arith::TruncFOp, arith::ExtFOp>(op))
    return rule.cast(value,
                     mlir::getElementTypeOrSelf(op->getOperand(0).getType()));
  return value;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Value dragoman::repeatBlockValue(mlir::OpBuilder &builder, mlir::Block &block,
                                 mlir::IRMapping &mapping, Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &block)
    return value; // defined outside
  for (Value operand : op->getOperands())
    (void)repeatBlockValue(builder, block, mapping, operand);
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

/// True for the floats of the block; what is captured is constant to it.
static bool carriesDerivative(Value value, mlir::Block &block) {
  return isFloatScalar(value) && value.getParentBlock() == &block;
}

llvm::FailureOr<BlockDerivative> dragoman::buildBlockDerivative(
    mlir::OpBuilder &builder, mlir::Block &block, mlir::IRMapping &mapping,
    mlir::ValueRange values, mlir::ValueRange cotangents) {
  llvm::DenseMap<Value, Value> sums;
  BlockDerivative result;
  auto add = [&](Value value, Value derivative) {
    if (!derivative || !carriesDerivative(value, block))
      return;
    Value &sum = sums[value];
    sum = sum ? arith::AddFOp::create(builder, derivative.getLoc(), sum,
                                      derivative)
                    .getResult()
              : derivative;
  };
  for (auto [value, cotangent] : llvm::zip(values, cotangents))
    add(value, cotangent);
  for (Operation &op : llvm::reverse(block)) {
    if (op.getNumResults() != 1)
      continue;
    Value cotangent = sums.lookup(op.getResult(0));
    if (!cotangent || llvm::isa<arith::ConstantOp>(op))
      continue;
    if (auto read = llvm::dyn_cast<mlir::tensor::ExtractOp>(op)) {
      result.reads.push_back({read, cotangent});
      continue;
    }
    // An integer has no derivative, so neither has what is made of it.
    if (llvm::none_of(op.getOperands(), isFloatScalar))
      continue;
    if (!hasScalarDerivative(&op)) {
      op.emitOpError("has no derivative");
      return mlir::failure();
    }
    auto operand = [&](unsigned number) {
      return repeatBlockValue(builder, block, mapping, op.getOperand(number));
    };
    auto value = [&] {
      return repeatBlockValue(builder, block, mapping, op.getResult(0));
    };
    ScalarDerivative at{builder, op.getLoc(), cotangent, operand, value};
    for (auto [number, value] : llvm::enumerate(op.getOperands()))
      if (carriesDerivative(value, block))
        add(value, buildScalarDerivative(&op, number, at));
  }
  for (mlir::BlockArgument argument : block.getArguments())
    result.arguments.push_back(sums.lookup(argument));
  return result;
}
