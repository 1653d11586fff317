//===- Reshape.cpp - Reshape, Squeeze, Unsqueeze and Transpose -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/Views.h"
#include "frontends/onnx/ops/Table.h"

using namespace dragoman;
using namespace dragoman::onnx;
using mlir::LogicalResult;

static std::string shapeText(llvm::ArrayRef<DimExpr> dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + dims[i].str();
  return text + "]";
}

static DimExpr product(llvm::ArrayRef<DimExpr> dims) {
  DimExpr result(1);
  for (const DimExpr &dim : dims)
    result *= dim;
  return result;
}

/// Sets output 0 to the elements of input 0 under new dimensions.
static LogicalResult setReshaped(NodeImport &import, const Dims &to) {
  Imported &x = import.in(0);
  Imported result = x;
  result.dims = to;
  result.constant = nullptr;
  result.value = nullptr;
  // Known elements stay known; nothing is built for shape arithmetic.
  if (!x.content && (!x.splat || x.value)) {
    auto value = reshape(import, import.value(0), x.dims, to);
    if (failed(value))
      return mlir::failure();
    result.value = *value;
  }
  import.set(0, result);
  return mlir::success();
}

/// The dimensions that the shape operand asks for: 0 copies (without
/// allowzero), one -1 is what is left.
static mlir::FailureOr<Dims> requestedDims(NodeImport &import, bool allowZero) {
  const Dims &from = import.in(0).dims;
  if (!import.in(1).content)
    return import.error("the shape does not follow from constants and "
                        "dimensions");
  Dims to;
  std::optional<size_t> inferred;
  for (auto [axis, dim] : llvm::enumerate(*import.in(1).content)) {
    if (dim.isConstant(0) && !allowZero) {
      if (axis >= from.size())
        return import.error("shape entry " + llvm::Twine(axis) +
                            " copies an axis that the operand of rank " +
                            llvm::Twine(from.size()) + " does not have");
      to.push_back(from[axis]);
    } else if (dim.isConstant(-1)) {
      if (inferred)
        return import.error("expected at most one -1 in the shape, found " +
                            shapeText(*import.in(1).content));
      inferred = axis;
      to.push_back(DimExpr(1));
    } else {
      to.push_back(dim);
    }
  }
  DimExpr total = product(from), rest = product(to);
  if (inferred) {
    std::optional<DimExpr> size;
    if (!rest.isConstant(0))
      size = total.exactDivide(rest);
    if (!size)
      return import.error("-1 cannot be told: operand of shape " +
                          shapeText(from) + " to shape " +
                          shapeText(*import.in(1).content));
    to[*inferred] = *size;
    return to;
  }
  if (total.constant() && rest.constant() && total != rest)
    return import.error("operand of shape " + shapeText(from) +
                        " does not have the elements of shape " +
                        shapeText(to));
  return to;
}

LogicalResult onnx::importReshape(NodeImport &import) {
  if (failed(import.expectInputs(2)))
    return mlir::failure();
  auto allowZero = import.intAttr("allowzero", 0);
  if (failed(allowZero))
    return mlir::failure();
  auto to = requestedDims(import, *allowZero != 0);
  if (failed(to))
    return mlir::failure();
  return setReshaped(import, *to);
}

LogicalResult onnx::importFlatten(NodeImport &import) {
  if (failed(import.expectInputs(1)))
    return mlir::failure();
  auto given = import.intAttr("axis", 1);
  if (failed(given))
    return mlir::failure();
  llvm::ArrayRef<DimExpr> from = import.in(0).dims;
  auto rank = static_cast<int64_t>(from.size());
  // The axis may be the rank: everything goes in front.
  if (*given < -rank || *given > rank)
    return import.error("expected an axis in " + llvm::Twine(-rank) + ".." +
                        llvm::Twine(rank) + ", found " + llvm::Twine(*given));
  int64_t axis = *given < 0 ? *given + rank : *given;
  return setReshaped(
      import, {product(from.take_front(axis)), product(from.drop_front(axis))});
}

LogicalResult onnx::importSqueeze(NodeImport &import) {
  if (failed(import.expectInputs(1, 2)))
    return mlir::failure();
  auto axes = import.intsInputOrAttr(1, "axes");
  if (failed(axes))
    return mlir::failure();
  const Dims &from = import.in(0).dims;
  llvm::SmallVector<bool> drop(from.size(), false);
  if (!*axes) {
    for (size_t axis = 0; axis < from.size(); ++axis)
      drop[axis] = from[axis].isConstant(1);
  } else {
    for (int64_t given : **axes) {
      auto axis = import.axis(given, from.size());
      if (failed(axis) || failed(import.unify(from[*axis], DimExpr(1))))
        return mlir::failure();
      drop[*axis] = true;
    }
  }
  Dims to;
  for (size_t axis = 0; axis < from.size(); ++axis)
    if (!drop[axis])
      to.push_back(from[axis]);
  return setReshaped(import, to);
}

LogicalResult onnx::importUnsqueeze(NodeImport &import) {
  if (failed(import.expectInputs(1, 2)))
    return mlir::failure();
  auto axes = import.intsInputOrAttr(1, "axes");
  if (failed(axes))
    return mlir::failure();
  if (!*axes)
    return import.error("attribute 'axes' is required");
  const Dims &from = import.in(0).dims;
  size_t rank = from.size() + (*axes)->size();
  llvm::SmallVector<bool> added(rank, false);
  for (int64_t given : **axes) {
    auto axis = import.axis(given, rank);
    if (failed(axis))
      return mlir::failure();
    if (added[*axis])
      return import.error("axis " + llvm::Twine(given) + " is given twice");
    added[*axis] = true;
  }
  Dims to;
  size_t next = 0;
  for (size_t axis = 0; axis < rank; ++axis)
    to.push_back(added[axis] ? DimExpr(1) : from[next++]);
  return setReshaped(import, to);
}

LogicalResult onnx::importTranspose(NodeImport &import) {
  if (failed(import.expectInputs(1)))
    return mlir::failure();
  auto perm = import.intsAttr("perm");
  if (failed(perm))
    return mlir::failure();
  Imported &x = import.in(0);
  int64_t rank = x.rank();
  llvm::SmallVector<int64_t> order;
  for (int64_t axis = rank; axis-- > 0;)
    order.push_back(axis);
  if (*perm) {
    order.assign((*perm)->begin(), (*perm)->end());
    llvm::SmallVector<int64_t> sorted(order);
    llvm::sort(sorted);
    bool isPermutation = static_cast<int64_t>(sorted.size()) == rank;
    for (int64_t i = 0; isPermutation && i < rank; ++i)
      isPermutation = sorted[i] == i;
    if (!isPermutation)
      return import.error("expected perm to be a permutation of 0.." +
                          llvm::Twine(rank - 1));
  }
  if (rank < 2) {
    import.set(0, x);
    return mlir::success();
  }
  Dims to;
  for (int64_t axis : order)
    to.push_back(x.dims[axis]);
  import.set(0, transpose(import, import.value(0), x.dims, order), x.type, to);
  return mlir::success();
}
