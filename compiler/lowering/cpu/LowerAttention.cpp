//===- LowerAttention.cpp - From xf.attention to its emitter --------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/AttentionOperands.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dragoman;

namespace {

class AttentionReader {
public:
  AttentionReader(plan::KernelOp kernel, xf::AttentionOp op, KernelBuilder &k)
      : body(kernel, k), k(k), pull(body), op(op),
        operands(body, pull, xf::AttentionForm(op)) {}

  LogicalResult lower();

private:
  bool supported();
  bool panelKeys();
  bool results();
  void sources();

  KernelBody body;
  KernelBuilder &k;
  PullEvaluator pull;
  xf::AttentionOp op;
  AttentionOperands operands;
  AttentionSpec spec;
};

} // namespace

bool AttentionReader::supported() {
  auto refuse = [&](llvm::StringRef what) {
    body.error(op) << what << " on the CPU";
    return false;
  };
  if (!cast<RankedTensorType>(op.getQ().getType()).getElementType().isF32())
    return refuse("expected f32 operands");
  if (op.getStarts())
    return refuse("has no lowering with packed rows");
  if (!op.getProb().empty())
    return refuse("has no lowering with a probability region");
  return true;
}

/// Keys of a state in panels of 16: [rows][heads][length / 16][size][16].
bool AttentionReader::panelKeys() {
  auto argument = dyn_cast<BlockArgument>(op.getK());
  if (!argument || argumentLayout(argument) != "panel16") {
    body.error(op) << "expected keys in panels to be an argument of layout "
                      "panel16";
    return false;
  }
  spec.panels = true;
  spec.k.slot = argument.getArgNumber();
  spec.k.offset = k.index(0);
  llvm::SmallVector<DimExpr> strides = body.denseStrides(argument);
  for (unsigned i = 0; i < 3; ++i)
    spec.k.strides[i] = body.value(strides[i]);
  return true;
}

/// Binds the kernel's results to out and lse, both dense.
bool AttentionReader::results() {
  bool hasOut = false;
  for (auto [i, value] : llvm::enumerate(body.yield().getOperands())) {
    Value tensor = value;
    while (Operation *reshape = tensor.getDefiningOp()) {
      if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(
              reshape))
        break;
      tensor = reshape->getOperand(0);
    }
    int64_t slot = body.resultSlot(i);
    if (tensor == op.getOut()) {
      hasOut = true;
      std::array<unsigned, 4> axes = xf::AttentionOp::axes(op.getOutLayout());
      llvm::SmallVector<DimExpr> strides = body.denseStrides(tensor);
      spec.out.slot = slot;
      spec.out.offset = k.index(0);
      for (unsigned axis = 0; axis < 3; ++axis)
        spec.out.strides[axis] = body.value(strides[axes[axis]]);
      // Rows run on over (b, t) if both strides do.
      std::array<unsigned, 4> q = xf::AttentionOp::axes(op.getQLayout());
      DimExpr length = body.analysis.dimOf(op.getLse(), 2);
      StridedView qView = *body.view(op.getQ());
      spec.mergesRows = strides[axes[0]] == length * strides[axes[2]] &&
                        qView.strides[q[0]] == length * qView.strides[q[2]];
    } else if (tensor == op.getLse()) {
      Value t = spec.queries;
      spec.storeLse = [=, this](const AttentionQuery &query, Value lse) {
        Value row = k.add(k.mul(query.batch, spec.heads), query.head);
        k.store(lse, k.slot(slot, k.f32()), k.add(k.mul(row, t), query.row));
      };
    } else {
      body.error(op) << "expected the kernel to yield out and lse only";
      return false;
    }
  }
  if (!hasOut)
    body.error(op) << "expected the kernel to yield out";
  return hasOut;
}

void AttentionReader::sources() {
  Value rows = op.getRows();
  if (!rows)
    return;
  Value last = k.sub(spec.keyRows, 1);
  auto clamp = [this, last](Value row) {
    return k.max(k.min(row, last), k.index(0));
  };
  bool shared = sharesSources(op);
  spec.source =
      shared ? AttentionSource::RowOfBatch : AttentionSource::RowOfKey;
  spec.sourceRow = [=, this](Value b, Value j) {
    return clamp(operands.scalar(rows, {b, shared ? k.index(0) : j}));
  };
  if (shared)
    return;
  spec.sourceRows = [=, this](Value b, Value j, Value mask) {
    pull.newElements();
    Value lanes =
        pull.readVector(rows, {pull.uniform(b), pull.ramp(j, 1, true)}, mask);
    if (!cast<RankedTensorType>(rows.getType()).getElementType().isInteger(32))
      lanes = arith::TruncIOp::create(k.op(), k.vec(k.i32()), lanes);
    Value top = k.broadcast(k.fromIndex(last, k.i32()));
    lanes = arith::MinSIOp::create(k.op(), lanes, top);
    return Value(arith::MaxSIOp::create(k.op(), lanes, k.splatInt(k.i32(), 0)));
  };
}

LogicalResult AttentionReader::lower() {
  spec.heads = op.queryHeads();
  spec.keyHeads = op.keyHeads();
  spec.headSize = op.headSize();
  spec.valueSize = op.valueSize();
  spec.scale = op.scaleOrDefault();
  AttentionBlocks chosen = attentionBlocks(op);
  spec.blocks.queryTile = body.param("query_tile", chosen.queryTile);
  spec.blocks.queryBlock = body.param("query_block", chosen.queryBlock);
  spec.blocks.rowGroup = body.param("row_group", chosen.rowGroup);
  spec.batch = body.size(op.getLse(), 0);
  spec.queries = body.size(op.getLse(), 2);
  std::array<unsigned, 4> kAxes = xf::AttentionOp::axes(op.getKLayout());
  spec.keyRows = body.size(op.getK(), kAxes[0]);
  DimExpr keys = body.analysis.dimOf(op.getK(), kAxes[2]);
  if (op.getRows() && !sharesSources(op))
    keys = DimExpr::min(keys, body.analysis.dimOf(op.getRows(), 1));
  if (op.getMask()) {
    auto type = cast<RankedTensorType>(op.getMask().getType());
    if (type.getDimSize(3) != 1)
      keys = DimExpr::min(keys, body.analysis.dimOf(op.getMask(), 3));
  }
  spec.keys = body.value(keys);
  if (!supported() || !operands.operand(op.getQ(), op.getQLayout(), spec.q) ||
      !operands.operand(op.getV(), op.getVLayout(), spec.v))
    return body.status();
  bool found = op.getKLayout() == "panel16"
                   ? panelKeys()
                   : operands.operand(op.getK(), op.getKLayout(), spec.k);
  if (!found || !results())
    return body.status();
  std::array<unsigned, 4> vAxes = xf::AttentionOp::axes(op.getVLayout());
  spec.valuesInPlace =
      spec.valueSize % kernelLanes == 0 &&
      body.view(op.getV())->strides[vAxes[2]].isConstant(spec.valueSize);
  sources();
  spec.hasFirst = operands.hasFirst();
  spec.visible = [this](const AttentionQuery &query) {
    return operands.visible(query, spec.keys);
  };
  if (operands.hasScore())
    spec.score = [this](const AttentionQuery &query, Value key, Value products,
                        Value mask) {
      return operands.score(query, key, products, mask);
    };
  if (operands.hasDropout())
    spec.drop = [this](const AttentionQuery &query, Value key, Value weights) {
      return operands.dropped(query, key, weights);
    };
  emitAttention(k, spec);
  return body.status();
}

LogicalResult dragoman::lowerAttention(plan::KernelOp kernel,
                                       KernelBuilder &k) {
  auto ops = kernel.getBody().front().getOps<xf::AttentionOp>();
  if (ops.empty())
    return kernel.emitOpError("expected a kernel around xf.attention");
  return AttentionReader(kernel, *ops.begin(), k).lower();
}
