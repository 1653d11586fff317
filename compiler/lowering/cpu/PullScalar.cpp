//===- PullScalar.cpp - The scalar ops inside pulled producers ------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/PullEvaluator.h"
#include "compiler/lowering/cpu/VectorMath.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;
using namespace dragoman;

llvm::SmallVector<Lanes>
PullEvaluator::evaluateBlock(Block &block, llvm::ArrayRef<Lanes> arguments,
                             llvm::ArrayRef<Lanes> iteration, Value mask) {
  llvm::DenseMap<Value, Lanes> known;
  for (auto [argument, lanes] : llvm::zip(block.getArguments(), arguments))
    known[argument] = lanes;
  auto lookup = [&](Value value) {
    auto found = known.find(value);
    return found != known.end() ? found->second : scalar(value, mask);
  };
  for (Operation &op : block.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      known[index.getResult()] = iteration[index.getDim()];
      continue;
    }
    if (op.getNumResults() != 1 || op.getNumRegions()) {
      for (Value result : op.getResults())
        known[result] = unsupported(&op, result.getType());
      continue;
    }
    llvm::SmallVector<Lanes> operands;
    if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      for (Value index : extract.getIndices())
        operands.push_back(lookup(index));
      known[extract.getResult()] = evaluateExtract(&op, operands, mask);
      continue;
    }
    if (isa<tensor::DimOp>(op)) {
      known[op.getResult(0)] = scalar(op.getResult(0), mask);
      continue;
    }
    for (Value operand : op.getOperands())
      operands.push_back(lookup(operand));
    known[op.getResult(0)] = evaluateOp(&op, operands, mask);
  }
  llvm::SmallVector<Lanes> results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(lookup(value));
  return results;
}

Lanes PullEvaluator::evaluateExtract(Operation *op, llvm::ArrayRef<Lanes> at,
                                     Value mask) {
  Value tensor = cast<tensor::ExtractOp>(op).getTensor();
  llvm::SmallVector<Lanes> indices;
  for (auto [axis, index] : llvm::enumerate(at))
    indices.push_back(clamp(index, body.size(tensor, axis)));
  return read(tensor, indices, mask);
}

Lanes PullEvaluator::scalar(OpFoldResult value, Value mask) {
  if (auto attribute = dyn_cast<Attribute>(value))
    return constant(cast<IntegerAttr>(attribute).getInt());
  auto number = cast<Value>(value);
  if (isa<IndexType>(number.getType()))
    if (std::optional<DimExpr> expr = body.analysis.scalar(number)) {
      std::optional<int64_t> known = expr->constant();
      return uniform(body.value(*expr), known && *known % kernelLanes == 0);
    }
  Operation *op = number.getDefiningOp();
  if (!op || op->getNumResults() != 1 || op->getNumRegions())
    return unsupported(op ? op : body.kernel.getOperation(), number.getType());
  llvm::SmallVector<Lanes> operands;
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    for (Value index : extract.getIndices())
      operands.push_back(scalar(index, mask));
    return evaluateExtract(op, operands, mask);
  }
  for (Value operand : op->getOperands())
    operands.push_back(scalar(operand, mask));
  return evaluateOp(op, operands, mask);
}

//===----------------------------------------------------------------------===//
// One scalar op
//===----------------------------------------------------------------------===//

/// Divisors that would trap become 1: zero, and -1 under the least dividend.
static Value safeDivisor(KernelBuilder &k, Value dividend, Value divisor) {
  Type element = getElementTypeOrSelf(divisor.getType());
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  auto number = [&](int64_t value) -> Value {
    TypedAttr attribute = k.op().getIntegerAttr(element, value);
    if (auto type = dyn_cast<VectorType>(divisor.getType()))
      attribute = DenseElementsAttr::get(type, Attribute(attribute));
    return arith::ConstantOp::create(k.op(), attribute);
  };
  using Predicate = arith::CmpIPredicate;
  int64_t least = width >= 64 ? std::numeric_limits<int64_t>::min()
                              : -(int64_t(1) << (width - 1));
  Value zero = k.cmp(Predicate::eq, divisor, number(0));
  Value minus = k.cmp(Predicate::eq, divisor, number(-1));
  Value edge = k.cmp(Predicate::eq, dividend, number(least));
  Value bad = arith::OrIOp::create(k.op(), zero,
                                   arith::AndIOp::create(k.op(), minus, edge));
  return k.select(bad, number(1), divisor);
}

/// Clones `op` on scalars or on vectors.
Lanes PullEvaluator::cloneOp(Operation *op, llvm::ArrayRef<Lanes> operands) {
  bool scalars = llvm::all_of(operands, [](const Lanes &lanes) {
    return lanes.kind == Lanes::Uniform;
  });
  KernelBuilder::Values values;
  for (const Lanes &operand : operands)
    values.push_back(scalars ? operand.value : vector(operand));
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    values[1] = safeDivisor(k, values[0], values[1]);
  IRMapping mapping;
  OperationState state(k.op().getLoc(), op->getName());
  state.addOperands(values);
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  state.addTypes(scalars ? element : Type(k.vec(element)));
  state.addAttributes(op->getAttrs());
  Operation *clone = k.op().create(state);
  if (auto flags = dyn_cast<arith::ArithFastMathInterface>(clone))
    clone->setAttr(flags.getFastMathAttrName(),
                   arith::FastMathFlagsAttr::get(k.op().getContext(),
                                                 arith::FastMathFlags::none));
  return scalars ? uniform(clone->getResult(0))
                 : fromVector(clone->getResult(0));
}

Lanes PullEvaluator::evaluateOp(Operation *op, llvm::ArrayRef<Lanes> operands,
                                Value mask) {
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto index = dyn_cast<IntegerAttr>(constant.getValue());
        index && type.isIndex())
      return this->constant(index.getInt());
    return uniform(arith::ConstantOp::create(k.op(), constant.getValue()));
  }
  llvm::StringRef dialect = op->getName().getDialectNamespace();
  bool cloned =
      isa<math::SqrtOp, math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp,
          math::TruncOp, math::RoundEvenOp, math::CopySignOp, math::FmaOp>(op);
  if (dialect == "math" && !cloned) {
    if (!type.isF32())
      return unsupported(op, type);
    Value y = operands.size() > 1 ? vector(operands[1]) : Value();
    Value result = evaluateMath(op, vector(operands[0]), y);
    return result ? fromVector(result) : unsupported(op, type);
  }
  if ((dialect != "arith" && !cloned) || isa<arith::RemFOp>(op))
    return unsupported(op, type);
  if (isa<arith::AddIOp>(op))
    return add(operands[0], operands[1]);
  // Ramps pass through casts of indices; the positions of a tensor fit.
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp>(op) &&
      operands[0].kind == Lanes::Ramp) {
    Lanes result = operands[0];
    Value scalar = operands[0].value;
    if (isa<arith::ExtSIOp>(op))
      result.value = arith::ExtSIOp::create(k.op(), type, scalar);
    else
      result.value = arith::IndexCastOp::create(k.op(), type, scalar);
    return result;
  }
  if (isa<arith::SelectOp>(op) && operands[0].kind == Lanes::Uniform &&
      (operands[1].kind != Lanes::Uniform ||
       operands[2].kind != Lanes::Uniform))
    return fromVector(
        k.select(operands[0].value, vector(operands[1]), vector(operands[2])));
  return cloneOp(op, operands);
}

/// x^y: exact products and roots for the usual constants.
static Value emitPower(KernelBuilder &k, Value x, Value y) {
  DenseElementsAttr constant;
  Value one = k.splat(1);
  if (matchPattern(y, m_Constant(&constant)) && constant.isSplat()) {
    double exponent = constant.getSplatValue<APFloat>().convertToDouble();
    if (exponent == 1)
      return x;
    if (exponent == 2)
      return k.mulF(x, x);
    if (exponent == 3)
      return k.mulF(k.mulF(x, x), x);
    if (exponent == 4) {
      Value square = k.mulF(x, x);
      return k.mulF(square, square);
    }
    if (exponent == 0.5)
      return k.sqrtF(x);
    if (exponent == -0.5)
      return k.divF(one, k.sqrtF(x));
    if (exponent == -1)
      return k.divF(one, x);
  }
  using Predicate = arith::CmpFPredicate;
  Value magnitude = math::AbsFOp::create(k.op(), x);
  Value power = emitExp(k, k.mulF(y, emitLog(k, magnitude)));
  Value negative = k.cmpF(Predicate::OLT, x, k.splat(0));
  Value whole = k.cmpF(Predicate::OEQ, math::FloorOp::create(k.op(), y), y);
  Value half = k.mulF(y, k.splat(0.5));
  Value even =
      k.cmpF(Predicate::OEQ, math::FloorOp::create(k.op(), half), half);
  Value minus = arith::NegFOp::create(k.op(), power);
  Value mirrored = k.select(whole, k.select(even, power, minus),
                            k.splat(std::numeric_limits<double>::quiet_NaN()));
  power = k.select(negative, mirrored, power);
  return k.select(k.cmpF(Predicate::OEQ, y, k.splat(0)), one, power);
}

/// Functions without an instruction, on vectors of f32; null if unknown.
Value PullEvaluator::evaluateMath(Operation *op, Value x, Value y) {
  if (isa<math::ExpOp>(op))
    return emitExp(k, x);
  if (isa<math::Exp2Op>(op))
    return emitExp(k, k.mulF(x, k.splat(0.69314718055994531)));
  if (isa<math::ExpM1Op>(op))
    return k.subF(emitExp(k, x), k.splat(1));
  if (isa<math::LogOp>(op))
    return emitLog(k, x);
  if (isa<math::Log2Op>(op))
    return k.mulF(emitLog(k, x), k.splat(1.4426950408889634));
  if (isa<math::Log10Op>(op))
    return k.mulF(emitLog(k, x), k.splat(0.43429448190325183));
  if (isa<math::Log1pOp>(op))
    return emitLog(k, k.addF(x, k.splat(1)));
  if (isa<math::TanhOp>(op))
    return emitTanh(k, x);
  if (isa<math::ErfOp>(op))
    return emitErf(k, x);
  if (isa<math::RsqrtOp>(op))
    return k.divF(k.splat(1), k.sqrtF(x));
  if (isa<math::PowFOp>(op))
    return emitPower(k, x, y);
  return Value();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Elements of a small dense constant, held in vectors of the code.
Lanes PullEvaluator::loadConstant(Operation *op, llvm::ArrayRef<Lanes> at) {
  auto attribute =
      dyn_cast<DenseElementsAttr>(cast<arith::ConstantOp>(op).getValue());
  auto tensor = cast<RankedTensorType>(op->getResult(0).getType());
  Type element = tensor.getElementType();
  if (!attribute || tensor.getNumElements() == 0)
    return unsupported(op, element);
  if (attribute.isSplat())
    return uniform(arith::ConstantOp::create(
        k.op(), cast<TypedAttr>(attribute.getSplatValue<Attribute>())));
  constexpr int64_t limit = 1024;
  int64_t count = tensor.getNumElements();
  if (count > limit) {
    body.error(op) << "expected a constant of at most " << limit
                   << " elements in a kernel, found " << count;
    return uniform(arith::ConstantOp::create(
        k.op(), cast<TypedAttr>(k.op().getZeroAttr(element))));
  }
  Lanes linear = constant(0);
  for (auto [axis, index] : llvm::enumerate(at))
    linear = add(mul(linear, k.index(tensor.getDimSize(axis))), index);
  auto values = llvm::to_vector(attribute.getValues<Attribute>());
  auto chunk = [&](int64_t first) -> Value {
    llvm::SmallVector<Attribute> lanes;
    for (int64_t i = 0; i < kernelLanes; ++i)
      lanes.push_back(values[std::min(first + i, count - 1)]);
    return arith::ConstantOp::create(
        k.op(), DenseElementsAttr::get(k.vec(element), lanes));
  };
  auto pick = [&](Value index) -> Value {
    Value row = chunk(0);
    for (int64_t first = kernelLanes; first < count; first += kernelLanes)
      row = k.select(k.less(index, k.index(first)), row, chunk(first));
    return vector::ExtractOp::create(k.op(), row, k.rem(index, kernelLanes));
  };
  if (linear.kind == Lanes::Uniform)
    return uniform(pick(linear.value));
  if (linear.kind == Lanes::Ramp && linear.step == 1 && linear.aligned) {
    Value row = chunk(0);
    for (int64_t first = kernelLanes; first < count; first += kernelLanes)
      row = k.select(k.less(linear.value, k.index(first)), row, chunk(first));
    return fromVector(row);
  }
  Value indices = vector(linear), result = chunk(0);
  for (int64_t lane = 0; lane < kernelLanes; ++lane)
    result = vector::InsertOp::create(k.op(), pick(k.extract(indices, lane)),
                                      result, lane);
  return fromVector(result);
}
