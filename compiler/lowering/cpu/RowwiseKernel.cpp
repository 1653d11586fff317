//===- RowwiseKernel.cpp - Norms and softmax on the CPU -------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/RowwiseKernel.h"

#include "compiler/lowering/cpu/RowWalk.h"
#include "compiler/lowering/cpu/VectorMath.h"
#include "dialects/xf/Xf.h"

#include <limits>

using namespace mlir;
using namespace dragoman;

using Values = KernelBuilder::Values;

namespace {

/// One result of the kernel, in the root's shape.
struct RowResult {
  int64_t slot;
  Value tensor;
  bool behindRoot; ///< depends on the root's result
};

class RowwiseEmitter {
public:
  RowwiseEmitter(KernelBody &body, const RowAxes &axes)
      : body(body), k(body.k), pull(body), axes(axes), walk(body, pull, axes) {}

  bool prepare();
  void emitRow(Value row);

private:
  void emitNorm();
  void emitSoftmax();
  Value inputAt(Value column, Value mask);
  Value visible(Value column, Value mask);
  void park(Value value, Value mask);
  Value parked(Value mask);
  void finish(Value value, Value mask);
  Value only(Value mask, Value value, double otherwise) {
    return mask ? k.select(mask, value, k.splat(otherwise)) : value;
  }

  KernelBody &body;
  KernelBuilder &k;
  PullEvaluator pull;
  const RowAxes &axes;
  RowWalk walk;
  llvm::SmallVector<RowResult> results;
  int64_t parkSlot = -1;
};

} // namespace

bool RowwiseEmitter::prepare() {
  Value y = axes.root->getResult(0);
  if (!cast<RankedTensorType>(y.getType()).getElementType().isF32()) {
    body.error(axes.root) << "expected f32 rows on the CPU, found "
                          << y.getType();
    return false;
  }
  llvm::SmallVector<Value> tensors =
      resultsOfShape(body, body.analysis.dimsOf(y));
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    if (!tensor) {
      body.error(axes.root) << "expected results of the root's shape, found "
                            << body.yield()->getOperand(i).getType();
      return false;
    }
    int64_t slot = body.resultSlot(i);
    results.push_back({slot, tensor, dependsOn(tensor, axes.root)});
    if (cast<RankedTensorType>(tensor.getType()).getElementType().isF32() &&
        results.back().behindRoot)
      parkSlot = slot;
  }
  if (parkSlot < 0) {
    body.error(axes.root) << "expected an f32 result behind the root";
    return false;
  }
  walk.prepare();
  return true;
}

void RowwiseEmitter::park(Value value, Value mask) {
  pull.write(parkSlot, walk.offset(), pull.fromVector(value), mask);
}

Value RowwiseEmitter::parked(Value mask) {
  // A view of the result itself: the row lies where it will be written.
  Lanes where = walk.offset();
  Value slot = k.slot(parkSlot, k.f32());
  if (where.kind == Lanes::Ramp && where.step == 1) {
    Value window = k.view(slot, where.value, {kernelLanes}, {int64_t(1)});
    return mask ? k.loadMasked(window, k.index(0), mask)
                : k.loadV(window, k.index(0));
  }
  Value indices = pull.vector(where), lanes = k.splat(0);
  Value safe = mask
                   ? k.select(mask, indices, k.broadcast(k.extract(indices, 0)))
                   : indices;
  for (int64_t lane = 0; lane < kernelLanes; ++lane)
    lanes = k.insert(k.load(slot, k.extract(safe, lane)), lanes, lane);
  return lanes;
}

/// Pulls 16 elements of the row, parks them, and writes the results in front of
/// the root.
Value RowwiseEmitter::inputAt(Value column, Value mask) {
  Value x = pull.readVector(axes.root->getOperand(0), walk.at(), mask);
  for (const RowResult &result : results)
    if (!result.behindRoot)
      pull.write(result.slot, walk.offset(),
                 pull.read(result.tensor, walk.at(), mask), mask);
  return x;
}

/// Writes the results behind the root, whose elements are `value`.
void RowwiseEmitter::finish(Value value, Value mask) {
  pull.substitute(axes.root->getResult(0), pull.fromVector(value));
  for (const RowResult &result : results)
    if (result.behindRoot)
      pull.write(result.slot, walk.offset(),
                 pull.read(result.tensor, walk.at(), mask), mask);
}

void RowwiseEmitter::emitRow(Value row) {
  walk.start(row);
  if (isa<xf::LayerNormOp, xf::RmsNormOp>(axes.root))
    return emitNorm();
  emitSoftmax();
}

void RowwiseEmitter::emitNorm() {
  auto layer = dyn_cast<xf::LayerNormOp>(axes.root);
  auto rms = dyn_cast<xf::RmsNormOp>(axes.root);
  double eps =
      layer ? layer.getEps().convertToDouble() : rms.getEps().convertToDouble();
  Value gain = layer ? layer.getG() : rms.getG();
  Value bias = layer ? layer.getB() : Value();
  Value count = arith::SIToFPOp::create(k.op(), k.f32(),
                                        k.fromIndex(walk.columns, k.i64()));
  // 1. The row, and its sum (layer_norm) or sum of squares.
  Values sums =
      walk.carry({k.splat(0)},
                 [&](Value column, Value mask, ValueRange carried) -> Values {
                   Value x = inputAt(column, mask);
                   park(x, mask);
                   x = only(mask, x, 0);
                   if (layer)
                     return {k.addF(carried[0], x)};
                   return {k.fma(x, x, carried[0])};
                 });
  Value mean = k.splat(0), squares = sums[0];
  // 2. The variance about the mean.
  if (layer) {
    mean = k.broadcast(k.divF(k.reduceSum(sums[0]), count));
    squares =
        walk.carry({k.splat(0)},
                   [&](Value column, Value mask, ValueRange carried) -> Values {
                     Value d = only(mask, k.subF(parked(mask), mean), 0);
                     return {k.fma(d, d, carried[0])};
                   })[0];
  }
  Value variance = k.divF(k.reduceSum(squares), count);
  Value root = k.sqrtF(k.addF(variance, k.constantF(eps)));
  Value inverse = k.broadcast(k.divF(k.constantF(1), root));
  // 3. Scale and shift.
  walk.each([&](Value, Value mask) {
    Value x = parked(mask);
    Value y = k.mulF(layer ? k.subF(x, mean) : x, inverse);
    llvm::ArrayRef<Lanes> inner = walk.inner();
    Value g = gain ? pull.readVector(gain, inner, mask) : Value();
    Value b = bias ? pull.readVector(bias, inner, mask) : Value();
    if (g && b)
      y = k.fma(y, g, b);
    else if (g)
      y = k.mulF(y, g);
    else if (b)
      y = k.addF(y, b);
    finish(y, mask);
  });
}

/// The lanes of the row that take part: inside `mask`, unmasked, counted.
Value RowwiseEmitter::visible(Value column, Value mask) {
  auto soft = dyn_cast<xf::SoftmaxOp>(axes.root);
  auto log = dyn_cast<xf::LogSoftmaxOp>(axes.root);
  Value allowed = soft ? soft.getMask() : log.getMask();
  Value keyCount = soft ? soft.getKeyCount() : log.getKeyCount();
  Value lanes = mask;
  auto both = [&](Value other) {
    lanes = lanes ? arith::AndIOp::create(k.op(), lanes, other) : other;
  };
  llvm::ArrayRef<Lanes> at = walk.at();
  if (allowed) {
    auto shape = cast<RankedTensorType>(allowed.getType()).getShape();
    llvm::SmallVector<Lanes> index;
    for (unsigned axis = 0; axis < shape.size(); ++axis)
      index.push_back(shape[axis] == 1 ? pull.constant(0)
                                       : at[at.size() - shape.size() + axis]);
    both(pull.readVector(allowed, index, mask));
  }
  if (keyCount) {
    Lanes count = pull.read(keyCount, {at[0]}, Value());
    both(k.less(pull.vector(pull.ramp(column, 1, true)),
                k.broadcast(k.toIndex(count.value))));
  }
  return lanes;
}

void RowwiseEmitter::emitSoftmax() {
  bool log = isa<xf::LogSoftmaxOp>(axes.root);
  double infinity = std::numeric_limits<double>::infinity();
  Value hidden = k.splat(-infinity);
  using Predicate = arith::CmpFPredicate;
  // 1. The row with -inf where hidden, and its maximum.
  Values top = walk.carry(
      {hidden}, [&](Value column, Value mask, ValueRange carried) -> Values {
        Value x = only(visible(column, mask), inputAt(column, mask), -infinity);
        park(x, mask);
        return {k.maxF(x, carried[0])};
      });
  Value maximum = k.broadcast(k.reduceMax(top[0]));
  maximum =
      k.select(k.cmpF(Predicate::OEQ, maximum, hidden), k.splat(0), maximum);
  // 2. The sum of the exponentials, which softmax parks.
  auto exponential = [&](Value x) {
    return emitExp2(k,
                    k.mulF(k.subF(x, maximum), k.splat(1.44269504088896341)));
  };
  Values sums =
      walk.carry({k.splat(0)},
                 [&](Value column, Value mask, ValueRange carried) -> Values {
                   Value e = exponential(parked(mask));
                   if (!log)
                     park(e, mask);
                   return {k.addF(carried[0], only(mask, e, 0))};
                 });
  Value sum = k.broadcast(k.reduceSum(sums[0]));
  Value empty = k.cmpF(Predicate::OEQ, sum, k.splat(0));
  Value inverse = k.select(empty, k.splat(0), k.divF(k.splat(1), sum));
  Value logarithm = log ? emitLog(k, sum) : Value();
  // 3. The results.
  walk.each([&](Value, Value mask) {
    Value x = parked(mask);
    if (!log)
      return finish(k.mulF(x, inverse), mask);
    Value y = k.subF(k.subF(x, maximum), logarithm);
    finish(k.select(k.cmpF(Predicate::OEQ, x, hidden), hidden, y), mask);
  });
}

LogicalResult dragoman::lowerRowwise(plan::KernelOp kernel, KernelBuilder &k) {
  KernelBody body(kernel, k);
  RowAxes axes = rowwiseRoot(kernel, body.analysis);
  if (!axes.root) {
    body.error(kernel) << "expected a rowwise root";
    return body.status();
  }
  RowwiseEmitter emitter(body, axes);
  if (!emitter.prepare())
    return body.status();
  int64_t tileRows = body.param("rows", 16);
  Value rows = body.value(axes.rows);
  k.forTiles([&](Value tile) {
    Value first = k.mul(tile, tileRows);
    k.forLoop(first, k.min(k.add(first, tileRows), rows), 1,
              [&](Value row) { emitter.emitRow(row); });
  });
  return body.status();
}
