//===- Attention.cpp - Gradient of xf.attention ---------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/upstream/MathDerivatives.h"
#include "dialects/xf/decompose/TensorBuilder.h"
#include "dialects/xf/ops/AttentionForm.h"

#include "mlir/IR/IRMapping.h"

#include <set>

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

static mlir::LogicalResult refuse(AttentionOp op) {
  if (op.getRows())
    return op.emitOpError("with rows (a cache) has no gradient");
  if (op.getStarts())
    return op.emitOpError("with starts (packed rows) has no gradient");
  if (op.getKLayout() == "panel16")
    return op.emitOpError("with keys in panels has no gradient");
  return mlir::success();
}

/// Makes the reverse of `region`: (value, b, h, p, j, cotangent) -> derivative
/// of the value, then derivative and indices of each element that it reads of a
/// capture where `wanted`. `reads` gets the numbers of these captures.
static mlir::LogicalResult
reverseRegion(AttentionOp op, mlir::Region &region, mlir::Region &reverse,
              llvm::ArrayRef<bool> wanted,
              llvm::SmallVectorImpl<int64_t> &reads) {
  mlir::Block &from = region.front(), &block = reverse.emplaceBlock();
  mlir::OpBuilder builder(op.getContext());
  builder.setInsertionPointToEnd(&block);
  mlir::IRMapping mapping;
  for (mlir::BlockArgument argument : from.getArguments())
    mapping.map(argument,
                block.addArgument(argument.getType(), argument.getLoc()));
  mlir::Type acc = from.getArgument(0).getType();
  Value cotangent = block.addArgument(acc, op.getLoc());
  llvm::FailureOr<BlockDerivative> derivative = buildBlockDerivative(
      builder, from, mapping, from.getTerminator()->getOperands(), cotangent);
  if (failed(derivative))
    return mlir::failure();
  Value ofValue = derivative->arguments[0];
  if (!ofValue)
    ofValue = ScalarBuilder(builder, op.getLoc()).constant(acc, 0.0);
  llvm::SmallVector<Value> results = {ofValue};
  for (ReadDerivative read : derivative->reads) {
    auto captures = op.getCaptures();
    int64_t number =
        llvm::find(captures, read.read.getTensor()) - captures.begin();
    if (number == int64_t(captures.size()) || !wanted[number])
      continue;
    reads.push_back(number);
    results.push_back(
        ScalarBuilder(builder, op.getLoc()).cast(read.derivative, acc));
    for (Value index : read.read.getIndices())
      results.push_back(repeatBlockValue(builder, from, mapping, index));
  }
  YieldOp::create(builder, op.getLoc(), results);
  return mlir::success();
}

/// Zeros of the type and sizes of `like`.
static Value zeros(mlir::OpBuilder &builder, Value like) {
  TensorBuilder tensors(builder, like.getLoc());
  mlir::Type element = tensorType(like).getElementType();
  Value zero =
      tensors.elementwise({}, tensors.sizes(like), element,
                          [&](ScalarBuilder &scalar, mlir::ValueRange) {
                            return scalar.constant(element, 0.0);
                          });
  return tensors.ofType(zero, like.getType());
}

/// Sums a capture's gradient [B,Hk,..] over rows and heads, in order.
static Value overRows(mlir::OpBuilder &builder, Value gradient, Value capture) {
  TensorBuilder tensors(builder, gradient.getLoc());
  unsigned rank = tensorType(capture).getRank();
  llvm::SmallVector<mlir::OpFoldResult> sizes = tensors.sizes(gradient);
  std::rotate(sizes.begin(), sizes.begin() + 2, sizes.end());
  llvm::SmallVector<unsigned> loops = {rank, rank + 1};
  llvm::append_range(loops, axisRange(0, rank));
  Value sum =
      tensors.reduce({tensors.onLoops(gradient, loops, rank + 2)}, sizes, 2,
                     tensorType(gradient).getElementType(), 0.0,
                     [](ScalarBuilder &scalar, mlir::ValueRange in) {
                       return scalar.add(in[1], in[0]);
                     });
  sum = tensors.cast(sum, tensorType(capture).getElementType());
  return tensors.ofType(sum, capture.getType());
}

llvm::FailureOr<llvm::SmallVector<Value>>
AttentionOp::buildGradient(mlir::OpBuilder &builder,
                           mlir::ValueRange cotangents,
                           llvm::ArrayRef<bool> wanted) {
  llvm::SmallVector<Value> gradients(getNumOperands());
  if (!cotangents[0] && !cotangents[1])
    return gradients;
  if (failed(refuse(*this)))
    return mlir::failure();
  Value dout = cotangents[0] ? cotangents[0] : zeros(builder, getOut());
  unsigned biasNumber = getODSOperandIndexAndLength(3).first,
           firstCapture = getODSOperandIndexAndLength(11).first;
  mlir::Type dbias;
  if (getBias() && wanted[biasNumber])
    dbias = getBias().getType();
  // The reversed regions decide which captures have a gradient.
  llvm::ArrayRef<bool> captures = wanted.drop_front(firstCapture);
  mlir::Region score, scoreReverse, prob, probReverse;
  llvm::SmallVector<int64_t> scoreReads, probReads;
  auto repeat = [&](mlir::Region &own, mlir::Region &copy,
                    mlir::Region &reverse,
                    llvm::SmallVectorImpl<int64_t> &reads) {
    if (own.empty())
      return mlir::success();
    mlir::IRMapping mapping;
    own.cloneInto(&copy, mapping);
    return reverseRegion(*this, own, reverse, captures, reads);
  };
  if (failed(repeat(getScore(), score, scoreReverse, scoreReads)) ||
      failed(repeat(getProb(), prob, probReverse, probReads)))
    return mlir::failure();
  std::set<int64_t> differentiated(scoreReads.begin(), scoreReads.end());
  differentiated.insert(probReads.begin(), probReads.end());
  llvm::SmallVector<mlir::Type> dcaptures;
  mlir::Type acc = accumulatorType(tensorType(getQ()).getElementType());
  for (int64_t number : differentiated) {
    llvm::SmallVector<int64_t> shape = {tensorType(getLse()).getDimSize(0),
                                        keyHeads()};
    llvm::append_range(shape, tensorType(getCaptures()[number]).getShape());
    dcaptures.push_back(mlir::RankedTensorType::get(shape, acc));
  }
  auto grad = AttentionGradOp::create(
      builder, getLoc(), getQ().getType(), getK().getType(), getV().getType(),
      dbias, dcaptures, dout, getQ(), getK(), getV(), getOut(), getLse(),
      /*dlse=*/cotangents[1], getBias(), getMask(), getKeyCount(), getOffset(),
      getSeed(), getRowKey(), getCaptures(), getScaleAttr(), getCausalAttr(),
      getLeftAttr(), getRightAttr(), getSoftcapAttr(), getDropoutAttr(),
      getSiteAttr(), builder.getDenseI64ArrayAttr(scoreReads),
      builder.getDenseI64ArrayAttr(probReads), getQLayoutAttr(),
      getKLayoutAttr(), getVLayoutAttr(), getOutLayoutAttr());
  grad.getScore().takeBody(score);
  grad.getScoreReverse().takeBody(scoreReverse);
  grad.getProb().takeBody(prob);
  grad.getProbReverse().takeBody(probReverse);
  if (!hasKernel(grad))
    mlir::emitRemark(getLoc(), "the gradient of this attention stores all "
                               "scores: there is no kernel for ")
        << (!getProb().empty() ? "probability regions"
            : grad.getDbias()  ? "the gradient of a bias"
                               : "the gradient of a captured tensor of rank 2 "
                                 "or more");
  Value ofInputs[] = {grad.getDq(), grad.getDk(), grad.getDv()};
  for (unsigned i = 0; i < 3; ++i)
    if (wanted[i])
      gradients[i] = ofInputs[i];
  if (grad.getDbias())
    gradients[biasNumber] = grad.getDbias();
  for (auto [number, gradient] : llvm::zip(differentiated, grad.getDcaptures()))
    gradients[firstCapture + number] =
        overRows(builder, gradient, getCaptures()[number]);
  return gradients;
}
