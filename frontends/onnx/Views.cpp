//===- Views.cpp - Reshapes and slices with known dimensions -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/Views.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace dragoman;
using namespace dragoman::onnx;
using mlir::FailureOr;
using mlir::Value;
namespace tensor = mlir::tensor;

namespace {

/// Axes [fromBegin, fromEnd) of the source are the same elements as axes
/// [toBegin, toEnd) of the target.
struct Group {
  size_t fromBegin, fromEnd, toBegin, toEnd;
  DimExpr size;
};

} // namespace

static DimExpr product(llvm::ArrayRef<DimExpr> dims) {
  DimExpr result(1);
  for (const DimExpr &dim : dims)
    result *= dim;
  return result;
}

/// Cuts both shapes at every pair of prefixes with provably equal products.
static llvm::SmallVector<Group> matchAxes(llvm::ArrayRef<DimExpr> from,
                                          llvm::ArrayRef<DimExpr> to) {
  llvm::SmallVector<Group> groups;
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    Group group = {i, i, j, j, DimExpr(1)};
    bool found = false;
    for (size_t ie = i; ie <= from.size() && !found; ++ie)
      for (size_t je = j; je <= to.size() && !found; ++je) {
        // A group has at least one axis on each side, except that unit axes may
        // join a neighbour.
        if (ie == i || je == j)
          continue;
        DimExpr left = product(from.slice(i, ie - i));
        if (left != product(to.slice(j, je - j)))
          continue;
        group = {i, ie, j, je, left};
        found = true;
      }
    if (!found) {
      // Trailing unit axes on one side, or sizes that only agree as a whole.
      if (!groups.empty() && product(from.drop_front(i)) == DimExpr(1) &&
          product(to.drop_front(j)) == DimExpr(1)) {
        groups.back().fromEnd = from.size();
        groups.back().toEnd = to.size();
        return groups;
      }
      groups.clear();
      groups.push_back({0, from.size(), 0, to.size(), product(from)});
      return groups;
    }
    groups.push_back(group);
    i = group.fromEnd;
    j = group.toEnd;
  }
  return groups;
}

using Reassociation = llvm::SmallVector<mlir::ReassociationIndices>;

static mlir::ReassociationIndices range(size_t begin, size_t end) {
  mlir::ReassociationIndices indices;
  for (size_t i = begin; i < end; ++i)
    indices.push_back(static_cast<int64_t>(i));
  return indices;
}

/// Drops the axes of a value of one element.
static Value toScalar(NodeImport &import, Value value, mlir::Type element) {
  return tensor::CollapseShapeOp::create(
      import.builder, import.loc, mlir::RankedTensorType::get({}, element),
      value, Reassociation());
}

FailureOr<Value> onnx::reshape(NodeImport &import, Value value,
                               llvm::ArrayRef<DimExpr> from,
                               llvm::ArrayRef<DimExpr> to) {
  if (from == to)
    return value;
  mlir::OpBuilder &builder = import.builder;
  mlir::Type element =
      llvm::cast<mlir::RankedTensorType>(value.getType()).getElementType();
  auto typeOf = [&](llvm::ArrayRef<DimExpr> dims) {
    llvm::SmallVector<int64_t> shape;
    for (const DimExpr &dim : dims)
      shape.push_back(dim.constant().value_or(mlir::ShapedType::kDynamic));
    return mlir::RankedTensorType::get(shape, element);
  };
  if (to.empty() || from.empty()) {
    if (failed(import.unify(product(from), product(to))))
      return mlir::failure();
    if (to.empty())
      return toScalar(import, value, element);
    return tensor::ExpandShapeOp::create(builder, import.loc, typeOf(to), value,
                                         Reassociation(), import.mixed(to))
        .getResult();
  }
  llvm::SmallVector<Group> groups = matchAxes(from, to);
  if (groups.size() == 1 && failed(import.unify(product(from), product(to))))
    return mlir::failure();

  Dims middle;
  Reassociation collapse, expand;
  bool collapses = false, expands = false;
  for (const Group &group : groups) {
    size_t wide = group.fromEnd - group.fromBegin,
           tall = group.toEnd - group.toBegin;
    collapses |= wide > 1;
    expands |= tall > 1;
    collapse.push_back(range(group.fromBegin, group.fromEnd));
    expand.push_back(range(group.toBegin, group.toEnd));
    middle.push_back(tall == 1 ? to[group.toBegin] : group.size);
  }
  if (collapses)
    value = tensor::CollapseShapeOp::create(builder, import.loc, typeOf(middle),
                                            value, collapse);
  if (expands)
    value = tensor::ExpandShapeOp::create(builder, import.loc, typeOf(to),
                                          value, expand, import.mixed(to));
  return value;
}

Value onnx::slice(NodeImport &import, Value value,
                  llvm::ArrayRef<DimExpr> offsets,
                  llvm::ArrayRef<DimExpr> sizes,
                  llvm::ArrayRef<int64_t> strides, int32_t code) {
  llvm::SmallVector<mlir::OpFoldResult> steps;
  for (int64_t stride : strides)
    steps.push_back(import.builder.getIndexAttr(stride));
  return tensor::ExtractSliceOp::create(
      import.builder, import.loc, import.typeOf(code, sizes), value,
      import.mixed(offsets), import.mixed(sizes), steps);
}

Value onnx::transpose(NodeImport &import, Value value,
                      llvm::ArrayRef<DimExpr> from,
                      llvm::ArrayRef<int64_t> permutation) {
  Dims to;
  for (int64_t axis : permutation)
    to.push_back(from[axis]);
  mlir::Type element =
      llvm::cast<mlir::RankedTensorType>(value.getType()).getElementType();
  return mlir::linalg::TransposeOp::create(import.builder, import.loc, value,
                                           import.empty(element, to),
                                           permutation)
      ->getResult(0);
}
