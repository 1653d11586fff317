//===- PullLanes.cpp - Sixteen lanes: arithmetic, loads and stores --------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/PullEvaluator.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dragoman;

/// lane * step as a vector of indices.
static Value rampVector(KernelBuilder &k, int64_t step) {
  llvm::SmallVector<Attribute> lanes;
  for (int64_t i = 0; i < kernelLanes; ++i)
    lanes.push_back(k.op().getIndexAttr(i * step));
  return arith::ConstantOp::create(
      k.op(), DenseElementsAttr::get(k.vec(k.indexType()), lanes));
}

Value PullEvaluator::vector(const Lanes &lanes) {
  if (lanes.kind == Lanes::Vector)
    return lanes.value;
  Attribute constant;
  if (lanes.kind == Lanes::Uniform &&
      matchPattern(lanes.value, m_Constant(&constant)))
    return arith::ConstantOp::create(
        k.op(), DenseElementsAttr::get(k.vec(lanes.value.getType()), constant));
  Value splat = k.broadcast(lanes.value);
  if (lanes.kind == Lanes::Uniform)
    return splat;
  Value steps = rampVector(k, lanes.step);
  Type element = lanes.value.getType();
  if (!element.isIndex())
    steps = arith::IndexCastOp::create(k.op(), k.vec(element), steps);
  return arith::AddIOp::create(k.op(), splat, steps);
}

Lanes PullEvaluator::add(const Lanes &x, const Lanes &y) {
  if (y.kind == Lanes::Uniform && getConstantIntValue(y.value) == 0)
    return x;
  if (x.kind == Lanes::Uniform && getConstantIntValue(x.value) == 0)
    return y;
  if (x.kind == Lanes::Vector || y.kind == Lanes::Vector)
    return fromVector(arith::AddIOp::create(k.op(), vector(x), vector(y)));
  Lanes sum = x;
  sum.value = k.add(x.value, y.value);
  sum.step = x.step + y.step;
  sum.kind = sum.step ? Lanes::Ramp : Lanes::Uniform;
  sum.aligned = x.aligned && y.aligned;
  sum.inside = false;
  return sum;
}

Lanes PullEvaluator::mul(const Lanes &x, Value factor) {
  std::optional<int64_t> constant = getConstantIntValue(factor);
  if (constant == 1)
    return x;
  if (x.kind == Lanes::Vector || (x.kind == Lanes::Ramp && !constant))
    return fromVector(
        arith::MulIOp::create(k.op(), vector(x), k.broadcast(factor)));
  Lanes product = x;
  product.value = k.mul(x.value, factor);
  if (x.kind == Lanes::Ramp)
    product.step = x.step * *constant;
  product.aligned = x.aligned || (constant && *constant % kernelLanes == 0);
  product.inside = false;
  return product;
}

std::pair<Lanes, Lanes> PullEvaluator::divide(const Lanes &x, Value size) {
  std::optional<int64_t> constant = getConstantIntValue(size);
  if (constant == 1)
    return {x, this->constant(0)};
  bool whole = constant && *constant % kernelLanes == 0;
  if (x.kind == Lanes::Uniform)
    return {uniform(k.div(x.value, size)),
            uniform(k.rem(x.value, size), x.aligned && whole)};
  // Sixteen indices from a multiple of 16 on lie in one group of a multiple.
  if (x.kind == Lanes::Ramp && x.step == 1 && x.aligned && whole)
    return {uniform(k.div(x.value, size)),
            ramp(k.rem(x.value, size), 1, true, false)};
  Value dividend = vector(x), divisor = k.broadcast(size);
  return {fromVector(arith::DivUIOp::create(k.op(), dividend, divisor)),
          fromVector(arith::RemUIOp::create(k.op(), dividend, divisor))};
}

llvm::SmallVector<Lanes>
PullEvaluator::delinearize(Lanes linear, llvm::ArrayRef<Value> sizes) {
  llvm::SmallVector<Lanes> indices(sizes.size(), constant(0));
  int64_t first = 0;
  while (first + 1 < int64_t(sizes.size()) &&
         getConstantIntValue(sizes[first]) == 1)
    ++first;
  for (int64_t axis = int64_t(sizes.size()) - 1; axis >= first; --axis) {
    if (axis == first) {
      indices[axis] = linear;
    } else if (getConstantIntValue(sizes[axis]) != 1) {
      std::tie(linear, indices[axis]) = divide(linear, sizes[axis]);
    }
    indices[axis].inside = true;
  }
  return indices;
}

Lanes PullEvaluator::clamp(const Lanes &index, Value size) {
  if (index.inside)
    return index;
  Value last = k.sub(size, 1), zero = k.index(0);
  if (index.kind == Lanes::Uniform)
    return uniform(k.max(k.min(index.value, last), zero), false, true);
  Value lanes = vector(index);
  lanes = arith::MinSIOp::create(k.op(), lanes, k.broadcast(last));
  Lanes clamped =
      fromVector(arith::MaxSIOp::create(k.op(), lanes, k.broadcast(zero)));
  clamped.inside = true;
  return clamped;
}

Value PullEvaluator::andMask(Value mask, Value other) {
  return mask ? arith::AndIOp::create(k.op(), mask, other) : other;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static Value allLanes(KernelBuilder &k) {
  return arith::ConstantOp::create(
      k.op(), DenseElementsAttr::get(k.vec(k.op().getI1Type()), true));
}

Lanes PullEvaluator::load(const StridedView &view, llvm::ArrayRef<Lanes> at,
                          Value mask) {
  Lanes offset = uniform(body.value(view.offset));
  for (auto [index, stride] : llvm::zip(at, view.strides))
    offset = add(offset, mul(index, body.value(stride)));
  Type memory = memoryType(view.element);
  Value slot = k.slot(view.slot, memory);
  Lanes result = offset;
  if (offset.kind == Lanes::Uniform) {
    result = uniform(k.load(slot, offset.value));
  } else if (offset.kind == Lanes::Ramp && offset.step == 1) {
    Value window = k.view(slot, offset.value, {kernelLanes}, {int64_t(1)});
    result = fromVector(mask ? k.loadMasked(window, k.index(0), mask)
                             : k.loadV(window, k.index(0)));
  } else {
    Value zeros = arith::ConstantOp::create(
        k.op(), cast<TypedAttr>(k.op().getZeroAttr(k.vec(memory))));
    result = fromVector(vector::GatherOp::create(
        k.op(), k.vec(memory), slot, ValueRange{k.index(0)}, vector(offset),
        mask ? mask : allLanes(k), zeros));
  }
  if (!view.element.isInteger(1))
    return result;
  Value zero = result.kind == Lanes::Uniform ? k.constantInt(memory, 0)
                                             : k.splatInt(memory, 0);
  result.value = k.cmp(arith::CmpIPredicate::ne, result.value, zero);
  return result;
}

void PullEvaluator::write(int64_t slot, const Lanes &offset, const Lanes &value,
                          Value mask) {
  Type element = getElementTypeOrSelf(value.value.getType());
  Type memory = memoryType(element);
  Value base = k.slot(slot, memory);
  Lanes stored = value;
  if (element != memory) {
    Type type = value.kind == Lanes::Vector ? Type(k.vec(memory)) : memory;
    stored.value = arith::ExtUIOp::create(k.op(), type, value.value);
  }
  if (offset.kind == Lanes::Uniform) {
    Value scalar = stored.kind == Lanes::Uniform ? stored.value
                                                 : k.extract(vector(stored), 0);
    return k.store(scalar, base, offset.value);
  }
  Value lanes = vector(stored);
  if (offset.kind == Lanes::Ramp && offset.step == 1) {
    Value window = k.view(base, offset.value, {kernelLanes}, {int64_t(1)});
    if (mask)
      return k.storeMasked(lanes, window, k.index(0), mask);
    return k.storeV(lanes, window, k.index(0));
  }
  vector::ScatterOp::create(k.op(), Type(), base, ValueRange{k.index(0)},
                            vector(offset), mask ? mask : allLanes(k), lanes);
}
