//===- TopKKernel.cpp - The k best of a row on the CPU --------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/RankedList.h"
#include "compiler/lowering/cpu/SelectKernel.h"
#include "dialects/xf/Xf.h"

using namespace mlir;
using namespace dragoman;

using Predicate = arith::CmpFPredicate;

/// i1: x ranks before y; a NaN ranks behind everything else.
static Value ranksBefore(KernelBuilder &k, bool largest, Value x, Value y) {
  Value better = k.cmpF(largest ? Predicate::OGT : Predicate::OLT, x, y);
  Value number = k.cmpF(Predicate::ORD, x, x);
  Value nan = k.cmpF(Predicate::UNO, y, y);
  return arith::OrIOp::create(k.op(), better,
                              arith::AndIOp::create(k.op(), number, nan));
}

LogicalResult dragoman::lowerTopK(plan::KernelOp kernel, KernelBuilder &k) {
  KernelBody body(kernel, k);
  auto ops = kernel.getBody().front().getOps<xf::TopKOp>();
  auto op = *ops.begin();
  auto type = cast<RankedTensorType>(op.getX().getType());
  if (!type.getElementType().isF32() || type.getRank() == 0 ||
      llvm::to_vector(body.yield().getOperands()) !=
          llvm::to_vector(ValueRange(op->getResults()))) {
    body.error(op) << "expected f32 rows, and values and indices as results";
    return body.status();
  }
  PullEvaluator pull(body);
  int64_t last = type.getRank() - 1;
  llvm::SmallVector<Value> sizes;
  for (int64_t axis = 0; axis < last; ++axis)
    sizes.push_back(body.size(op.getX(), axis));
  Type idType =
      cast<RankedTensorType>(op.getIndices().getType()).getElementType();
  bool largest = op.getLargest();
  k.forTiles([&](Value row) {
    RankedList list{
        k,
        k.slot(body.resultSlot(0), k.f32()),
        k.slot(body.resultSlot(1), idType),
        k.mul(row, op.getK()),
        k.scratch(0, k.i64()),
        k.index(op.getK()),
        [&](Value x, Value y) { return ranksBefore(k, largest, x, y); }};
    list.clear();
    pull.newElements();
    llvm::SmallVector<Lanes> at = pull.delinearize(pull.uniform(row), sizes);
    at.push_back(Lanes());
    k.forLoop(k.index(0), body.size(op.getX(), last), 1, [&](Value column) {
      pull.newElements();
      at[last] = pull.uniform(column, false, true);
      Lanes x = pull.read(op.getX(), at, Value());
      Value scalar =
          x.kind == Lanes::Uniform ? x.value : k.extract(pull.vector(x), 0);
      list.insert(scalar, k.fromIndex(column, idType));
    });
  });
  return body.status();
}
