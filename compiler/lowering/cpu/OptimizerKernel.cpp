//===- OptimizerKernel.cpp - Optimisers on the CPU -----------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/OptimizerKernel.h"

#include "compiler/lowering/cpu/ElementwiseKernel.h"
#include "compiler/lowering/cpu/PullEvaluator.h"
#include "dialects/xf/Xf.h"

using namespace mlir;
using namespace dragoman;

using Values = KernelBuilder::Values;

namespace {

/// Where the elements of a tensor lie.
struct Place {
  Value slot, offset;
};

class OptimizerEmitter {
public:
  OptimizerEmitter(KernelBody &body, Operation *root)
      : body(body), k(body.k), pull(body), root(root) {}

  bool prepare();
  void emit(Value from, Value to);

private:
  template <typename Op> bool readScalars(Op op);
  bool addTensor(Value tensor);
  Value window(const Place &place, Value column);
  Value decayAt(Value column);
  Values update(Value p, Value g, ArrayRef<Value> states, Value decay);
  Value adam(Value g, MutableArrayRef<Value> states);
  Value sgd(Value g, MutableArrayRef<Value> states);
  Value adagrad(Value g, MutableArrayRef<Value> states);
  Value adadelta(Value g, MutableArrayRef<Value> states);

  Value f64(double value);
  Value power(double base);
  Value lanes(Value f64Scalar);
  Value average(Value old, Value fresh, double keep);

  KernelBody &body;
  KernelBuilder &k;
  PullEvaluator pull;
  Operation *root;
  SmallVector<Place> tensors;                   ///< p, g, then the moments
  SmallVector<std::pair<unsigned, int64_t>> to; ///< result, slot
  Value lr, step, scale, skip;                  ///< f64, index, f32, i1
  Value rate;       ///< what multiplies the move, in all lanes
  Value correction; ///< of v, in all lanes (adam); of g in mom (sgd)
  Value shrink;     ///< lr * decay, in all lanes
  double decay = 0;
  bool decoupled = false;
  int64_t decayEnd = -1;
};

} // namespace

Value OptimizerEmitter::f64(double value) {
  return arith::ConstantOp::create(k.op(), k.op().getF64FloatAttr(value));
}

/// A double rounded to float32 in all lanes.
Value OptimizerEmitter::lanes(Value f64Scalar) {
  return k.broadcast(arith::TruncFOp::create(k.op(), k.f32(), f64Scalar));
}

/// base^step in f64, by squaring.
Value OptimizerEmitter::power(double base) {
  return k.forLoop(k.index(0), k.index(63), 1, {f64(1), f64(base), step},
                   [&](Value, ValueRange carried) -> Values {
                     Value odd = k.less(k.index(0), k.rem(carried[2], 2));
                     Value product = k.mulF(carried[0], carried[1]);
                     return {k.select(odd, product, carried[0]),
                             k.mulF(carried[1], carried[1]),
                             k.div(carried[2], 2)};
                   })[0];
}

/// keep * old + (1 - keep) * fresh.
Value OptimizerEmitter::average(Value old, Value fresh, double keep) {
  return k.fma(fresh, k.splat(1 - keep), k.mulF(old, k.splat(keep)));
}

bool OptimizerEmitter::addTensor(Value tensor) {
  std::optional<StridedView> view = body.view(tensor);
  if (!view || !view->element.isF32() ||
      view->strides != body.denseStrides(tensor)) {
    body.error(root) << "expected dense f32 tensors in arguments, found "
                     << tensor.getType();
    return false;
  }
  tensors.push_back({k.slot(view->slot, k.f32()), body.value(view->offset)});
  return true;
}

template <typename Op> bool OptimizerEmitter::readScalars(Op op) {
  auto scalar = [&](Value tensor) {
    return pull.read(tensor, {}, Value()).value;
  };
  lr = arith::ExtFOp::create(k.op(), k.op().getF64Type(), scalar(op.getLr()));
  step = k.toIndex(scalar(op.getStep()));
  if (op.getScale())
    scale = k.broadcast(scalar(op.getScale()));
  if (op.getSkip())
    skip = scalar(op.getSkip());
  decay = op.getDecay().convertToDouble();
  decoupled = op.getDecoupled();
  decayEnd = op.getDecayEnd();
  shrink = lanes(k.mulF(lr, f64(decay)));
  return addTensor(op.getP()) && addTensor(op.getG());
}

bool OptimizerEmitter::prepare() {
  for (auto [i, value] : llvm::enumerate(body.yield().getOperands())) {
    if (value.getDefiningOp() != root) {
      body.error(root) << "expected the kernel to yield the update";
      return false;
    }
    to.push_back({cast<OpResult>(value).getResultNumber(), body.resultSlot(i)});
  }
  if (auto op = dyn_cast<xf::AdamOp>(root)) {
    if (!readScalars(op) || !addTensor(op.getM()) || !addTensor(op.getV()))
      return false;
    Value one = f64(1);
    Value ofM = k.subF(one, power(op.getBeta1().convertToDouble()));
    Value ofV = k.subF(one, power(op.getBeta2().convertToDouble()));
    rate = lanes(k.divF(lr, ofM));
    correction = lanes(k.divF(one, k.sqrtF(ofV)));
    return true;
  }
  if (auto op = dyn_cast<xf::SgdOp>(root)) {
    if (!readScalars(op))
      return false;
    Value first = k.cmp(arith::CmpIPredicate::eq, step, k.index(1));
    double damped = 1 - op.getDampening().convertToDouble();
    correction = lanes(k.select(first, f64(1), f64(damped)));
    rate = lanes(lr);
    return !op.getMom() || addTensor(op.getMom());
  }
  if (auto op = dyn_cast<xf::AdagradOp>(root)) {
    if (!readScalars(op) || !addTensor(op.getSquareSum()))
      return false;
    Value before = arith::SIToFPOp::create(k.op(), k.op().getF64Type(),
                                           k.fromIndex(step, k.i64()));
    before =
        k.mulF(k.subF(before, f64(1)), f64(op.getLrDecay().convertToDouble()));
    rate = lanes(k.divF(lr, k.addF(f64(1), before)));
    return true;
  }
  auto op = cast<xf::AdadeltaOp>(root);
  if (!readScalars(op))
    return false;
  rate = lanes(lr);
  return addTensor(op.getSquareSum()) && addTensor(op.getSquareDelta());
}

/// The functions below change the moments and return the move, which `rate`
/// multiplies.
Value OptimizerEmitter::adam(Value g, MutableArrayRef<Value> states) {
  auto op = cast<xf::AdamOp>(root);
  states[0] = average(states[0], g, op.getBeta1().convertToDouble());
  states[1] = average(states[1], k.mulF(g, g), op.getBeta2().convertToDouble());
  Value size = k.fma(k.sqrtF(states[1]), correction,
                     k.splat(op.getEps().convertToDouble()));
  return k.divF(states[0], size);
}

Value OptimizerEmitter::sgd(Value g, MutableArrayRef<Value> states) {
  auto op = cast<xf::SgdOp>(root);
  if (states.empty())
    return g;
  Value momentum = k.splat(op.getMomentum().convertToDouble());
  states[0] = k.fma(g, correction, k.mulF(states[0], momentum));
  return op.getNesterov() ? k.fma(states[0], momentum, g) : states[0];
}

Value OptimizerEmitter::adagrad(Value g, MutableArrayRef<Value> states) {
  auto op = cast<xf::AdagradOp>(root);
  states[0] = k.fma(g, g, states[0]);
  return k.divF(
      g, k.addF(k.sqrtF(states[0]), k.splat(op.getEps().convertToDouble())));
}

Value OptimizerEmitter::adadelta(Value g, MutableArrayRef<Value> states) {
  auto op = cast<xf::AdadeltaOp>(root);
  Value eps = k.splat(op.getEps().convertToDouble());
  double rho = op.getRho().convertToDouble();
  states[0] = average(states[0], k.mulF(g, g), rho);
  Value move = k.mulF(
      k.divF(k.sqrtF(k.addF(states[1], eps)), k.sqrtF(k.addF(states[0], eps))),
      g);
  states[1] = average(states[1], k.mulF(move, move), rho);
  return move;
}

/// The results of 16 elements; `share` is the share of `decay` that they take,
/// null for none.
Values OptimizerEmitter::update(Value p, Value g, ArrayRef<Value> old,
                                Value share) {
  if (scale)
    g = k.mulF(g, scale);
  if (share && !decoupled)
    g = k.fma(k.mulF(share, k.splat(decay)), p, g);
  Values states(old.begin(), old.end());
  Value move = isa<xf::AdamOp>(root)      ? adam(g, states)
               : isa<xf::SgdOp>(root)     ? sgd(g, states)
               : isa<xf::AdagradOp>(root) ? adagrad(g, states)
                                          : adadelta(g, states);
  Value next = k.subF(p, k.mulF(rate, move));
  if (share && decoupled)
    next = k.subF(next, k.mulF(k.mulF(share, shrink), p));
  Values results = {next};
  results.append(states);
  return results;
}

/// 1 for elements that decay, else 0; null if none does.
Value OptimizerEmitter::decayAt(Value column) {
  if (decay == 0 || decayEnd == 0)
    return Value();
  if (decayEnd < 0)
    return k.splat(1);
  Value inside = k.less(pull.vector(pull.ramp(column, 1, true)),
                        k.broadcast(k.index(decayEnd)));
  return k.select(inside, k.splat(1), k.splat(0));
}

Value OptimizerEmitter::window(const Place &place, Value column) {
  return k.view(place.slot, k.add(place.offset, column), {kernelLanes},
                {int64_t(1)});
}

void OptimizerEmitter::emit(Value from, Value end) {
  Value zero = k.index(0);
  forColumns(k, from, end, [&](Value column, Value mask) {
    Values old;
    for (const Place &place : tensors) {
      Value memory = window(place, column);
      old.push_back(mask ? k.loadMasked(memory, zero, mask)
                         : k.loadV(memory, zero));
    }
    Values next =
        update(old[0], old[1], ArrayRef(old).drop_front(2), decayAt(column));
    // p and the moments, without g.
    old.erase(old.begin() + 1);
    for (auto [result, slot] : to) {
      Value value = next[result];
      if (skip)
        value = k.select(skip, old[result], value);
      Value memory = window({k.slot(slot, k.f32()), zero}, column);
      if (mask)
        k.storeMasked(value, memory, zero, mask);
      else
        k.storeV(value, memory, zero);
    }
  });
}

LogicalResult dragoman::lowerOptimizer(plan::KernelOp kernel,
                                       KernelBuilder &k) {
  KernelBody body(kernel, k);
  Operation *root = nullptr;
  for (Operation &op : kernel.getBody().front())
    if (isa<xf::AdamOp, xf::SgdOp, xf::AdagradOp, xf::AdadeltaOp>(op))
      root = &op;
  if (!root) {
    body.error(kernel) << "expected an optimiser";
    return body.status();
  }
  OptimizerEmitter emitter(body, root);
  if (!emitter.prepare())
    return body.status();
  int64_t elements = body.param("elements", 16384);
  Value all = body.value(body.elements(root->getResult(0)));
  k.forTiles([&](Value tile) {
    Value first = k.mul(tile, elements);
    emitter.emit(first, k.min(k.add(first, elements), all));
  });
  return body.status();
}
