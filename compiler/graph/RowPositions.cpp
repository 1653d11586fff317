//===- RowPositions.cpp - From one past length to one per row ---*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/graph/RowPositions.h"

#include "dialects/xf/DimValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace dragoman;
using namespace mlir;

/// The dimensions that RaiseCache's precondition names.
static const char *const rowsName = "R", *const pastName = "P",
                         *const lengthName = "T";

static bool hasPast(const DimExpr &expr) {
  return llvm::is_contained(expr.names(), pastName);
}

bool RowPositions::hasRows(Value value) {
  auto type = llvm::dyn_cast<RankedTensorType>(value.getType());
  for (int64_t axis = 0; type && axis < type.getRank(); ++axis)
    if (dims.dimOf(value, axis) == DimExpr::dim(rowsName))
      return true;
  return false;
}

bool RowPositions::needsRows(Value value) {
  auto known = dependent.find(value);
  if (known != dependent.end())
    return known->second;
  bool needs = false;
  if (value.getType().isIntOrIndex()) {
    std::optional<DimExpr> expr = dims.scalar(value);
    needs = expr && hasPast(*expr);
  } else if (Operation *op = value.getDefiningOp(); op && !hasRows(value)) {
    for (Value used : usedValues(op))
      needs |= needsRows(used);
  }
  return dependent[value] = needs;
}

Value RowPositions::dimValue(OpBuilder &at, const DimExpr &expr, Location loc,
                             Value pastLength) {
  return xf::buildDim(at, loc, expr, [&](StringRef name) -> Value {
    if (name == pastName)
      return pastLength;
    for (BlockArgument argument : past.getArguments()) {
      Value here = mapping.lookupOrNull(argument);
      auto own =
          past.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), "xf.dims");
      for (unsigned axis = 0; here && own && axis < own.size(); ++axis)
        if (llvm::cast<StringAttr>(own[axis]).getValue() == name)
          return tensor::DimOp::create(at, loc, here, axis);
    }
    return {};
  });
}

Value RowPositions::cast(OpBuilder &at, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return arith::IndexCastOp::create(at, value.getLoc(), type, value);
}

FailureOr<Value> RowPositions::clone(Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op)
    return emitError(value.getLoc(),
                     "depends on an input that the entry does not have");
  if (auto own = llvm::dyn_cast<xf::AttentionOp>(op)) {
    FailureOr<Value> out = attention(own);
    if (failed(out))
      return failure();
    mapping.map(own.getOut(), *out);
    return *out;
  }
  // Sizes come from the entry's arguments, whatever they were taken from.
  if (value.getType().isIndex() || value.getType().isInteger(64))
    if (std::optional<DimExpr> expr = dims.scalar(value))
      if (Value size = dimValue(builder, *expr, value.getLoc())) {
        size = cast(builder, size, value.getType());
        mapping.map(value, size);
        return size;
      }
  for (Value used : usedValues(op)) {
    if (!needsRows(used)) {
      if (failed(clone(used)))
        return failure();
      continue;
    }
    auto generic = llvm::dyn_cast<linalg::GenericOp>(op);
    if (!generic || !hasRows(value))
      return op->emitError("depends on the length of the past in a way that is "
                           "not understood");
    unsigned rowLoop = 0;
    while (dims.dimOf(value, rowLoop) != DimExpr::dim(rowsName))
      ++rowLoop;
    FailureOr<Value> result = rebuild(generic, false, rowLoop);
    if (succeeded(result))
      mapping.map(value, *result);
    return result;
  }
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

FailureOr<Value> RowPositions::lift(Value value) {
  if (Value known = lifted.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  FailureOr<Value> result = failure();
  if (auto generic = llvm::dyn_cast<linalg::GenericOp>(op)) {
    result = rebuild(generic, true, 0);
  } else if (auto embedding = llvm::dyn_cast<xf::EmbeddingOp>(op)) {
    FailureOr<Value> table = clone(embedding.getTable()),
                     ids = lift(embedding.getIds());
    if (failed(table) || failed(ids))
      return failure();
    auto type = llvm::cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape = {ShapedType::kDynamic};
    llvm::append_range(shape, type.getShape());
    result = xf::EmbeddingOp::create(
                 builder, op->getLoc(),
                 RankedTensorType::get(shape, type.getElementType()), *table,
                 *ids, embedding.getScale(), embedding.getSite())
                 .getY();
  } else if (llvm::isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
    result = liftReshape(value);
  } else if (llvm::isa<tensor::FromElementsOp>(op)) {
    result = liftScalar(value);
  } else {
    return op->emitError("depends on the length of the past in a way that is "
                         "not understood");
  }
  if (succeeded(result))
    lifted[value] = *result;
  return result;
}

FailureOr<Value> RowPositions::liftReshape(Value value) {
  Operation *op = value.getDefiningOp();
  FailureOr<Value> source = lift(op->getOperand(0));
  if (failed(source))
    return failure();
  auto expand = llvm::dyn_cast<tensor::ExpandShapeOp>(op);
  auto groups =
      expand
          ? expand.getReassociationIndices()
          : llvm::cast<tensor::CollapseShapeOp>(op).getReassociationIndices();
  SmallVector<ReassociationIndices> shifted = {{0}};
  for (const ReassociationIndices &group : groups) {
    ReassociationIndices &indices = shifted.emplace_back();
    for (int64_t axis : group)
      indices.push_back(axis + 1);
  }
  auto type = llvm::cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape = {ShapedType::kDynamic};
  llvm::append_range(shape, type.getShape());
  auto wide = RankedTensorType::get(shape, type.getElementType());
  if (!expand)
    return tensor::CollapseShapeOp::create(builder, op->getLoc(), wide, *source,
                                           shifted)
        .getResult();
  SmallVector<OpFoldResult> sizes = {
      tensor::getMixedSize(builder, op->getLoc(), *source, 0)};
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    if (!type.isDynamicDim(axis)) {
      sizes.push_back(builder.getIndexAttr(type.getDimSize(axis)));
      continue;
    }
    Value size = dimValue(builder, dims.dimOf(value, axis), op->getLoc());
    if (!size)
      return op->emitError("has a dimension that depends on the past");
    sizes.push_back(size);
  }
  return tensor::ExpandShapeOp::create(builder, op->getLoc(), wide, *source,
                                       shifted, sizes)
      .getResult();
}

/// A scalar tensor of an expression in P as one entry per row.
FailureOr<Value> RowPositions::liftScalar(Value value) {
  auto elements = llvm::cast<tensor::FromElementsOp>(value.getDefiningOp());
  auto type = llvm::cast<RankedTensorType>(value.getType());
  if (type.getRank() != 0)
    return elements.emitError("depends on the length of the past in a way that "
                              "is not understood");
  std::optional<DimExpr> expr = dims.scalar(elements.getElements()[0]);
  if (!expr)
    return failure();
  Location loc = elements.getLoc();
  auto wide =
      RankedTensorType::get({ShapedType::kDynamic}, type.getElementType());
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, position),
      type.getElementType());
  AffineMap identity = builder.getMultiDimIdentityMap(1);
  return linalg::GenericOp::create(
             builder, loc, TypeRange{wide}, ValueRange{position},
             ValueRange{empty}, ArrayRef{identity, identity},
             SmallVector(1, utils::IteratorType::parallel),
             [&](OpBuilder &inner, Location at, ValueRange args) {
               Value past = cast(inner, args[0], inner.getIndexType());
               Value result = dimValue(inner, *expr, at, past);
               linalg::YieldOp::create(
                   inner, at, cast(inner, result, type.getElementType()));
             })
      .getResult(0);
}

FailureOr<Value> RowPositions::rebuild(linalg::GenericOp op, bool newLoop,
                                       unsigned rowLoop) {
  if (op->getNumResults() != 1 || op.getNumReductionLoops() != 0 ||
      !op.getIndexingMapMatchingResult(op->getResult(0)).isIdentity())
    return op.emitError(
        "depends on the length of the past in a way that is not "
        "understood");
  unsigned shift = newLoop ? 1 : 0, loops = op.getNumLoops() + shift;
  AffineExpr row = builder.getAffineDimExpr(newLoop ? 0 : rowLoop);
  // Captured values without P are built outside, scalars with P inside.
  IRMapping inner;
  SmallVector<std::pair<Value, DimExpr>> inside;
  for (Value used : usedValues(op)) {
    if (llvm::is_contained(op->getOperands(), used))
      continue;
    std::optional<DimExpr> expr;
    if (used.getType().isIntOrIndex())
      expr = dims.scalar(used);
    if (expr && hasPast(*expr)) {
      inside.emplace_back(used, *expr);
      continue;
    }
    FailureOr<Value> outside = clone(used);
    if (failed(outside))
      return failure();
    inner.map(used, *outside);
  }
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  if (!inside.empty()) {
    inputs.push_back(position);
    maps.push_back(AffineMap::get(loops, 0, {row}, builder.getContext()));
  }
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand).shiftDims(shift);
    bool lifts = needsRows(operand->get());
    FailureOr<Value> input =
        lifts ? lift(operand->get()) : clone(operand->get());
    if (failed(input))
      return failure();
    SmallVector<AffineExpr> exprs(map.getResults());
    if (lifts)
      exprs.insert(exprs.begin(), row);
    maps.push_back(AffineMap::get(loops, 0, exprs, builder.getContext()));
    inputs.push_back(*input);
  }
  maps.push_back(builder.getMultiDimIdentityMap(loops));

  Value old = op->getResult(0);
  auto type = llvm::cast<RankedTensorType>(old.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<DimExpr> sizes = dims.dimsOf(old);
  if (newLoop) {
    shape.insert(shape.begin(), ShapedType::kDynamic);
    sizes.insert(sizes.begin(), DimExpr::dim(rowsName));
  }
  SmallVector<OpFoldResult> mixed;
  for (const DimExpr &size : sizes) {
    if (std::optional<int64_t> constant = size.constant()) {
      mixed.push_back(builder.getIndexAttr(*constant));
      continue;
    }
    Value value = dimValue(builder, size, op.getLoc());
    if (!value)
      return op.emitError("has a dimension that depends on the past");
    mixed.push_back(value);
  }
  Value empty = tensor::EmptyOp::create(builder, op.getLoc(), mixed,
                                        type.getElementType());
  auto body = [&](OpBuilder &b, Location at, ValueRange args) {
    for (auto [i, argument] :
         llvm::enumerate(op.getBody()->getArguments().drop_back()))
      inner.map(argument, args[i + (inside.empty() ? 0 : 1)]);
    for (auto &[used, expr] : inside) {
      Value past = cast(b, args[0], b.getIndexType());
      inner.map(used, cast(b, dimValue(b, expr, at, past), used.getType()));
    }
    for (Operation &each : op.getBody()->without_terminator()) {
      if (auto index = llvm::dyn_cast<linalg::IndexOp>(each)) {
        Value moved = linalg::IndexOp::create(b, at, index.getDim() + shift);
        inner.map(index.getResult(), moved);
        continue;
      }
      b.clone(each, inner);
    }
    Value result = op.getBody()->getTerminator()->getOperand(0);
    linalg::YieldOp::create(b, at, inner.lookupOrDefault(result));
  };
  return linalg::GenericOp::create(
             builder, op.getLoc(),
             TypeRange{RankedTensorType::get(shape, type.getElementType())},
             inputs, ValueRange{empty}, maps,
             SmallVector(loops, utils::IteratorType::parallel), body)
      .getResult(0);
}

Value RowPositions::keyCount() {
  Location loc = past.getLoc();
  Value length = dimValue(builder, DimExpr::dim(lengthName), loc);
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, position),
      builder.getI64Type());
  AffineMap identity = builder.getMultiDimIdentityMap(1);
  return linalg::GenericOp::create(
             builder, loc, TypeRange{position.getType()}, ValueRange{position},
             ValueRange{empty}, ArrayRef{identity, identity},
             SmallVector(1, utils::IteratorType::parallel),
             [&](OpBuilder &b, Location at, ValueRange args) {
               Value wide = cast(b, length, b.getI64Type());
               linalg::YieldOp::create(
                   b, at,
                   arith::AddIOp::create(b, at, args[0], wide).getResult());
             })
      .getResult(0);
}
