//===- CrossEntropyKernel.cpp - Losses on the CPU ------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/CrossEntropyKernel.h"

#include "compiler/lowering/cpu/ElementwiseKernel.h"
#include "compiler/lowering/cpu/PullEvaluator.h"
#include "compiler/lowering/cpu/VectorMath.h"
#include "dialects/xf/Xf.h"

#include <limits>

using namespace mlir;
using namespace dragoman;

using Values = KernelBuilder::Values;
using Predicate = arith::CmpFPredicate;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double log2e = 1.44269504088896341;
static constexpr double ln2 = 0.69314718055994531;
/// Vectors that one turn of a loop over a row takes.
static constexpr int64_t together = 4;

namespace {

enum ResultNumber { Dlogits, Loss, Nll, Correct, Lse, ResultCount };

/// Where a row may be read: the masks are null for "all lanes".
struct Columns {
  Value first;   ///< of 16
  Value allowed; ///< lanes inside the row that are not forbidden
  Value inside;  ///< lanes inside the row
};

class LossEmitter {
public:
  LossEmitter(KernelBody &body, xf::CrossEntropyGradOp op,
              const StridedView &logits, int64_t vocabulary)
      : body(body), k(body.k), pull(body), op(op), logits(logits),
        vocabulary(vocabulary) {}

  bool prepare();
  void emitRow(Value row);

private:
  using Step = llvm::function_ref<Values(const Columns &, int64_t, ValueRange)>;

  Value maskOf(llvm::function_ref<bool(int64_t)> lane);
  Values special(int64_t first, Step step, Values carried);
  Values walk(ValueRange init, Step step);
  Value scalar(Value tensor, Value row);
  Value window(Value slot, Value start, Value column);
  Value load(const Columns &at);
  void storeGradient(Value lanes, const Columns &at);
  Value forbiddenTarget(Value gold);
  Value maximumOfRow();
  Value isFirstBest(Value gold, Value maximum, Value banned);
  void emitCounted(Value row, Value gold);
  void emitIgnored(Value row);
  void emitGradient(Value row, Value gold, Value banned, Value weight,
                    Value sum);
  void store(ResultNumber result, Value value, Value row);

  KernelBody &body;
  KernelBuilder &k;
  PullEvaluator pull;
  xf::CrossEntropyGradOp op;
  const StridedView &logits;
  int64_t vocabulary;
  double smoothing = 0, allowedCount = 0;
  std::array<std::optional<int64_t>, ResultCount> slots; ///< of the results
  Value input, inputStart;     ///< of the current row of logits
  Value gradient, outputStart; ///< of the current row of dlogits
};

} // namespace

bool LossEmitter::prepare() {
  for (auto [i, value] : llvm::enumerate(body.yield().getOperands())) {
    if (value.getDefiningOp() != op) {
      body.error(op) << "expected the kernel to yield the losses";
      return false;
    }
    slots[cast<OpResult>(value).getResultNumber()] = body.resultSlot(i);
  }
  smoothing = op.getSmoothing().convertToDouble();
  allowedCount = vocabulary - static_cast<int64_t>(op.getForbidden().size());
  input = k.slot(logits.slot, k.f32());
  if (slots[Dlogits])
    gradient = k.slot(*slots[Dlogits], k.f32());
  return true;
}

Value LossEmitter::maskOf(llvm::function_ref<bool(int64_t)> lane) {
  SmallVector<bool> lanes;
  for (int64_t i = 0; i < kernelLanes; ++i)
    lanes.push_back(lane(i));
  return arith::ConstantOp::create(
      k.op(), DenseElementsAttr::get(k.vec(k.op().getI1Type()), lanes));
}

/// A step at 16 columns that hold a forbidden id or end beyond the row.
Values LossEmitter::special(int64_t first, Step step, Values carried) {
  auto isInside = [&](int64_t lane) { return first + lane < vocabulary; };
  auto isAllowed = [&](int64_t lane) {
    return isInside(lane) &&
           !llvm::is_contained(op.getForbidden(), first + lane);
  };
  Columns at{k.index(first), maskOf(isAllowed), Value()};
  if (first + kernelLanes > vocabulary)
    at.inside = maskOf(isInside);
  return step(at, 0, carried);
}

/// Carries values over the row, 16 columns a step; the step's number counts
/// within one turn of a loop.
Values LossEmitter::walk(ValueRange init, Step step) {
  Values carried(init);
  int64_t next = 0, whole = vocabulary / kernelLanes * kernelLanes;
  auto plain = [&](int64_t end) {
    int64_t turn = together * kernelLanes;
    int64_t turns = next + (end - next) / turn * turn;
    auto several = [&](Value column, ValueRange values) {
      Values current(values);
      for (int64_t i = 0; i < together; ++i)
        current = step({k.add(column, i * kernelLanes), Value(), Value()}, i,
                       current);
      return current;
    };
    if (turns > next && carried.empty())
      k.forLoop(k.index(next), k.index(turns), turn,
                [&](Value column) { several(column, {}); });
    else if (turns > next)
      carried =
          k.forLoop(k.index(next), k.index(turns), turn, carried, several);
    for (; turns < end; turns += kernelLanes)
      carried = step({k.index(turns), Value(), Value()}, 0, carried);
    next = end;
  };
  for (int64_t id : op.getForbidden()) {
    int64_t first = id / kernelLanes * kernelLanes;
    if (first < next || first >= whole)
      continue; // taken with the id before it, or with the end of the row
    plain(first);
    carried = special(first, step, carried);
    next = first + kernelLanes;
  }
  plain(whole);
  if (whole < vocabulary)
    carried = special(whole, step, carried);
  return carried;
}

Value LossEmitter::scalar(Value tensor, Value row) {
  pull.newElements();
  return pull.read(tensor, {pull.uniform(row)}, Value()).value;
}

Value LossEmitter::window(Value slot, Value start, Value column) {
  return k.view(slot, k.add(start, column), {kernelLanes}, {int64_t(1)});
}

Value LossEmitter::load(const Columns &at) {
  Value memory = window(input, inputStart, at.first), zero = k.index(0);
  return at.inside ? k.loadMasked(memory, zero, at.inside)
                   : k.loadV(memory, zero);
}

void LossEmitter::storeGradient(Value lanes, const Columns &at) {
  Value memory = window(gradient, outputStart, at.first), zero = k.index(0);
  if (at.inside)
    k.storeMasked(lanes, memory, zero, at.inside);
  else
    k.storeV(lanes, memory, zero);
}

void LossEmitter::store(ResultNumber result, Value value, Value row) {
  if (slots[result])
    k.store(value, k.slot(*slots[result], k.f32()), row);
}

/// i1, or null if no id is forbidden.
Value LossEmitter::forbiddenTarget(Value gold) {
  Value any;
  for (int64_t id : op.getForbidden()) {
    Value same = k.cmp(arith::CmpIPredicate::eq, gold, k.index(id));
    any = any ? arith::OrIOp::create(k.op(), any, same) : same;
  }
  return any;
}

/// The largest allowed logit; a NaN is dropped.
Value LossEmitter::maximumOfRow() {
  Value low = k.splat(-infinity);
  Values tops = walk(Values(together, low),
                     [&](const Columns &at, int64_t i, ValueRange carried) {
                       Values next(carried);
                       Value x = load(at);
                       if (at.allowed)
                         x = k.select(at.allowed, x, low);
                       next[i] = k.maxF(x, carried[i]);
                       return next;
                     });
  Value top = tops[0];
  for (int64_t i = 1; i < together; ++i)
    top = k.maxF(tops[i], top);
  return k.reduceMax(top);
}

/// 1 if the target's logit is the maximum and no allowed one before it is.
Value LossEmitter::isFirstBest(Value gold, Value maximum, Value banned) {
  Value x = k.load(input, k.add(inputStart, gold));
  Value best =
      arith::AndIOp::create(k.op(), k.cmpF(Predicate::OEQ, x, maximum),
                            k.cmpF(Predicate::OGT, x, k.constantF(-infinity)));
  if (banned)
    best = k.select(banned, k.constantInt(k.op().getI1Type(), 0), best);
  Value zero = k.constantF(0);
  return k.ifElse(
      best, {k.f32()},
      [&]() -> Values {
        Value top = k.broadcast(maximum);
        auto count = [&](Value column, Value mask, Value sum) {
          Value memory = window(input, inputStart, column), at = k.index(0);
          Value lanes =
              mask ? k.loadMasked(memory, at, mask) : k.loadV(memory, at);
          Value one = k.select(k.cmpF(Predicate::OEQ, lanes, top), k.splat(1),
                               k.splat(0));
          return k.addF(sum, mask ? k.select(mask, one, k.splat(0)) : one);
        };
        Value whole = k.sub(gold, k.rem(gold, kernelLanes));
        Value sum = k.forLoop(k.index(0), whole, kernelLanes, {k.splat(0)},
                              [&](Value column, ValueRange carried) -> Values {
                                return {count(column, Value(), carried[0])};
                              })[0];
        sum = count(whole, k.tailMask(k.sub(gold, whole)), sum);
        Value before = k.reduceSum(sum);
        for (int64_t id : op.getForbidden()) {
          Value other = k.load(input, k.add(inputStart, k.index(id)));
          Value same =
              arith::AndIOp::create(k.op(), k.less(k.index(id), gold),
                                    k.cmpF(Predicate::OEQ, other, maximum));
          before = k.subF(before, k.select(same, k.constantF(1), zero));
        }
        return {k.select(k.cmpF(Predicate::OEQ, before, zero), k.constantF(1),
                         zero)};
      },
      [&]() -> Values { return {zero}; })[0];
}

/// A row that counts: one pass for the maximum, one for the sum of exponentials
/// (which takes the place of dlogits), one for the gradient.
void LossEmitter::emitCounted(Value row, Value gold) {
  Value maximum = maximumOfRow();
  Value banned = forbiddenTarget(gold);
  // The logits are read for the last time in the second pass.
  Value distance = k.subF(maximum, k.load(input, k.add(inputStart, gold)));
  if (slots[Correct])
    store(Correct, isFirstBest(gold, maximum, banned), row);
  Value scale = k.splat(log2e);
  Value shift = k.broadcast(k.mulF(maximum, k.constantF(-log2e)));
  Value none = k.splat(0);
  Values init(smoothing > 0 ? 2 : 1, none);
  Values sums = walk(init, [&](const Columns &at, int64_t, ValueRange carried) {
    Value t = k.fma(load(at), scale, shift);
    if (at.allowed)
      t = k.select(at.allowed, t, none);
    Value e = emitExp2(k, t);
    if (at.allowed)
      e = k.select(at.allowed, e, none);
    if (gradient)
      storeGradient(e, at);
    Values next = {k.addF(carried[0], e)};
    if (smoothing > 0)
      next.push_back(k.addF(carried[1], t));
    return next;
  });
  Value sum = k.reduceSum(sums[0]);
  Value logarithm = k.extract(emitLog(k, k.broadcast(sum)), 0);
  Value nll = k.addF(distance, logarithm);
  if (banned)
    nll = k.select(banned, k.constantF(infinity), nll);
  Value weight = k.constantF(1), loss = nll;
  if (smoothing > 0) {
    // The mean over the ids of lse - x.
    Value mean = k.fma(k.reduceSum(sums[1]), k.constantF(-ln2 / allowedCount),
                       logarithm);
    loss = k.addF(k.mulF(nll, k.constantF(1 - smoothing)),
                  k.mulF(mean, k.constantF(smoothing)));
  }
  if (op.getClassWeight()) {
    weight = scalar(op.getClassWeight(), gold);
    loss = k.mulF(loss, weight);
  }
  store(Loss, loss, row);
  store(Nll, nll, row);
  store(Lse, k.addF(maximum, logarithm), row);
  if (gradient)
    emitGradient(row, gold, banned, weight, sum);
}

void LossEmitter::emitGradient(Value row, Value gold, Value banned,
                               Value weight, Value sum) {
  if (op.getDloss())
    weight = k.mulF(weight, scalar(op.getDloss(), row));
  Value factor = k.broadcast(k.divF(weight, sum));
  Value even =
      k.broadcast(k.mulF(weight, k.constantF(-smoothing / allowedCount)));
  walk({}, [&](const Columns &at, int64_t, ValueRange) -> Values {
    Value memory = window(gradient, outputStart, at.first), zero = k.index(0);
    Value e = at.inside ? k.loadMasked(memory, zero, at.inside)
                        : k.loadV(memory, zero);
    Value d = smoothing > 0 ? k.fma(e, factor, even) : k.mulF(e, factor);
    if (at.allowed)
      d = k.select(at.allowed, d, k.splat(0));
    storeGradient(d, at);
    return {};
  });
  auto take = [&] {
    Value place = k.add(outputStart, gold);
    Value target = k.mulF(weight, k.constantF(1 - smoothing));
    k.store(k.subF(k.load(gradient, place), target), gradient, place);
  };
  if (!banned)
    return take();
  k.ifElse(banned, [] {}, take);
}

void LossEmitter::emitIgnored(Value row) {
  for (ResultNumber result : {Loss, Nll, Correct, Lse})
    store(result, k.constantF(0), row);
  if (gradient)
    walk({}, [&](const Columns &at, int64_t, ValueRange) -> Values {
      storeGradient(k.splat(0), at);
      return {};
    });
}

void LossEmitter::emitRow(Value row) {
  inputStart = k.add(body.value(logits.offset),
                     k.mul(row, body.value(logits.strides[0])));
  outputStart = k.mul(row, vocabulary);
  Value target = scalar(op.getTarget(), row);
  Value ignored = k.cmp(arith::CmpIPredicate::eq, target,
                        k.constantInt(target.getType(), op.getIgnore()));
  k.ifElse(
      ignored, [&] { emitIgnored(row); },
      [&] {
        Value wide = target;
        if (!wide.getType().isInteger(64))
          wide = arith::ExtSIOp::create(k.op(), k.i64(), wide);
        Value size = k.constantInt(k.i64(), vocabulary);
        // As an unsigned number a negative one is large.
        k.ifThen(k.cmp(arith::CmpIPredicate::uge, wide, size), [&] {
          k.recordError(op.getSite(), k.fromIndex(row, k.i64()), wide, size);
        });
        emitCounted(row, k.max(k.min(k.toIndex(wide), vocabulary - 1), 0));
      });
}

LogicalResult dragoman::lowerCrossEntropy(plan::KernelOp kernel,
                                          KernelBuilder &k) {
  KernelBody body(kernel, k);
  auto ops = kernel.getBody().front().getOps<xf::CrossEntropyGradOp>();
  if (ops.empty()) {
    body.error(kernel) << "expected a loss";
    return body.status();
  }
  auto op = *ops.begin();
  std::optional<StridedView> logits = body.view(op.getLogits());
  auto type = cast<RankedTensorType>(op.getLogits().getType());
  if (!logits || !logits->strides[1].isConstant(1) ||
      !type.getElementType().isF32()) {
    body.error(op) << "expected f32 logits in an argument, found " << type;
    return body.status();
  }
  LossEmitter emitter(body, op, *logits, type.getDimSize(1));
  if (!emitter.prepare())
    return body.status();
  int64_t tileRows = body.param("rows", 1);
  Value rows = body.size(op.getLogits(), 0);
  k.forTiles([&](Value tile) {
    Value first = k.mul(tile, tileRows);
    k.forLoop(first, k.min(k.add(first, tileRows), rows), 1,
              [&](Value row) { emitter.emitRow(row); });
  });
  return body.status();
}
