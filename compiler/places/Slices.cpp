//===- Slices.cpp - Slices that are bytes in a row --------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/places/Slices.h"

#include "dialects/plan/Plan.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace dragoman;
using mlir::Operation;
using mlir::OpFoldResult;
using mlir::Value;

std::optional<DimExpr> dragoman::maximumOverLoops(const DimExpr &expr,
                                                  Operation *op) {
  std::optional<DimExpr> bound = expr;
  for (auto loop = op->getParentOfType<plan::LoopOp>(); loop && bound;
       loop = loop->getParentOfType<plan::LoopOp>()) {
    Result<DimExpr> trips = DimExpr::parse(loop.getTrips().str());
    assert(trips && "the verifier has parsed it");
    bound = bound->maximumOver(loop.getDim().str(), *trips - DimExpr(1));
  }
  return bound;
}

/// True if a <= b in every iteration.
static bool atMost(const DimExpr &a, const DimExpr &b, Operation *op) {
  if ((b - a).provablyNonNegative())
    return true;
  std::optional<DimExpr> excess = maximumOverLoops(a - b, op);
  return excess && (DimExpr(0) - *excess).provablyNonNegative();
}

std::optional<DimExpr> dragoman::denseSliceStart(Operation *op,
                                                 xf::DimAnalysis &analysis) {
  auto slice = llvm::dyn_cast<mlir::OffsetSizeAndStrideOpInterface>(op);
  if (!slice)
    return std::nullopt;
  auto insert = llvm::dyn_cast<mlir::tensor::InsertSliceOp>(op);
  Value whole = insert ? insert.getDest() : op->getOperand(0);
  auto expression = [&](OpFoldResult value) -> std::optional<DimExpr> {
    if (auto attribute = llvm::dyn_cast<mlir::Attribute>(value))
      return DimExpr(llvm::cast<mlir::IntegerAttr>(attribute).getInt());
    return analysis.scalar(llvm::cast<Value>(value));
  };
  llvm::SmallVector<DimExpr> dims = analysis.dimsOf(whole);
  DimExpr start(0), row(1);
  for (size_t axis = dims.size(); axis-- > 0;) {
    std::optional<DimExpr> offset = expression(slice.getMixedOffsets()[axis]),
                           size = expression(slice.getMixedSizes()[axis]),
                           step = expression(slice.getMixedStrides()[axis]);
    if (!offset || !size || !step || !step->isConstant(1))
      return std::nullopt;
    bool isWhole = offset->isConstant(0) && *size == dims[axis];
    if (axis > 0 && !isWhole)
      return std::nullopt;
    if (axis == 0 && (!atMost(DimExpr(0), *offset, op) ||
                      !atMost(*offset + *size, dims[axis], op)))
      return std::nullopt;
    start += *offset * row;
    row *= dims[axis];
  }
  return start;
}

bool dragoman::isDenseSlice(Operation *op, xf::DimAnalysis &analysis) {
  return llvm::isa<mlir::tensor::ExtractSliceOp>(op) &&
         denseSliceStart(op, analysis);
}

bool dragoman::isJoin(Operation *op) {
  auto concat = llvm::dyn_cast<mlir::tensor::ConcatOp>(op);
  return concat && concat.getType().getRank() == 1;
}
