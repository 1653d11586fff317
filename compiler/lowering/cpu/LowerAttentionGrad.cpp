//===- LowerAttentionGrad.cpp - From xf.attention_grad to its emitter -----===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/AttentionGradKernel.h"
#include "compiler/lowering/cpu/AttentionOperands.h"
#include "compiler/lowering/cpu/VectorMath.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dragoman;

namespace {

class AttentionGradReader {
public:
  AttentionGradReader(plan::KernelOp kernel, xf::AttentionGradOp op,
                      KernelBuilder &k)
      : body(kernel, k), k(k), pull(body), op(op), form(op),
        operands(body, pull, form) {}

  LogicalResult lower();

private:
  /// The gradient of a captured tensor: its number, the result's slot, and the
  /// elements of one (batch row, key head).
  struct Capture {
    int64_t number, slot;
    Value elements;
  };

  bool supported();
  bool results();
  AttentionOperand result(Value tensor, llvm::StringRef layout, int64_t slot);
  std::function<Value(const AttentionQuery &)> rowValue(Value tensor);
  void scores();
  Value elements(Value gradient);
  Value captureStart(const Capture &capture, Value batch, Value keyHead);
  Value reverse(const AttentionQuery &query, Value key, Value products,
                Value ds, Value mask, Value shown);
  void addRead(const Capture &capture, const AttentionQuery &query,
               const Lanes &derivative, const Lanes &index, Value shown);
  void clearCaptures(Value batch, Value keyHead);

  KernelBody body;
  KernelBuilder &k;
  PullEvaluator pull;
  xf::AttentionGradOp op;
  xf::AttentionForm form;
  AttentionOperands operands;
  AttentionGradSpec spec;
  llvm::SmallVector<Capture> captures;
};

} // namespace

bool AttentionGradReader::supported() {
  auto refuse = [&](llvm::StringRef what) {
    body.error(op) << what << " on the CPU";
    return false;
  };
  if (!cast<RankedTensorType>(op.getQ().getType()).getElementType().isF32())
    return refuse("expected f32 operands");
  if (!xf::hasKernel(op))
    return refuse("has no lowering with a probability region, gradients of a "
                  "bias or of captures of rank 2");
  return true;
}

/// A dense result.
AttentionOperand AttentionGradReader::result(Value tensor,
                                             llvm::StringRef layout,
                                             int64_t slot) {
  AttentionOperand place;
  std::array<unsigned, 4> axes = xf::AttentionOp::axes(layout);
  llvm::SmallVector<DimExpr> strides = body.denseStrides(tensor);
  place.slot = slot;
  place.offset = k.index(0);
  for (unsigned axis = 0; axis < 3; ++axis)
    place.strides[axis] = body.value(strides[axes[axis]]);
  return place;
}

/// Binds the kernel's results to dq, dk and dv.
bool AttentionGradReader::results() {
  for (auto [i, value] : llvm::enumerate(body.yield().getOperands())) {
    Value tensor = value;
    while (Operation *reshape = tensor.getDefiningOp()) {
      if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(
              reshape))
        break;
      tensor = reshape->getOperand(0);
    }
    int64_t slot = body.resultSlot(i);
    if (tensor == op.getDq())
      spec.dq = result(tensor, form.qLayout, slot);
    else if (tensor == op.getDk())
      spec.dk = result(tensor, form.kLayout, slot);
    else if (tensor == op.getDv())
      spec.dv = result(tensor, form.vLayout, slot);
    else if (auto capture = llvm::find(op.getDcaptures(), tensor);
             capture != op.getDcaptures().end())
      captures.push_back(
          {op.differentiatedCaptures()[capture - op.getDcaptures().begin()],
           slot, elements(tensor)});
    else {
      body.error(op) << "expected the kernel to yield gradients only";
      return false;
    }
  }
  return true;
}

/// Reads a tensor [B,H,T] of floats.
std::function<Value(const AttentionQuery &)>
AttentionGradReader::rowValue(Value tensor) {
  if (!tensor)
    return nullptr;
  return [this, tensor](const AttentionQuery &query) {
    pull.newElements();
    return pull
        .read(tensor,
              {pull.uniform(query.batch), pull.uniform(query.head),
               pull.uniform(query.row)},
              Value())
        .value;
  };
}

void AttentionGradReader::scores() {
  if (!operands.hasScore())
    return;
  spec.score = [this](const AttentionQuery &query, Value key, Value products,
                      Value mask) {
    return operands.score(query, key, products, mask);
  };
  if (!form.score && form.softcap == 0)
    return;
  spec.reverse = [this](const AttentionQuery &query, Value key, Value products,
                        Value ds, Value mask, Value shown) {
    return reverse(query, key, products, ds, mask, shown);
  };
  if (!captures.empty())
    spec.clearCaptures = [this](Value batch, Value keyHead) {
      clearCaptures(batch, keyHead);
    };
}

/// Elements of a capture: the axes of its gradient behind row and key head.
Value AttentionGradReader::elements(Value gradient) {
  if (cast<RankedTensorType>(gradient.getType()).getRank() == 2)
    return k.index(1);
  return body.size(gradient, 2);
}

Value AttentionGradReader::captureStart(const Capture &capture, Value batch,
                                        Value keyHead) {
  return k.mul(k.add(k.mul(batch, form.keyHeads), keyHead), capture.elements);
}

void AttentionGradReader::clearCaptures(Value batch, Value keyHead) {
  for (const Capture &capture : captures) {
    Value slot = k.slot(capture.slot, k.f32());
    Value start = captureStart(capture, batch, keyHead);
    k.forLoop(k.index(0), capture.elements, 1,
              [&](Value i) { k.store(k.constantF(0), slot, k.add(start, i)); });
  }
}

Value AttentionGradReader::reverse(const AttentionQuery &query, Value key,
                                   Value products, Value ds, Value mask,
                                   Value shown) {
  if (form.score) {
    llvm::SmallVector<Lanes> results = operands.region(
        op.getScoreReverse(), query, key,
        operands.biased(query, key, products, mask), {ds}, mask);
    ds = pull.vector(results[0]);
    unsigned next = 1;
    for (int64_t read : op.getScoreReads()) {
      auto type = cast<RankedTensorType>(op.getCaptures()[read].getType());
      Lanes index = type.getRank() ? results[next + 1] : pull.constant(0);
      for (const Capture &capture : captures)
        if (capture.number == read)
          addRead(capture, query, results[next], index, shown);
      next += 1 + type.getRank();
    }
  }
  if (form.softcap == 0)
    return ds;
  Value t = emitTanh(k, k.mulF(products, k.splat(form.scale / form.softcap)));
  return k.mulF(ds, k.subF(k.splat(1), k.mulF(t, t)));
}

/// Adds 16 derivatives to the elements that they belong to: by the one tree if
/// it is the same for all, else lane by lane.
void AttentionGradReader::addRead(const Capture &capture,
                                  const AttentionQuery &query,
                                  const Lanes &derivative, const Lanes &index,
                                  Value shown) {
  Value keyHead = k.div(query.head, form.heads / form.keyHeads);
  Value start = captureStart(capture, query.batch, keyHead);
  Value slot = k.slot(capture.slot, k.f32());
  Value last = k.sub(capture.elements, 1);
  Value terms = pull.vector(derivative);
  if (shown)
    terms = k.select(shown, terms, k.splat(0));
  auto add = [&](Value at, Value term) {
    at = k.add(start, k.max(k.min(at, last), 0));
    k.store(k.addF(k.load(slot, at), term), slot, at);
  };
  if (index.kind == Lanes::Uniform)
    return add(k.toIndex(index.value), k.reduceSum(terms));
  Value places = pull.vector(index);
  k.forLoop(k.index(0), k.index(kernelLanes), 1, [&](Value lane) {
    add(k.toIndex(vector::ExtractOp::create(k.op(), places, lane)),
        vector::ExtractOp::create(k.op(), terms, lane));
  });
}

LogicalResult AttentionGradReader::lower() {
  spec.heads = form.heads;
  spec.keyHeads = form.keyHeads;
  spec.headSize = form.headSize;
  spec.valueSize = form.valueSize;
  spec.scale = form.scale;
  spec.queryTile = body.param("query_tile", attentionGradQueryTile);
  spec.queries = body.size(op.getLse(), 2);
  DimExpr keys =
      body.analysis.dimOf(form.k, xf::AttentionOp::axes(form.kLayout)[2]);
  spec.keys = body.value(keys);
  if (form.mask &&
      cast<RankedTensorType>(form.mask.getType()).getDimSize(3) != 1)
    keys = DimExpr::min(keys, body.analysis.dimOf(form.mask, 3));
  Value seen = body.value(keys);
  if (!supported() || !operands.operand(form.q, form.qLayout, spec.q) ||
      !operands.operand(form.k, form.kLayout, spec.k) ||
      !operands.operand(form.v, form.vLayout, spec.v) ||
      !operands.operand(op.getOut(), form.outLayout, spec.out) ||
      !operands.operand(op.getDout(), form.outLayout, spec.dout) || !results())
    return body.status();
  spec.lse = rowValue(op.getLse());
  spec.dlse = rowValue(op.getDlse());
  spec.keyLimit = [this, seen](Value batch) {
    return operands.keyLimit(batch, seen);
  };
  spec.hasFirst = operands.hasFirst();
  spec.visible = [this, seen](const AttentionQuery &query) {
    return operands.visible(query, seen);
  };
  scores();
  if (operands.hasDropout())
    spec.drop = [this](const AttentionQuery &query, Value key, Value weights) {
      return operands.dropped(query, key, weights);
    };
  emitAttentionGrad(k, spec);
  return body.status();
}

LogicalResult dragoman::lowerAttentionGrad(plan::KernelOp kernel,
                                           KernelBuilder &k) {
  auto ops = kernel.getBody().front().getOps<xf::AttentionGradOp>();
  if (ops.empty())
    return kernel.emitOpError("expected a kernel around xf.attention_grad");
  return AttentionGradReader(kernel, *ops.begin(), k).lower();
}
