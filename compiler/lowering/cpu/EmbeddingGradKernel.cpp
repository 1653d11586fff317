//===- EmbeddingGradKernel.cpp - Gradient of a table on the CPU -----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/EmbeddingGradKernel.h"

#include "compiler/lowering/cpu/ElementwiseKernel.h"
#include "compiler/lowering/cpu/PullEvaluator.h"
#include "dialects/xf/Xf.h"

using namespace mlir;
using namespace dragoman;

namespace {

class EmbeddingGradEmitter {
public:
  EmbeddingGradEmitter(KernelBody &body, xf::EmbeddingGradOp op)
      : body(body), k(body.k), pull(body), op(op) {}

  bool prepare();
  void emitTile(Value from, Value to);
  Value columns() { return k.index(op.getDtable().getType().getDimSize(1)); }

private:
  void clear(Value from, Value to);
  void addRow(Value token, Value from, Value to);
  Value load(Value offset, Value mask);
  void store(Value value, Value offset, Value mask);

  KernelBody &body;
  KernelBuilder &k;
  PullEvaluator pull;
  xf::EmbeddingGradOp op;
  Value table, tokens;
  llvm::SmallVector<Value> sizes; ///< of the ids
};

} // namespace

bool EmbeddingGradEmitter::prepare() {
  if (!op.getDy().getType().getElementType().isF32()) {
    body.error(op) << "expected f32 rows on the CPU, found "
                   << op.getDy().getType();
    return false;
  }
  if (body.yield()->getNumOperands() != 1) {
    body.error(op) << "expected one result, found "
                   << body.yield()->getNumOperands();
    return false;
  }
  table = k.slot(body.resultSlot(0), k.f32());
  tokens = body.value(body.elements(op.getIds()));
  for (int64_t axis = 0; axis < op.getIds().getType().getRank(); ++axis)
    sizes.push_back(body.size(op.getIds(), axis));
  return true;
}

Value EmbeddingGradEmitter::load(Value offset, Value mask) {
  Value window = k.view(table, offset, {kernelLanes}, {int64_t(1)});
  return mask ? k.loadMasked(window, k.index(0), mask)
              : k.loadV(window, k.index(0));
}

void EmbeddingGradEmitter::store(Value value, Value offset, Value mask) {
  Value window = k.view(table, offset, {kernelLanes}, {int64_t(1)});
  if (mask)
    return k.storeMasked(value, window, k.index(0), mask);
  k.storeV(value, window, k.index(0));
}

void EmbeddingGradEmitter::clear(Value from, Value to) {
  Value rows = k.index(op.getDtable().getType().getDimSize(0));
  k.forLoop(k.index(0), rows, 1, [&](Value row) {
    Value start = k.mul(row, columns());
    forColumns(k, from, to, [&](Value column, Value mask) {
      store(k.splat(0), k.add(start, column), mask);
    });
  });
}

void EmbeddingGradEmitter::addRow(Value token, Value from, Value to) {
  pull.newElements();
  llvm::SmallVector<Lanes> at = pull.delinearize(pull.uniform(token), sizes);
  Value id = k.toIndex(pull.read(op.getIds(), at, Value()).value);
  // As an unsigned number a negative id is large.
  Value known = k.cmp(arith::CmpIPredicate::ult, id,
                      k.index(op.getDtable().getType().getDimSize(0)));
  Value counted =
      k.cmp(arith::CmpIPredicate::ne, id, k.index(op.getPaddingId()));
  double scale = op.getScale().convertToDouble();
  at.push_back(Lanes());
  k.ifThen(arith::AndIOp::create(k.op(), known, counted), [&] {
    Value start = k.mul(id, columns());
    forColumns(k, from, to, [&](Value column, Value mask) {
      pull.newElements();
      at.back() = pull.ramp(column, 1, true);
      Value dy = pull.readVector(op.getDy(), at, mask);
      if (scale != 1)
        dy = k.mulF(dy, k.splat(scale));
      Value offset = k.add(start, column);
      store(k.addF(load(offset, mask), dy), offset, mask);
    });
  });
}

void EmbeddingGradEmitter::emitTile(Value from, Value to) {
  clear(from, to);
  k.forLoop(k.index(0), tokens, 1,
            [&](Value token) { addRow(token, from, to); });
}

LogicalResult dragoman::lowerEmbeddingGrad(plan::KernelOp kernel,
                                           KernelBuilder &k) {
  KernelBody body(kernel, k);
  auto op = *kernel.getBody().front().getOps<xf::EmbeddingGradOp>().begin();
  EmbeddingGradEmitter emitter(body, op);
  if (!emitter.prepare())
    return body.status();
  int64_t width = body.param("columns", 64);
  k.forTiles([&](Value tile) {
    Value from = k.mul(tile, width);
    emitter.emitTile(from, k.min(k.add(from, width), emitter.columns()));
  });
  return body.status();
}
