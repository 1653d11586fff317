//===- GradientsOfTensorOps.cpp - Reverse mode of movements ---------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/upstream/GradientParts.h"
#include "dialects/upstream/Gradients.h"
#include "dialects/xf/decompose/TensorBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace dragoman;
using namespace dragoman::xf;
using namespace mlir::tensor;
using mlir::OpFoldResult;
using mlir::Value;

/// A part of the cotangent, of the type of `like`.
static Value sliceLike(TensorBuilder &tensors, Value cotangent, Value like,
                       llvm::ArrayRef<OpFoldResult> offsets,
                       llvm::ArrayRef<OpFoldResult> sizes,
                       llvm::ArrayRef<OpFoldResult> strides) {
  return ExtractSliceOp::create(tensors.builder, tensors.loc, tensorType(like),
                                cotangent, offsets, sizes, strides);
}

static llvm::SmallVector<OpFoldResult> repeated(TensorBuilder &tensors,
                                                Value like, int64_t value) {
  return llvm::SmallVector<OpFoldResult>(tensorType(like).getRank(),
                                         tensors.builder.getIndexAttr(value));
}

static OpFoldResult addSizes(TensorBuilder &tensors, OpFoldResult a,
                             OpFoldResult b) {
  std::optional<int64_t> one = mlir::getConstantIntValue(a),
                         other = mlir::getConstantIntValue(b);
  if (one && other)
    return tensors.builder.getIndexAttr(*one + *other);
  return mlir::arith::AddIOp::create(tensors.builder, tensors.loc,
                                     tensors.asIndex(a), tensors.asIndex(b))
      .getResult();
}

static Value gradientOfCollapse(TensorBuilder &tensors, CollapseShapeOp op,
                                Value cotangent) {
  return ExpandShapeOp::create(
      tensors.builder, tensors.loc, tensorType(op.getSrc()), cotangent,
      op.getReassociationIndices(), tensors.sizes(op.getSrc()));
}

static Value gradientOfExpand(TensorBuilder &tensors, ExpandShapeOp op,
                              Value cotangent) {
  Value collapsed = CollapseShapeOp::create(
      tensors.builder, tensors.loc, cotangent, op.getReassociationIndices());
  return tensors.ofType(collapsed, op.getSrc().getType());
}

static Gradients gradientOfConcat(TensorBuilder &tensors, ConcatOp op,
                                  Value cotangent,
                                  llvm::ArrayRef<bool> wanted) {
  llvm::SmallVector<Value> gradients(wanted.size());
  auto offsets = repeated(tensors, cotangent, 0),
       strides = repeated(tensors, cotangent, 1);
  uint64_t axis = op.getDim();
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    llvm::SmallVector<OpFoldResult> sizes = tensors.sizes(input);
    if (wanted[number])
      gradients[number] =
          sliceLike(tensors, cotangent, input, offsets, sizes, strides);
    offsets[axis] = addSizes(tensors, offsets[axis], sizes[axis]);
  }
  return gradients;
}

static Gradients gradientOfInsert(TensorBuilder &tensors, InsertSliceOp op,
                                  Value cotangent,
                                  llvm::ArrayRef<bool> wanted) {
  llvm::SmallVector<Value> gradients(wanted.size());
  auto offsets = op.getMixedOffsets(), sizes = op.getMixedSizes(),
       strides = op.getMixedStrides();
  if (wanted[0])
    gradients[0] =
        sliceLike(tensors, cotangent, op.getSource(), offsets, sizes, strides);
  if (wanted[1])
    gradients[1] = InsertSliceOp::create(
        tensors.builder, tensors.loc,
        zerosLike(tensors.builder, tensors.loc, op.getSource()), cotangent,
        offsets, sizes, strides);
  return gradients;
}

std::optional<Gradients>
dragoman::gradientOfTensorOp(mlir::Operation *op, mlir::OpBuilder &builder,
                             Value cotangent, llvm::ArrayRef<bool> wanted) {
  TensorBuilder tensors(builder, op->getLoc());
  llvm::SmallVector<Value> gradients(wanted.size());
  if (auto concat = llvm::dyn_cast<ConcatOp>(op))
    return gradientOfConcat(tensors, concat, cotangent, wanted);
  if (auto insert = llvm::dyn_cast<InsertSliceOp>(op))
    return gradientOfInsert(tensors, insert, cotangent, wanted);
  if (llvm::isa<EmptyOp>(op))
    return gradients;
  // The rest has one tensor operand, the first.
  if (auto cast = llvm::dyn_cast<CastOp>(op)) {
    gradients[0] = tensors.ofType(cotangent, cast.getSource().getType());
  } else if (auto collapse = llvm::dyn_cast<CollapseShapeOp>(op)) {
    gradients[0] = gradientOfCollapse(tensors, collapse, cotangent);
  } else if (auto expand = llvm::dyn_cast<ExpandShapeOp>(op)) {
    gradients[0] = gradientOfExpand(tensors, expand, cotangent);
  } else if (auto slice = llvm::dyn_cast<ExtractSliceOp>(op)) {
    gradients[0] = InsertSliceOp::create(
        builder, op->getLoc(), cotangent,
        zerosLike(builder, op->getLoc(), slice.getSource()),
        slice.getMixedOffsets(), slice.getMixedSizes(),
        slice.getMixedStrides());
  } else if (auto pad = llvm::dyn_cast<PadOp>(op)) {
    gradients[0] = sliceLike(
        tensors, cotangent, pad.getSource(), pad.getMixedLowPad(),
        tensors.sizes(pad.getSource()), repeated(tensors, cotangent, 1));
  } else {
    return std::nullopt;
  }
  return gradients;
}
