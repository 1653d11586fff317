//===- AttentionGrad.cpp - xf.attention_grad: verifier, dimensions, role --===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/AttentionForm.h"
#include "dialects/xf/ops/OpSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/AttentionGrad.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

/// The sizes of `value` by meaning: batch, heads, length, size.
static std::array<int64_t, 4> sizes(mlir::Value value, llvm::StringRef layout) {
  std::array<int64_t, 4> result;
  for (auto [meaning, axis] : llvm::enumerate(AttentionOp::axes(layout)))
    result[meaning] = tensorType(value).getDimSize(axis);
  return result;
}

static LogicalResult verifyTypes(AttentionGradOp op) {
  mlir::Type element = tensorType(op.getQ()).getElementType();
  for (mlir::Value value :
       {op.getDout(), op.getQ(), op.getK(), op.getV(), op.getOut()}) {
    // attention_grad_c1
    if (tensorType(value).getElementType() != element)
      return op.emitOpError(
                 "expected dout, q, k, v and out to share element type ")
             << element << ", found " << tensorType(value).getElementType();
    // attention_grad_c2
    if (tensorType(value).getRank() != 4)
      return op.emitOpError("expected dout, q, k, v and out of rank 4, found ")
             << value.getType();
  }
  // attention_grad_c3
  for (mlir::Value value : {op.getLse(), op.getDlse()})
    if (value &&
        (tensorType(value).getElementType() != accumulatorType(element) ||
         tensorType(value).getRank() != 3))
      return op.emitOpError("expected lse and dlse of rank 3 and ")
             << accumulatorType(element) << ", found " << value.getType();
  return mlir::success();
}

static LogicalResult verifySizes(AttentionGradOp op) {
  auto q = sizes(op.getQ(), op.getQLayout()),
       k = sizes(op.getK(), op.getKLayout()),
       v = sizes(op.getV(), op.getVLayout());
  using mlir::ShapedType;
  // attention_grad_c4
  for (int64_t fixed : {q[1], q[3], k[1], k[3], v[1], v[3]})
    if (ShapedType::isDynamic(fixed))
      return op.emitOpError("expected static heads and head sizes of q, k, v");
  // attention_grad_c5
  int64_t wantK[4] = {q[0], v[1], v[2], q[3]};
  if (!compatible(k, wantK) || !compatible(v[0], q[0]) || k[1] == 0 ||
      q[1] % k[1] != 0)
    return op.emitOpError("expected k and v that fit q, found ")
           << op.getQ().getType() << ", " << op.getK().getType() << " and "
           << op.getV().getType();
  // attention_grad_c6
  int64_t wantOut[4] = {q[0], q[1], q[2], v[3]};
  for (mlir::Value value : {op.getOut(), op.getDout()})
    if (!compatible(sizes(value, op.getOutLayout()), wantOut))
      return op.emitOpError("expected out and dout of batch, heads, length, "
                            "size ")
             << shapeText(wantOut) << ", found " << value.getType();
  llvm::ArrayRef<int64_t> wantLse(wantOut, 3);
  for (mlir::Value value : {op.getLse(), op.getDlse()})
    if (value && !compatible(tensorType(value).getShape(), wantLse))
      return op.emitOpError("expected lse and dlse of ")
             << shapeText(wantLse) << ", found " << value.getType();
  return mlir::success();
}

static LogicalResult verifyOptionals(AttentionGradOp op) {
  auto q = sizes(op.getQ(), op.getQLayout());
  int64_t scores[4] = {q[0], q[1], q[2], sizes(op.getK(), op.getKLayout())[2]};
  // attention_grad_c7
  for (mlir::Value value : {op.getBias(), op.getMask()})
    if (value && !broadcastable(tensorType(value).getShape(), scores))
      return op.emitOpError("expected bias and mask that broadcast to ")
             << shapeText(scores) << ", found " << value.getType();
  // attention_grad_c8
  if (op.getKeyCount() &&
      !compatible(tensorType(op.getKeyCount()).getShape(), {q[0]}))
    return op.emitOpError("expected key_count with one entry per row (")
           << shapeText({q[0]}) << "), found " << op.getKeyCount().getType();
  if (op.getOffset() && tensorType(op.getOffset()).getRank() != 0 &&
      !compatible(tensorType(op.getOffset()).getShape(), {q[0]}))
    return op.emitOpError("expected a scalar offset or one entry per row (")
           << shapeText({q[0]}) << "), found " << op.getOffset().getType();
  // attention_grad_c9
  if (op.getLeft() < -1 || op.getRight() < -1)
    return op.emitOpError("expected window sizes of -1 (open) or more, found ")
           << op.getLeft() << " and " << op.getRight();
  // attention_grad_c10
  if (!op.getSoftcap().isFinite() || op.getSoftcap().isNegative())
    return op.emitOpError("expected softcap finite and 0 or more, found ")
           << op.getSoftcap().convertToDouble();
  return mlir::success();
}

/// attention_grad_c16: dropout with a probability, a scalar seed and one key
/// per row.
static LogicalResult verifyDropout(AttentionGradOp op, int64_t batch) {
  double p = op.getDropout().convertToDouble();
  bool keyed = op.getSeed() && op.getRowKey();
  if (!(p >= 0 && p < 1) || bool(op.getSeed()) != bool(op.getRowKey()) ||
      (p > 0 && !keyed) ||
      (keyed && (tensorType(op.getSeed()).getRank() != 0 ||
                 !compatible(tensorType(op.getRowKey()).getShape(), {batch}))))
    return op.emitOpError("expected dropout in 0..1 with a scalar seed and one "
                          "row key for each row (")
           << shapeText({batch}) << "), found dropout " << p;
  if (op.getSite() < 0 || op.getSite() > 0xffff)
    return op.emitOpError(
               "expected a dropout site in the range 0..65535, found ")
           << op.getSite();
  return mlir::success();
}

/// True if the region is pure, takes (acc, index x 4, rest...) and yields
/// `results`.
static bool isScalarRegion(mlir::Region &region, mlir::Type acc,
                           llvm::ArrayRef<mlir::Type> rest,
                           llvm::ArrayRef<mlir::Type> results) {
  mlir::Block &block = region.front();
  auto index = mlir::IndexType::get(acc.getContext());
  llvm::SmallVector<mlir::Type> arguments = {acc, index, index, index, index};
  arguments.append(rest.begin(), rest.end());
  return llvm::equal(block.getArgumentTypes(), arguments) &&
         llvm::isa<YieldOp>(block.getTerminator()) &&
         llvm::equal(block.getTerminator()->getOperandTypes(), results) &&
         llvm::all_of(block.without_terminator(), [](mlir::Operation &inner) {
           return mlir::isPure(&inner);
         });
}

/// A region and its reverse: both or none.
static LogicalResult verifyScalarRegions(AttentionGradOp op,
                                         mlir::Region &region,
                                         mlir::Region &reverse,
                                         llvm::ArrayRef<int64_t> reads,
                                         llvm::StringRef name) {
  mlir::Type acc = accumulatorType(tensorType(op.getQ()).getElementType());
  auto index = mlir::IndexType::get(op.getContext());
  // attention_grad_c11
  if (region.empty() != reverse.empty())
    return op.emitOpError("expected a ")
           << name << " region and its reverse, or neither";
  llvm::SmallVector<mlir::Type> results = {acc};
  for (int64_t read : reads) {
    // attention_grad_c12
    bool known = read >= 0 && read < int64_t(op.getCaptures().size());
    auto type = known ? llvm::dyn_cast<mlir::RankedTensorType>(
                            op.getCaptures()[read].getType())
                      : mlir::RankedTensorType();
    if (!type || !llvm::isa<mlir::FloatType>(type.getElementType()))
      return op.emitOpError("expected ")
             << name << "_reads to name captured float tensors, found " << read;
    results.push_back(acc);
    results.append(type.getRank(), index);
  }
  if (region.empty())
    return mlir::success();
  // attention_grad_c13
  if (!isScalarRegion(region, acc, {}, {acc}))
    return op.emitOpError("expected the ")
           << name << " region to be pure, take (" << acc
           << ", index, index, index, index) and yield " << acc;
  // attention_grad_c14
  if (!isScalarRegion(reverse, acc, {acc}, results))
    return op.emitOpError("expected the ")
           << name << "_reverse region to be pure, take (" << acc
           << ", index, index, index, index, " << acc << ") and yield "
           << results.size() << " values: " << acc << ", and for each read "
           << acc << " and its indices";
  return mlir::success();
}

static LogicalResult verifyResults(AttentionGradOp op) {
  // attention_grad_c15
  auto same = [&](mlir::Value result, mlir::Value operand) {
    return tensorType(result).getElementType() ==
               tensorType(operand).getElementType() &&
           compatible(tensorType(result).getShape(),
                      tensorType(operand).getShape());
  };
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> pairs = {
      {op.getDq(), op.getQ()},
      {op.getDk(), op.getK()},
      {op.getDv(), op.getV()}};
  if (op.getDbias()) {
    if (!op.getBias())
      return op.emitOpError("expected a bias where there is a gradient of it");
    pairs.push_back({op.getDbias(), op.getBias()});
  }
  llvm::SmallVector<int64_t> captures = op.differentiatedCaptures();
  if (captures.size() != op.getDcaptures().size())
    return op.emitOpError("expected ")
           << captures.size() << " gradients of captures, found "
           << op.getDcaptures().size();
  for (auto [result, operand] : pairs)
    if (!same(result, operand))
      return op.emitOpError("expected a gradient of type ")
             << operand.getType() << ", found " << result.getType();
  mlir::Type acc = accumulatorType(tensorType(op.getQ()).getElementType());
  for (auto [result, capture] : llvm::zip(op.getDcaptures(), captures)) {
    llvm::SmallVector<int64_t> shape = {sizes(op.getQ(), op.getQLayout())[0],
                                        sizes(op.getK(), op.getKLayout())[1]};
    llvm::append_range(shape, tensorType(op.getCaptures()[capture]).getShape());
    if (tensorType(result).getElementType() != acc ||
        !compatible(tensorType(result).getShape(), shape))
      return op.emitOpError("expected the gradient of a capture of ")
             << shapeText(shape) << " " << acc << ", found "
             << result.getType();
  }
  return mlir::success();
}

LogicalResult AttentionGradOp::verify() {
  if (failed(verifyTypes(*this)) || failed(verifySizes(*this)) ||
      failed(verifyOptionals(*this)) ||
      failed(verifyScalarRegions(*this, getScore(), getScoreReverse(),
                                 getScoreReads(), "score")) ||
      failed(verifyScalarRegions(*this, getProb(), getProbReverse(),
                                 getProbReads(), "prob")))
    return mlir::failure();
  if (failed(verifyDropout(*this, sizes(getQ(), getQLayout())[0])))
    return mlir::failure();
  return verifyResults(*this);
}

llvm::SmallVector<int64_t> AttentionGradOp::differentiatedCaptures() {
  llvm::SmallVector<int64_t> captures(getScoreReads());
  llvm::append_range(captures, getProbReads());
  llvm::sort(captures);
  captures.erase(llvm::unique(captures), captures.end());
  return captures;
}

DimExpr AttentionGradOp::resultDim(unsigned result, unsigned axis,
                                   DimLookup dimOf) {
  mlir::Value operands[] = {getQ(), getK(), getV()};
  if (result < 3)
    return dimOf(operands[result], axis);
  unsigned number = result - 3;
  if (getDbias() && number-- == 0)
    return dimOf(getBias(), axis);
  if (axis == 0)
    return dimOf(getQ(), AttentionOp::axes(getQLayout())[0]);
  if (axis == 1)
    return dimOf(getK(), AttentionOp::axes(getKLayout())[1]);
  return dimOf(getCaptures()[differentiatedCaptures()[number]], axis - 2);
}

KernelRole AttentionGradOp::kernelRole() { return KernelRole::AttentionLike; }
