//===- LowerAttention.cpp - From xf.attention to its emitter --------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/AttentionKernel.h"
#include "compiler/lowering/cpu/PullEvaluator.h"
#include "compiler/lowering/cpu/VectorMath.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace dragoman;

namespace {

class AttentionReader {
public:
  AttentionReader(plan::KernelOp kernel, xf::AttentionOp op, KernelBuilder &k)
      : body(kernel, k), k(k), pull(body), op(op) {}

  LogicalResult lower();

private:
  bool supported();
  bool operand(Value tensor, llvm::StringRef layout, AttentionOperand &out);
  bool panelKeys();
  bool results();
  void sources();
  void visibility();
  void scores();
  Value scalar(Value tensor, llvm::ArrayRef<Value> at);
  Value position(const AttentionQuery &query);
  llvm::SmallVector<Lanes> scoreIndex(Value tensor, const AttentionQuery &query,
                                      Value key);

  KernelBody body;
  KernelBuilder &k;
  PullEvaluator pull;
  xf::AttentionOp op;
  AttentionSpec spec;
  StridedView qView;
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

/// Finds where a rank 4 operand lies; size must be its contiguous axis.
bool AttentionReader::operand(Value tensor, llvm::StringRef layout,
                              AttentionOperand &out) {
  std::optional<StridedView> view = body.view(tensor);
  std::array<unsigned, 4> axes = xf::AttentionOp::axes(layout);
  if (!view || !view->strides[axes[3]].isConstant(1)) {
    body.error(op) << "expected operands that are views of arguments with a "
                      "contiguous last axis, found "
                   << tensor.getType();
    return false;
  }
  out.slot = view->slot;
  out.offset = body.value(view->offset);
  for (unsigned i = 0; i < 3; ++i)
    out.strides[i] = body.value(view->strides[axes[i]]);
  if (tensor == op.getQ())
    qView = *view;
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

/// One element of an integer tensor as an index value.
Value AttentionReader::scalar(Value tensor, llvm::ArrayRef<Value> at) {
  llvm::SmallVector<Lanes> indices;
  for (Value index : at)
    indices.push_back(pull.uniform(index));
  pull.newElements();
  Lanes lanes = pull.read(tensor, indices, Value());
  return k.toIndex(lanes.value);
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
    return clamp(scalar(rows, {b, shared ? k.index(0) : j}));
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

/// The absolute position of a query.
Value AttentionReader::position(const AttentionQuery &query) {
  Value offset = op.getOffset();
  if (!offset)
    return query.row;
  bool single = cast<RankedTensorType>(offset.getType()).getRank() == 0;
  Value start = single ? scalar(offset, {}) : scalar(offset, {query.batch});
  return k.add(query.row, start);
}

void AttentionReader::visibility() {
  spec.hasFirst = op.getLeft() >= 0;
  spec.visible = [this](const AttentionQuery &query) {
    Value zero = k.index(0), first = zero, last = spec.keys;
    if (op.getKeyCount())
      last = k.min(last, scalar(op.getKeyCount(), {query.batch}));
    if (op.getCausal() || op.getLeft() >= 0 || op.getRight() >= 0) {
      Value at = position(query);
      if (op.getCausal())
        last = k.min(last, k.add(at, 1));
      if (op.getRight() >= 0)
        last = k.min(last, k.add(at, op.getRight() + 1));
      if (op.getLeft() >= 0)
        first = k.max(k.sub(at, op.getLeft()), zero);
    }
    last = k.max(last, zero);
    return std::pair<Value, Value>(k.min(first, last), last);
  };
}

/// The index of (query, 16 keys from `key`) in a tensor that broadcasts to
/// [B,H,T,S].
llvm::SmallVector<Lanes>
AttentionReader::scoreIndex(Value tensor, const AttentionQuery &query,
                            Value key) {
  Lanes index[4] = {pull.uniform(query.batch), pull.uniform(query.head),
                    pull.uniform(query.row), pull.ramp(key, 1, true)};
  llvm::SmallVector<Lanes> at;
  auto shape = cast<RankedTensorType>(tensor.getType()).getShape();
  for (auto [size, lanes] : llvm::zip(shape, index))
    at.push_back(size == 1 ? pull.constant(0) : lanes);
  return at;
}

void AttentionReader::scores() {
  double softcap = op.getSoftcap().convertToDouble();
  bool plain = softcap == 0 && !op.getBias() && !op.getMask() &&
               op.getScore().empty() && spec.scale > 0;
  if (plain)
    return;
  spec.score = [=, this](const AttentionQuery &query, Value key, Value scores,
                         Value mask) {
    pull.newElements();
    Value s = k.mulF(scores, k.splat(spec.scale));
    if (softcap > 0)
      s = k.mulF(emitTanh(k, k.mulF(s, k.splat(1 / softcap))),
                 k.splat(softcap));
    if (Value bias = op.getBias())
      s = k.addF(s, pull.readVector(bias, scoreIndex(bias, query, key), mask));
    if (!op.getScore().empty()) {
      Lanes arguments[5] = {pull.fromVector(s), pull.uniform(query.batch),
                            pull.uniform(query.head),
                            pull.uniform(position(query)),
                            pull.ramp(key, 1, true)};
      pull.newElements();
      s = pull.vector(
          pull.evaluateBlock(op.getScore().front(), arguments, {}, mask)[0]);
    }
    if (Value allowed = op.getMask()) {
      Value lanes =
          pull.readVector(allowed, scoreIndex(allowed, query, key), mask);
      s = k.select(lanes, s, k.splat(-std::numeric_limits<double>::infinity()));
    }
    return s;
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
  if (!supported() || !operand(op.getQ(), op.getQLayout(), spec.q) ||
      !operand(op.getV(), op.getVLayout(), spec.v))
    return body.status();
  bool found = op.getKLayout() == "panel16"
                   ? panelKeys()
                   : operand(op.getK(), op.getKLayout(), spec.k);
  if (!found || !results())
    return body.status();
  std::array<unsigned, 4> vAxes = xf::AttentionOp::axes(op.getVLayout());
  spec.valuesInPlace =
      spec.valueSize % kernelLanes == 0 &&
      body.view(op.getV())->strides[vAxes[2]].isConstant(spec.valueSize);
  sources();
  visibility();
  scores();
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
