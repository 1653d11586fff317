//===- AttentionWeights.cpp - xf.attention_weights: verifier, dimensions, role
//---===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OpSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/AttentionWeights.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

llvm::SmallVector<int64_t> AttentionWeightsOp::shownHeads() {
  if (!getHeads().empty())
    return llvm::to_vector(getHeads());
  unsigned axis = AttentionOp::axes(getQLayout())[1];
  return llvm::to_vector(
      llvm::seq<int64_t>(0, tensorType(getQ()).getDimSize(axis)));
}

static LogicalResult verifyOperands(AttentionWeightsOp op,
                                    llvm::ArrayRef<int64_t> scores) {
  mlir::Type acc = accumulatorType(tensorType(op.getQ()).getElementType());
  // attention_weights_c3
  mlir::RankedTensorType lse = tensorType(op.getLse());
  if (lse.getElementType() != acc ||
      !compatible(lse.getShape(), scores.take_front(3)))
    return op.emitOpError("expected lse of ")
           << shapeText(scores.take_front(3)) << " " << acc << ", found "
           << lse;
  // attention_weights_c4
  for (mlir::Value value : {op.getBias(), op.getMask()})
    if (value && !broadcastable(tensorType(value).getShape(), scores))
      return op.emitOpError("expected bias and mask that broadcast to ")
             << shapeText(scores) << ", found " << value.getType();
  // attention_weights_c5
  llvm::ArrayRef<int64_t> batch = scores.take_front();
  for (mlir::Value value : {op.getKeyCount(), op.getOffset()})
    if (value && !compatible(tensorType(value).getShape(), batch) &&
        !(value == op.getOffset() && tensorType(value).getRank() == 0))
      return op.emitOpError("expected key_count and offset with one entry per "
                            "row (")
             << shapeText(batch) << "), found " << value.getType();
  return mlir::success();
}

LogicalResult AttentionWeightsOp::verify() {
  mlir::RankedTensorType q = tensorType(getQ()), k = tensorType(getK());
  // attention_weights_c1
  if (q.getRank() != 4 || k.getRank() != 4 ||
      q.getElementType() != k.getElementType())
    return emitOpError(
               "expected q and k of rank 4 and one element type, found ")
           << q << " and " << k;
  auto qAxes = AttentionOp::axes(getQLayout()),
       kAxes = AttentionOp::axes(getKLayout());
  auto qSize = [&](unsigned i) { return q.getDimSize(qAxes[i]); };
  auto kSize = [&](unsigned i) { return k.getDimSize(kAxes[i]); };
  // attention_weights_c2
  using mlir::ShapedType;
  bool fits = !ShapedType::isDynamic(qSize(1)) &&
              !ShapedType::isDynamic(kSize(1)) && kSize(1) > 0 &&
              qSize(1) % kSize(1) == 0 && compatible(qSize(0), kSize(0)) &&
              !ShapedType::isDynamic(qSize(3)) && qSize(3) == kSize(3);
  if (!fits)
    return emitOpError("expected k that fits q in batch, heads and head size, "
                       "found ")
           << q << " and " << k;
  int64_t scores[] = {qSize(0), qSize(1), qSize(2), kSize(2)};
  if (failed(verifyOperands(*this, scores)))
    return mlir::failure();
  // attention_weights_c6
  for (int64_t head : getHeads())
    if (head < 0 || head >= qSize(1))
      return emitOpError("expected heads in 0..")
             << qSize(1) - 1 << ", found " << head;
  // attention_weights_c7
  if (getReduce() == "mean")
    scores[1] = 1;
  else
    scores[1] = static_cast<int64_t>(shownHeads().size());
  mlir::RankedTensorType found = tensorType(getWeights());
  mlir::Type acc = accumulatorType(q.getElementType());
  if (found.getElementType() != acc || !compatible(found.getShape(), scores))
    return emitOpError("expected weights of ")
           << shapeText(scores) << " " << acc << ", found " << found;
  // attention_weights_c8
  if (getLeft() < -1 || getRight() < -1)
    return emitOpError("expected window sizes of -1 (open) or more, found ")
           << getLeft() << " and " << getRight();
  return mlir::success();
}

DimExpr AttentionWeightsOp::resultDim(unsigned, unsigned axis,
                                      DimLookup dimOf) {
  if (axis == 1)
    return DimExpr(tensorType(getWeights()).getDimSize(1));
  if (axis == 3)
    return dimOf(getK(), AttentionOp::axes(getKLayout())[2]);
  return dimOf(getQ(), AttentionOp::axes(getQLayout())[axis]);
}

KernelRole AttentionWeightsOp::kernelRole() { return KernelRole::Opaque; }
