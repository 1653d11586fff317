//===- ReduceKernel.cpp - Reductions over axes on the CPU -----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/ReduceKernel.h"

#include "compiler/lowering/cpu/ElementwiseKernel.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <limits>

using namespace mlir;
using namespace dragoman;

using Values = KernelBuilder::Values;

namespace {

class ReduceEmitter {
public:
  ReduceEmitter(KernelBody &body, linalg::LinalgOp op)
      : body(body), k(body.k), pull(body), op(op) {}

  bool prepare();
  void emitOutput(Value output);
  DimExpr outputs() { return body.elements(op->getResult(0)); }
  /// Outputs `from` up to `to` of row `row` of the result, by sums over rows.
  void emitColumns(Value row, Value from, Value to, int64_t width);
  /// The last axis of the result.
  Value columns() { return outputSizes.back(); }

private:
  bool findCombiner();
  /// Lanes that change no sum.
  Value neutral() {
    return arith::ConstantOp::create(
        k.op(),
        DenseElementsAttr::get(k.vec(identity.getType()), Attribute(identity)));
  }
  Value step(Value column, Value mask, Value sum);
  Value reduceLanes(Value lanes);
  Value outerLoops(unsigned depth, Value sum);
  Value innerLoop(Value sum);
  Values rowStep(Value from, Value mask, ValueRange sums);
  void prefetchRow(Value from, int64_t vectors);
  Values rowLoops(unsigned depth, Value from, Value mask, ValueRange sums);
  void emitBlock(Value row, Value from, int64_t vectors, Value mask);
  Lanes combine(const Lanes &x, const Lanes &y) {
    return pull.evaluateOp(combiner, {x, y}, Value());
  }

  KernelBody &body;
  KernelBuilder &k;
  PullEvaluator pull;
  linalg::LinalgOp op;
  Operation *combiner = nullptr;
  TypedAttr identity;
  llvm::SmallVector<unsigned> reduced; ///< loops, outermost first
  llvm::SmallVector<Value> loopSizes, outputSizes;
  llvm::SmallVector<Lanes> iteration;
  llvm::SmallVector<std::pair<int64_t, Value>> results; ///< slot, tensor
};

} // namespace

/// The value that leaves every other unchanged under `op`; null if unknown.
static TypedAttr identityOf(Operation *op, Type type) {
  Builder b(op->getContext());
  if (auto real = dyn_cast<FloatType>(type)) {
    auto infinity = [&](bool minus) {
      return b.getFloatAttr(type,
                            APFloat::getInf(real.getFloatSemantics(), minus));
    };
    if (isa<arith::AddFOp>(op))
      return b.getFloatAttr(type, 0.0);
    if (isa<arith::MulFOp>(op))
      return b.getFloatAttr(type, 1.0);
    if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op))
      return infinity(true);
    if (isa<arith::MinimumFOp, arith::MinNumFOp>(op))
      return infinity(false);
    return {};
  }
  if (!isa<IntegerType>(type))
    return {};
  unsigned width = type.getIntOrFloatBitWidth();
  auto number = [&](const APInt &value) {
    return IntegerAttr::get(type, value);
  };
  if (isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(op))
    return number(APInt::getZero(width));
  if (isa<arith::MulIOp>(op))
    return number(APInt(width, 1));
  if (isa<arith::AndIOp, arith::MinUIOp>(op))
    return number(APInt::getAllOnes(width));
  if (isa<arith::MaxSIOp>(op))
    return number(APInt::getSignedMinValue(width));
  if (isa<arith::MinSIOp>(op))
    return number(APInt::getSignedMaxValue(width));
  return {};
}

/// True if the block gives the greater of a value and `sum`, by an ordered
/// compare and select, perhaps under a condition.
static bool isMaximum(Operation *last, Value sum) {
  auto select = dyn_cast_or_null<arith::SelectOp>(last);
  if (!select || select.getFalseValue() != sum)
    return false;
  Value condition = select.getCondition();
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    condition = both.getLhs();
  auto compare = condition.getDefiningOp<arith::CmpFOp>();
  return compare && compare.getPredicate() == arith::CmpFPredicate::OGT &&
         compare.getLhs() == select.getTrueValue() && compare.getRhs() == sum;
}

bool ReduceEmitter::findCombiner() {
  Block *block = op.getBlock();
  if (op->getNumResults() != 1)
    return false;
  BlockArgument sum = block->getArguments().back();
  Operation *last = block->getTerminator()->getOperand(0).getDefiningOp();
  if (isMaximum(last, sum) && sum.hasNUses(2) && sum.getType().isF32()) {
    Value low = k.constantF(-std::numeric_limits<double>::infinity());
    combiner = arith::MaxNumFOp::create(k.op(), low, low);
    identity = identityOf(combiner, sum.getType());
    return true;
  }
  if (!last || !sum.hasOneUse() || *sum.getUsers().begin() != last ||
      last->getNumOperands() != 2)
    return false;
  combiner = last;
  identity = identityOf(last, sum.getType());
  return static_cast<bool>(identity);
}

bool ReduceEmitter::prepare() {
  auto maps = op.getIndexingMapsArray();
  if (!findCombiner() || !maps.back().isProjectedPermutation()) {
    body.error(op) << "expected one associative reduction on the CPU";
    return false;
  }
  auto kinds = op.getIteratorTypesArray();
  for (auto [loop, kind] : llvm::enumerate(kinds)) {
    if (kind == utils::IteratorType::reduction)
      reduced.push_back(loop);
    Value size;
    for (auto [operand, map] : llvm::zip(op->getOpOperands(), maps))
      for (auto [axis, expr] : llvm::enumerate(map.getResults()))
        if (auto dim = dyn_cast<AffineDimExpr>(expr);
            dim && dim.getPosition() == loop && !size)
          size = body.size(operand.get(), axis);
    if (!size) {
      body.error(op) << "expected each loop to number an axis";
      return false;
    }
    loopSizes.push_back(size);
  }
  iteration.resize(kinds.size());
  Value root = op->getResult(0);
  llvm::SmallVector<DimExpr> dims = body.analysis.dimsOf(root);
  for (unsigned axis = 0; axis < dims.size(); ++axis)
    outputSizes.push_back(body.size(root, axis));
  for (auto [i, value] : llvm::enumerate(body.yield().getOperands())) {
    Value tensor = value;
    while (body.analysis.dimsOf(tensor) != dims && tensor.getDefiningOp() &&
           isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(
               tensor.getDefiningOp()))
      tensor = tensor.getDefiningOp()->getOperand(0);
    if (body.analysis.dimsOf(tensor) != dims) {
      body.error(op) << "expected results of the reduction's shape, found "
                     << value.getType();
      return false;
    }
    results.push_back({body.resultSlot(i), tensor});
  }
  return true;
}

/// Combines 16 elements of the innermost loop into the lanes.
Value ReduceEmitter::step(Value column, Value mask, Value sum) {
  iteration[reduced.back()] = pull.ramp(column, 1, true);
  pull.newElements();
  llvm::SmallVector<Lanes> arguments;
  for (auto [operand, map] :
       llvm::zip(op.getDpsInputOperands(), op.getIndexingMapsArray())) {
    llvm::SmallVector<Lanes> at;
    for (AffineExpr expr : map.getResults())
      at.push_back(pull.affine(expr, iteration));
    arguments.push_back(pull.read(operand->get(), at, mask));
  }
  arguments.push_back(pull.fromVector(sum));
  Value next = pull.vector(
      pull.evaluateBlock(*op.getBlock(), arguments, iteration, mask)[0]);
  return mask ? k.select(mask, next, sum) : next;
}

Value ReduceEmitter::innerLoop(Value sum) {
  Value size = loopSizes[reduced.back()];
  Value whole = k.sub(size, k.rem(size, kernelLanes));
  sum = k.forLoop(k.index(0), whole, kernelLanes, {sum},
                  [&](Value column, ValueRange carried) -> Values {
                    return {step(column, Value(), carried[0])};
                  })[0];
  if (auto known = getConstantIntValue(size);
      known && *known % kernelLanes == 0)
    return sum;
  return k.ifElse(
      k.less(whole, size), {sum.getType()},
      [&]() -> Values {
        return {step(whole, k.tailMask(k.sub(size, whole)), sum)};
      },
      [&]() -> Values { return {sum}; })[0];
}

Value ReduceEmitter::outerLoops(unsigned depth, Value sum) {
  if (depth + 1 == reduced.size())
    return innerLoop(sum);
  return k.forLoop(k.index(0), loopSizes[reduced[depth]], 1, {sum},
                   [&](Value index, ValueRange carried) -> Values {
                     iteration[reduced[depth]] =
                         pull.uniform(index, false, true);
                     return {outerLoops(depth + 1, carried[0])};
                   })[0];
}

//===----------------------------------------------------------------------===//
// Sums over rows
//===----------------------------------------------------------------------===//

/// Hints the columns of a row that is some rows ahead: in wide matrices each
/// row is a page of its own, which the processor does not foresee.
void ReduceEmitter::prefetchRow(Value from, int64_t vectors) {
  constexpr int64_t ahead = 16;
  AffineMap out = op.getIndexingMapsArray().back();
  AffineExpr lane = out.getResults().back();
  llvm::SmallVector<Lanes> place(iteration);
  place[cast<AffineDimExpr>(lane).getPosition()] = pull.uniform(from);
  Lanes &row = place[reduced.back()];
  row = pull.uniform(k.add(row.value, ahead));
  for (auto [operand, map] :
       llvm::zip(op.getDpsInputOperands(), op.getIndexingMapsArray())) {
    std::optional<StridedView> view = body.view(operand->get());
    if (!view || map.getNumResults() == 0 || map.getResults().back() != lane ||
        !map.isFunctionOfDim(reduced.back()))
      continue;
    Value offset = body.value(view->offset);
    for (auto [expr, stride] : llvm::zip(map.getResults(), view->strides))
      offset = k.add(offset,
                     k.mul(pull.affine(expr, place).value, body.value(stride)));
    for (int64_t i = 0; i < vectors; ++i)
      k.prefetch(k.slot(view->slot, memoryType(view->element)),
                 k.add(offset, i * kernelLanes), 3);
  }
}

/// Combines one row, from column `from` on, into vectors of neighbouring sums.
Values ReduceEmitter::rowStep(Value from, Value mask, ValueRange sums) {
  AffineMap out = op.getIndexingMapsArray().back();
  unsigned lane = out.getDimPosition(out.getNumResults() - 1);
  pull.newElements();
  prefetchRow(from, sums.size());
  Values next;
  for (auto [i, sum] : llvm::enumerate(sums)) {
    iteration[lane] = pull.ramp(k.add(from, i * kernelLanes), 1, true);
    llvm::SmallVector<Lanes> arguments;
    for (auto [operand, map] :
         llvm::zip(op.getDpsInputOperands(), op.getIndexingMapsArray())) {
      llvm::SmallVector<Lanes> at;
      for (AffineExpr expr : map.getResults())
        at.push_back(pull.affine(expr, iteration));
      arguments.push_back(pull.read(operand->get(), at, mask));
    }
    arguments.push_back(pull.fromVector(sum));
    next.push_back(pull.vector(
        pull.evaluateBlock(*op.getBlock(), arguments, iteration, mask)[0]));
  }
  return next;
}

/// All rows in order. Rows of the innermost loop are summed in chunks, which
/// keeps the rounding of long sums small.
Values ReduceEmitter::rowLoops(unsigned depth, Value from, Value mask,
                               ValueRange sums) {
  constexpr int64_t chunk = 64;
  unsigned loop = reduced[depth];
  Value end = loopSizes[loop];
  auto setIndex = [&](Value index) {
    iteration[loop] = pull.uniform(index, false, true);
  };
  if (depth + 1 < reduced.size())
    return k.forLoop(k.index(0), end, 1, sums,
                     [&](Value index, ValueRange carried) -> Values {
                       setIndex(index);
                       return rowLoops(depth + 1, from, mask, carried);
                     });
  return k.forLoop(k.index(0), end, chunk, sums,
                   [&](Value first, ValueRange totals) -> Values {
                     Values start(totals.size(), neutral());
                     Values parts = k.forLoop(
                         first, k.min(k.add(first, chunk), end), 1, start,
                         [&](Value index, ValueRange carried) -> Values {
                           setIndex(index);
                           return rowStep(from, mask, carried);
                         });
                     Values next;
                     for (auto [total, part] : llvm::zip(totals, parts))
                       next.push_back(pull.vector(combine(
                           pull.fromVector(total), pull.fromVector(part))));
                     return next;
                   });
}

void ReduceEmitter::emitBlock(Value row, Value from, int64_t vectors,
                              Value mask) {
  pull.newElements();
  llvm::SmallVector<Lanes> at = pull.delinearize(
      pull.uniform(row), llvm::ArrayRef(outputSizes).drop_back());
  AffineMap map = op.getIndexingMapsArray().back();
  for (auto [axis, index] : llvm::enumerate(at))
    iteration[map.getDimPosition(axis)] = index;
  at.push_back(Lanes());
  Values sums = rowLoops(0, from, mask, Values(vectors, neutral()));
  Value start = k.mul(row, columns());
  for (auto [i, sum] : llvm::enumerate(sums)) {
    pull.newElements();
    Value column = k.add(from, i * kernelLanes);
    at.back() = pull.ramp(column, 1, true);
    Lanes init = pull.read(op.getDpsInits()[0], at, mask);
    pull.substitute(op->getResult(0), combine(init, pull.fromVector(sum)));
    Lanes offset = pull.ramp(k.add(start, column), 1, false);
    for (auto [slot, tensor] : results)
      pull.write(slot, offset, pull.read(tensor, at, mask), mask);
  }
}

void ReduceEmitter::emitColumns(Value row, Value from, Value to,
                                int64_t width) {
  auto whole = [&] { emitBlock(row, from, width / kernelLanes, Value()); };
  auto known = getConstantIntValue(columns());
  if (known && *known % width == 0)
    return whole();
  k.ifElse(
      k.less(k.sub(to, from), k.index(width)),
      [&] {
        forColumns(k, from, to, [&](Value column, Value mask) {
          emitBlock(row, column, 1, mask);
        });
      },
      whole);
}

//===----------------------------------------------------------------------===//
// Sums along rows
//===----------------------------------------------------------------------===//

/// The fixed tree: lane i with lane i + 8, then + 4, + 2, + 1.
Value ReduceEmitter::reduceLanes(Value lanes) {
  for (int64_t half = kernelLanes / 2; half >= 1; half /= 2) {
    llvm::SmallVector<int64_t> turned;
    for (int64_t i = 0; i < kernelLanes; ++i)
      turned.push_back((i + half) % kernelLanes);
    Value other = k.shuffle(lanes, lanes, turned);
    lanes = pull.vector(pull.evaluateOp(
        combiner, {pull.fromVector(lanes), pull.fromVector(other)}, Value()));
  }
  return k.extract(lanes, 0);
}

void ReduceEmitter::emitOutput(Value output) {
  pull.newElements();
  llvm::SmallVector<Lanes> at =
      pull.delinearize(pull.uniform(output), outputSizes);
  AffineMap map = op.getIndexingMapsArray().back();
  for (auto [axis, index] : llvm::enumerate(at))
    iteration[map.getDimPosition(axis)] = index;
  Value sum = reduceLanes(outerLoops(0, neutral()));
  pull.newElements();
  Lanes init = pull.read(op.getDpsInits()[0], at, Value());
  Lanes result = combine(init, pull.uniform(sum));
  pull.substitute(op->getResult(0), result);
  for (auto [slot, tensor] : results)
    pull.write(slot, pull.uniform(output), pull.read(tensor, at, Value()),
               Value());
}

LogicalResult dragoman::lowerReduce(plan::KernelOp kernel, KernelBuilder &k) {
  KernelBody body(kernel, k);
  linalg::LinalgOp root;
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>())
    if (op.getNumReductionLoops())
      root = op;
  if (!root) {
    body.error(kernel) << "expected a reduction";
    return body.status();
  }
  ReduceEmitter emitter(body, root);
  if (!emitter.prepare())
    return body.status();
  if (int64_t width = body.param("columns", 0)) {
    Value columns = emitter.columns(), across = k.ceilDiv(columns, width);
    k.forTiles([&](Value tile) {
      Value from = k.mul(k.rem(tile, across), width);
      emitter.emitColumns(k.div(tile, across), from,
                          k.min(k.add(from, width), columns), width);
    });
    return body.status();
  }
  int64_t outputs = body.param("outputs", 16);
  Value all = body.value(emitter.outputs());
  k.forTiles([&](Value tile) {
    Value first = k.mul(tile, outputs);
    k.forLoop(first, k.min(k.add(first, outputs), all), 1,
              [&](Value output) { emitter.emitOutput(output); });
  });
  return body.status();
}
