//===- NormGradKernel.cpp - Gradients of norms on the CPU -----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/NormGradKernel.h"

#include "compiler/lowering/cpu/RowWalk.h"
#include "dialects/xf/Xf.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dragoman;

using Values = KernelBuilder::Values;

namespace {

/// dy or x.
struct RowOperand {
  Value tensor;
  int64_t scratch = -1; ///< byte offset of the row once computed
};

class NormGradEmitter {
public:
  NormGradEmitter(KernelBody &body, const RowAxes &axes)
      : body(body), k(body.k), pull(body), axes(axes), walk(body, pull, axes),
        layer(dyn_cast<xf::LayerNormGradOp>(axes.root)),
        rms(dyn_cast<xf::RmsNormGradOp>(axes.root)) {}

  bool prepare();
  void emitRow(Value row);

private:
  bool addOperands();
  bool addResults();
  Value element(const RowOperand &operand, Value column, Value mask,
                bool first);
  Value slope(Value column, Value mask, bool first);
  void writeStatistics(Value row, Value mean, Value rstd);
  void writeRow(llvm::function_ref<Value(Value, Value)> element);

  Value only(Value mask, Value value) {
    return mask ? k.select(mask, value, k.splat(0)) : value;
  }

  KernelBody &body;
  KernelBuilder &k;
  PullEvaluator pull;
  const RowAxes &axes;
  RowWalk walk;
  xf::LayerNormGradOp layer;
  xf::RmsNormGradOp rms;
  RowOperand dy, x;
  Value gain;
  double eps = 0;
  llvm::SmallVector<std::pair<int64_t, Value>> rows;       ///< slot, tensor
  llvm::SmallVector<std::pair<int64_t, Value>> statistics; ///< slot, result
};

} // namespace

bool NormGradEmitter::addOperands() {
  dy.tensor = axes.root->getOperand(0);
  x.tensor = axes.root->getOperand(1);
  gain = layer ? layer.getG() : rms.getG();
  eps = (layer ? layer.getEps() : rms.getEps()).convertToDouble();
  if (!cast<RankedTensorType>(x.tensor.getType()).getElementType().isF32()) {
    body.error(axes.root) << "expected f32 rows on the CPU, found "
                          << x.tensor.getType();
    return false;
  }
  int64_t offset = 0, bytes = body.param("row_bytes", 0);
  for (RowOperand *operand : {&dy, &x}) {
    if (body.view(operand->tensor))
      continue;
    operand->scratch = offset;
    offset += bytes;
  }
  return true;
}

/// Results are dx (and what is computed from it), or statistics as they are.
bool NormGradEmitter::addResults() {
  llvm::SmallVector<Value> tensors =
      resultsOfShape(body, body.analysis.dimsOf(axes.root->getResult(0)));
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    int64_t slot = body.resultSlot(i);
    Value value = body.yield()->getOperand(i);
    while (value.getDefiningOp() && value.getDefiningOp() != axes.root &&
           isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(
               value.getDefiningOp()))
      value = value.getDefiningOp()->getOperand(0);
    bool isStatistic = value.getDefiningOp() == axes.root &&
                       cast<OpResult>(value).getResultNumber() > 0;
    if (isStatistic) {
      statistics.push_back({slot, value});
    } else if (tensor) {
      rows.push_back({slot, tensor});
    } else {
      body.error(axes.root)
          << "expected results of the root's shape, found " << value.getType();
      return false;
    }
  }
  return true;
}

bool NormGradEmitter::prepare() {
  if (!addOperands() || !addResults())
    return false;
  walk.prepare();
  return true;
}

/// 16 elements of an operand; a computed one is parked at the first pass.
Value NormGradEmitter::element(const RowOperand &operand, Value column,
                               Value mask, bool first) {
  if (operand.scratch < 0)
    return pull.readVector(operand.tensor, walk.at(), mask);
  Value row = k.scratch(operand.scratch, k.f32());
  if (!first)
    return k.loadV(row, column);
  Value value = pull.readVector(operand.tensor, walk.at(), mask);
  k.storeV(only(mask, value), row, column);
  return value;
}

/// dy * g.
Value NormGradEmitter::slope(Value column, Value mask, bool first) {
  Value value = element(dy, column, mask, first);
  return gain ? k.mulF(value, pull.readVector(gain, walk.inner(), mask))
              : value;
}

void NormGradEmitter::writeStatistics(Value row, Value mean, Value rstd) {
  for (auto [slot, result] : statistics) {
    bool isMean = layer && result == layer.getMean();
    k.store(isMean ? mean : rstd, k.slot(slot, k.f32()), row);
  }
}

void NormGradEmitter::writeRow(
    llvm::function_ref<Value(Value, Value)> element) {
  if (rows.empty())
    return;
  walk.each([&](Value column, Value mask) {
    pull.substitute(axes.root->getResult(0),
                    pull.fromVector(element(column, mask)));
    for (auto [slot, tensor] : rows)
      pull.write(slot, walk.offset(), pull.read(tensor, walk.at(), mask), mask);
  });
}

void NormGradEmitter::emitRow(Value row) {
  walk.start(row);
  Value count = arith::SIToFPOp::create(k.op(), k.f32(),
                                        k.fromIndex(walk.columns, k.i64()));
  Value zero = k.splat(0);
  // 1. The mean (layer_norm only).
  Value mean = k.constantF(0), means;
  if (layer) {
    Value sum = walk.carry(
        {zero}, [&](Value column, Value mask, ValueRange carried) -> Values {
          Value in = only(mask, element(x, column, mask, /*first=*/true));
          return {k.addF(carried[0], in)};
        })[0];
    mean = k.divF(k.reduceSum(sum), count);
    means = k.broadcast(mean);
  }
  auto centred = [&](Value column, Value mask, bool first) {
    Value in = element(x, column, mask, first && !layer);
    return layer ? k.subF(in, means) : in;
  };
  // 2. Sums of the squares of d = x - mean, of z = dy * g and of z * d.
  Values sums =
      walk.carry({zero, zero, zero},
                 [&](Value column, Value mask, ValueRange carried) -> Values {
                   Value d = only(mask, centred(column, mask, true));
                   Value z = only(mask, slope(column, mask, true));
                   return {k.fma(d, d, carried[0]), k.addF(carried[1], z),
                           k.fma(z, d, carried[2])};
                 });
  Value variance = k.divF(k.reduceSum(sums[0]), count);
  Value root = k.sqrtF(k.addF(variance, k.constantF(eps)));
  Value rstd = k.divF(k.constantF(1), root);
  writeStatistics(row, mean, rstd);
  // 3. dx = rstd * (z - sum z / n - d * rstd^2 * sum (z * d) / n).
  Value along = k.divF(k.reduceSum(sums[2]), count);
  along = k.broadcast(k.mulF(k.mulF(rstd, rstd), along));
  Value level = k.broadcast(k.divF(k.reduceSum(sums[1]), count));
  Value scale = k.broadcast(rstd);
  writeRow([&](Value column, Value mask) {
    Value d = centred(column, mask, false), z = slope(column, mask, false);
    if (layer)
      z = k.subF(z, level);
    return k.mulF(scale, k.subF(z, k.mulF(d, along)));
  });
}

LogicalResult dragoman::lowerNormGrad(plan::KernelOp kernel, KernelBuilder &k) {
  KernelBody body(kernel, k);
  RowAxes axes = rowwiseRoot(kernel, body.analysis);
  if (!axes.root) {
    body.error(kernel) << "expected a rowwise root";
    return body.status();
  }
  NormGradEmitter emitter(body, axes);
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
