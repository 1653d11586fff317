//===- ElementwiseKernel.cpp - Kernels without a root on the CPU ----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/ElementwiseKernel.h"

#include "compiler/tiling/ElementGroups.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace dragoman;

void dragoman::forColumns(KernelBuilder &k, Value from, Value to,
                          llvm::function_ref<void(Value, Value)> body) {
  std::optional<int64_t> first = getConstantIntValue(from),
                         last = getConstantIntValue(to);
  Value whole = k.sub(to, k.rem(k.sub(to, from), kernelLanes));
  if (!first || !last || *last - *first >= kernelLanes)
    k.forLoop(from, whole, kernelLanes,
              [&](Value column) { body(column, Value()); });
  if (first && last && (*last - *first) % kernelLanes == 0)
    return;
  auto tail = [&] { body(whole, k.tailMask(k.sub(to, whole))); };
  if (first && last)
    return tail();
  k.ifThen(k.less(whole, to), tail);
}

namespace {

class ElementwiseEmitter {
public:
  ElementwiseEmitter(KernelBody &body) : body(body), k(body.k), pull(body) {}

  /// One tile of `group`: tile `number` counted from the group's first.
  void emitTile(const ElementGroup &group, Value number);

private:
  void emitScalars(const ElementGroup &group);
  void emitRow(const ElementGroup &group, Value row, Value from, Value to);

  KernelBody &body;
  KernelBuilder &k;
  PullEvaluator pull;
};

} // namespace

void ElementwiseEmitter::emitScalars(const ElementGroup &group) {
  pull.newElements();
  for (auto [result, tensor] : group.results)
    pull.write(body.resultSlot(result), pull.constant(0),
               pull.read(tensor, {}, Value()), Value());
}

void ElementwiseEmitter::emitTile(const ElementGroup &group, Value number) {
  if (group.dims.empty())
    return emitScalars(group);
  int64_t rows = group.tileRows, width = group.tileColumns;
  Value columns = body.value(group.columns());
  Value across = k.ceilDiv(columns, width);
  Value first = k.mul(k.div(number, across), rows);
  Value from = k.mul(k.rem(number, across), width);
  Value last = k.min(k.add(first, rows), body.value(group.rows()));
  Value to = k.min(k.add(from, width), columns);
  k.forLoop(first, last, 1, [&](Value row) { emitRow(group, row, from, to); });
}

void ElementwiseEmitter::emitRow(const ElementGroup &group, Value row,
                                 Value from, Value to) {
  llvm::SmallVector<Value> sizes;
  for (auto [axis, dim] : llvm::enumerate(group.dims))
    if (axis != group.laneAxis)
      sizes.push_back(body.value(dim));
  pull.newElements();
  llvm::SmallVector<Lanes> at = pull.delinearize(pull.uniform(row), sizes);
  at.insert(at.begin() + group.laneAxis, Lanes());
  Value start = k.mul(row, body.value(group.columns()));
  forColumns(k, from, to, [&](Value column, Value mask) {
    pull.newElements();
    at[group.laneAxis] = pull.ramp(column, 1, true);
    Lanes offset = pull.ramp(k.add(start, column), 1, false);
    for (auto [result, tensor] : group.results) {
      Lanes value = pull.read(tensor, at, mask);
      pull.write(body.resultSlot(result), offset, value, mask);
    }
  });
}

LogicalResult dragoman::lowerElementwise(plan::KernelOp kernel,
                                         KernelBuilder &k) {
  KernelBody body(kernel, k);
  ElementwiseEmitter emitter(body);
  llvm::SmallVector<ElementGroup> groups =
      elementGroups(kernel, body.analysis, body.param("elements", 8192));
  llvm::SmallVector<Value> ends;
  Value end = k.index(0);
  for (const ElementGroup &group : groups) {
    end = k.add(end, body.value(group.tiles()));
    ends.push_back(end);
  }
  k.forTiles([&](Value tile) {
    if (groups.size() == 1)
      return emitter.emitTile(groups[0], tile);
    for (unsigned i = 0; i < groups.size(); ++i) {
      Value from = i ? ends[i - 1] : k.index(0);
      Value inside = arith::AndIOp::create(
          k.op(), k.cmp(arith::CmpIPredicate::sge, tile, from),
          k.less(tile, ends[i]));
      k.ifThen(inside, [&] { emitter.emitTile(groups[i], k.sub(tile, from)); });
    }
  });
  return body.status();
}
