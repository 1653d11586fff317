//===- Attention.cpp - xf.attention: verifier, dimensions, role -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OpSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/Attention.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

std::array<unsigned, 4> AttentionOp::axes(llvm::StringRef layout) {
  if (layout == "bthd")
    return {0, 2, 1, 3};
  return {0, 1, 2, 3};
}

int64_t AttentionOp::queryHeads() {
  return tensorType(getQ()).getDimSize(axes(getQLayout())[1]);
}
int64_t AttentionOp::keyHeads() {
  return tensorType(getK()).getDimSize(axes(getKLayout())[1]);
}
int64_t AttentionOp::headSize() { return tensorType(getQ()).getDimSize(3); }
int64_t AttentionOp::valueSize() { return tensorType(getV()).getDimSize(3); }

double AttentionOp::scaleOrDefault() {
  if (getScale())
    return getScale()->convertToDouble();
  return 1.0 / std::sqrt(static_cast<double>(headSize()));
}

/// The size of meaning axis `axis` (batch, head, length, size) of `value`.
static int64_t size(mlir::Value value, llvm::StringRef layout, unsigned axis) {
  return tensorType(value).getDimSize(AttentionOp::axes(layout)[axis]);
}

static LogicalResult verifyTypes(AttentionOp op) {
  mlir::Type element = tensorType(op.getQ()).getElementType();
  // attention_c1
  for (mlir::Value value : {op.getK(), op.getV(), op.getOut()})
    if (tensorType(value).getElementType() != element)
      return op.emitOpError("expected q, k, v and out to share element type ")
             << element << ", found " << tensorType(value).getElementType();
  // attention_c2
  for (mlir::Value value : {op.getQ(), op.getK(), op.getV(), op.getOut()})
    if (tensorType(value).getRank() != 4)
      return op.emitOpError("expected rank 4, found ") << value.getType();
  // attention_c3
  if (tensorType(op.getLse()).getElementType() != accumulatorType(element))
    return op.emitOpError("expected lse of ")
           << accumulatorType(element) << ", found " << op.getLse().getType();
  return mlir::success();
}

static LogicalResult verifySizes(AttentionOp op) {
  llvm::StringRef ql = op.getQLayout(), kl = op.getKLayout(),
                  vl = op.getVLayout(), ol = op.getOutLayout();
  int64_t d = op.headSize();
  // attention_c4
  if (mlir::ShapedType::isDynamic(d) ||
      mlir::ShapedType::isDynamic(op.queryHeads()) ||
      mlir::ShapedType::isDynamic(op.keyHeads()) ||
      mlir::ShapedType::isDynamic(op.valueSize()))
    return op.emitOpError("expected static heads and head sizes");
  // attention_c5
  if (size(op.getK(), kl, 3) != d)
    return op.emitOpError("expected key head size (")
           << size(op.getK(), kl, 3) << ") to match query head size (" << d
           << ")";
  // attention_c6
  if (op.keyHeads() == 0 || op.queryHeads() % op.keyHeads() != 0)
    return op.emitOpError("expected key heads (")
           << op.keyHeads() << ") to divide query heads (" << op.queryHeads()
           << ")";
  // attention_c7
  if (op.keyHeads() != size(op.getV(), vl, 1) ||
      !compatible(size(op.getK(), kl, 2), size(op.getV(), vl, 2)) ||
      !compatible(size(op.getK(), kl, 0), size(op.getV(), vl, 0)))
    return op.emitOpError("expected k and v to agree in batch, heads and "
                          "length, found ")
           << op.getK().getType() << " and " << op.getV().getType();
  // attention_c8
  if (!op.getRows() &&
      !compatible(size(op.getQ(), ql, 0), size(op.getK(), kl, 0)))
    return op.emitOpError("expected q and k to agree in batch, found ")
           << size(op.getQ(), ql, 0) << " and " << size(op.getK(), kl, 0);
  // attention_c9
  int64_t want[4] = {size(op.getQ(), ql, 0), op.queryHeads(),
                     size(op.getQ(), ql, 2), op.valueSize()};
  for (unsigned axis = 0; axis < 4; ++axis)
    if (!compatible(size(op.getOut(), ol, axis), want[axis]))
      return op.emitOpError("expected out of batch, heads, length, size ")
             << shapeText(want) << ", found " << op.getOut().getType();
  if (!compatible(tensorType(op.getLse()).getShape(),
                  llvm::ArrayRef<int64_t>(want).take_front(3)))
    return op.emitOpError("expected lse of ")
           << shapeText(llvm::ArrayRef<int64_t>(want).take_front(3))
           << ", found " << op.getLse().getType();
  return mlir::success();
}

static LogicalResult verifyOptionals(AttentionOp op) {
  int64_t batch = size(op.getQ(), op.getQLayout(), 0);
  int64_t keys = op.getRows() ? mlir::ShapedType::kDynamic
                              : size(op.getK(), op.getKLayout(), 2);
  int64_t scores[4] = {batch, op.queryHeads(),
                       size(op.getQ(), op.getQLayout(), 2), keys};
  // attention_c10
  for (mlir::Value value : {op.getBias(), op.getMask()})
    if (value && !broadcastable(tensorType(value).getShape(), scores))
      return op.emitOpError("expected bias and mask to broadcast to ")
             << shapeText(scores) << ", found " << value.getType();
  // attention_c11
  if (op.getKeyCount() &&
      !compatible(tensorType(op.getKeyCount()).getShape(), {batch}))
    return op.emitOpError("expected key_count of one entry per row (")
           << shapeText({batch}) << "), found " << op.getKeyCount().getType();
  // attention_c12
  if (op.getOffset() && tensorType(op.getOffset()).getRank() != 0 &&
      !compatible(tensorType(op.getOffset()).getShape(), {batch}))
    return op.emitOpError("expected offset of rank 0 or one entry per row (")
           << shapeText({batch}) << "), found " << op.getOffset().getType();
  // attention_c13
  if (op.getRows() &&
      (tensorType(op.getRows()).getRank() != 2 ||
       !compatible(tensorType(op.getRows()).getDimSize(0), batch)))
    return op.emitOpError("expected rows of ")
           << shapeText({batch, mlir::ShapedType::kDynamic}) << ", found "
           << op.getRows().getType();
  // attention_c14
  if (op.getLeft() < -1 || op.getRight() < -1)
    return op.emitOpError("expected a window of -1 (open) or more, found left ")
           << op.getLeft() << " and right " << op.getRight();
  // attention_c15
  if (!op.getSoftcap().isFinite() || op.getSoftcap().isNegative())
    return op.emitOpError("expected a finite softcap of 0 or more, found ")
           << op.getSoftcap().convertToDouble();
  return mlir::success();
}

/// attention_c17: dropout with a probability, a scalar seed and one key per
/// row.
static LogicalResult verifyDropout(AttentionOp op, int64_t batch) {
  double p = op.getDropout().convertToDouble();
  bool keyed = op.getSeed() && op.getRowKey();
  if (!(p >= 0 && p < 1) || bool(op.getSeed()) != bool(op.getRowKey()) ||
      (p > 0 && !keyed) ||
      (keyed && (tensorType(op.getSeed()).getRank() != 0 ||
                 !compatible(tensorType(op.getRowKey()).getShape(), {batch}))))
    return op.emitOpError("expected dropout in 0..1 with a scalar seed and a "
                          "row key per row (")
           << shapeText({batch}) << "), found dropout " << p;
  if (op.getSite() < 0 || op.getSite() > 0xffff)
    return op.emitOpError("expected a dropout site in 0..65535, found ")
           << op.getSite();
  return mlir::success();
}

/// attention_c16: a region takes (value, b, h, i, j) and yields one scalar of
/// the value's type; its ops are pure.
static LogicalResult verifyRegion(AttentionOp op, mlir::Region &region,
                                  llvm::StringRef name) {
  if (region.empty())
    return mlir::success();
  mlir::Type acc = accumulatorType(tensorType(op.getQ()).getElementType());
  mlir::Block &block = region.front();
  auto yield = llvm::dyn_cast<YieldOp>(block.getTerminator());
  bool arguments = block.getNumArguments() == 5 &&
                   block.getArgument(0).getType() == acc &&
                   llvm::all_of(block.getArguments().drop_front(),
                                [](mlir::BlockArgument argument) {
                                  return argument.getType().isIndex();
                                });
  if (!arguments || !yield || yield.getValues().size() != 1 ||
      yield.getValues()[0].getType() != acc)
    return op.emitOpError("expected the ")
           << name << " region to take (" << acc
           << ", index, index, index, index) and yield " << acc;
  for (mlir::Operation &inner : block.without_terminator())
    if (!mlir::isPure(&inner))
      return op.emitOpError("expected pure ops in the ")
             << name << " region, found " << inner.getName();
  return mlir::success();
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyTypes(*this)) || failed(verifySizes(*this)) ||
      failed(verifyOptionals(*this)) ||
      failed(verifyRegion(*this, getScore(), "score")) ||
      failed(verifyDropout(*this, size(getQ(), getQLayout(), 0))))
    return mlir::failure();
  return verifyRegion(*this, getProb(), "prob");
}

DimExpr AttentionOp::resultDim(unsigned result, unsigned axis,
                               DimLookup dimOf) {
  std::array<unsigned, 4> q = axes(getQLayout());
  if (result == 1)
    return dimOf(getQ(), q[axis]);
  std::array<unsigned, 4> out = axes(getOutLayout());
  for (unsigned meaning = 0; meaning < 3; ++meaning)
    if (out[meaning] == axis)
      return dimOf(getQ(), q[meaning]);
  return dimOf(getV(), 3);
}

KernelRole AttentionOp::kernelRole() { return KernelRole::AttentionLike; }
