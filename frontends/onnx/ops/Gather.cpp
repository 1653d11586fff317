//===- Gather.cpp - Gather: rows of a table, entries of an axis -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/Elementwise.h"
#include "frontends/onnx/Views.h"
#include "frontends/onnx/ops/Table.h"

#include "dialects/xf/Xf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace dragoman;
using namespace dragoman::onnx;
using mlir::Location;
using mlir::LogicalResult;
using mlir::OpBuilder;
using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;
namespace linalg = mlir::linalg;
namespace tensor = mlir::tensor;

/// Entries of a known shape or list at known places.
static LogicalResult gatherContent(NodeImport &import) {
  Imported &data = import.in(0), &indices = import.in(1);
  auto size = static_cast<int64_t>(data.content->size());
  llvm::SmallVector<DimExpr> content;
  llvm::SmallVector<int64_t> places = *indices.integers();
  for (int64_t index : places) {
    if (index < -size || index >= size)
      return import.error("index " + llvm::Twine(index) +
                          " is outside of size " + llvm::Twine(size));
    content.push_back((*data.content)[index < 0 ? index + size : index]);
  }
  import.setContent(0, data.type, indices.dims, content);
  return mlir::success();
}

/// Ids with negative ones counted from the end: id + size where that lies in
/// 0..size-1, which no id from 0 on reaches; others, among them all that are
/// outside, stay as given, so that a check names what the caller wrote.
static mlir::FailureOr<Value> wrapped(NodeImport &import, const DimExpr &size) {
  Imported &indices = import.in(1);
  if (indices.nonNegative)
    return import.value(1);
  Value count;
  if (!size.constant())
    count = import.function.dimValue(size, import.loc);
  auto result = elementwise(
      import, {&indices}, indices.type,
      [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
        mlir::Type type = v[0].getType();
        Value n =
            count ? arith::IndexCastOp::create(b, loc, type, count).getResult()
                  : scalarConstant(b, loc, type, *size.constant());
        Value shifted = arith::AddIOp::create(b, loc, v[0], n);
        Value negative = arith::CmpIOp::create(
            b, loc, arith::CmpIPredicate::ult, shifted, n);
        return arith::SelectOp::create(b, loc, negative, shifted, v[0]);
      });
  if (failed(result))
    return mlir::failure();
  return result->value;
}

/// Checks every index of `ids` (already wrapped) against 0..size-1.
static void checkIndices(NodeImport &import, Value ids, const DimExpr &size) {
  OpBuilder &builder = import.builder;
  Imported &indices = import.in(1);
  Location loc = import.loc;
  mlir::Type type = elementType(builder.getContext(), indices.type);
  Value count = arith::IndexCastOp::create(builder, loc, type,
                                           import.function.dimValue(size, loc));
  Value bound = tensor::FromElementsOp::create(
      builder, loc, mlir::RankedTensorType::get({}, type), count);
  mlir::AffineMap identity = builder.getMultiDimIdentityMap(indices.rank());
  auto generic = linalg::GenericOp::create(
      builder, loc, mlir::TypeRange{import.typeOf(Bool, indices.dims)},
      ValueRange{ids}, ValueRange{import.empty(Bool, indices.dims)},
      llvm::ArrayRef{identity, identity},
      llvm::SmallVector(indices.rank(), mlir::utils::IteratorType::parallel),
      [&](OpBuilder &b, Location at, ValueRange v) {
        // One unsigned comparison covers both ends.
        Value inside = arith::CmpIOp::create(b, at, arith::CmpIPredicate::ult,
                                             v[0], count);
        linalg::YieldOp::create(b, at, inside);
      });
  int64_t site = import.function.module.site(
      import.node.describe(), "index {value} is outside of size {bound}");
  xf::CheckOp::create(builder, loc, generic.getResult(0), ids, bound, site);
}

/// Rows of a matrix: xf.embedding, which checks the ids itself.
static LogicalResult gatherRows(NodeImport &import) {
  Imported &table = import.in(0), &indices = import.in(1);
  auto ids = wrapped(import, table.dims[0]);
  if (failed(ids))
    return mlir::failure();
  Dims dims = indices.dims;
  dims.push_back(table.dims[1]);
  int64_t site = import.function.module.site(
      import.node.describe(),
      indices.isRange ? "position {value} is outside of the table of {bound}"
                      : "index {value} is outside of size {bound}");
  Value result = xf::EmbeddingOp::create(
      import.builder, import.loc, import.typeOf(table.type, dims),
      import.value(0), *ids, llvm::APFloat(1.0), site);
  import.set(0, result, table.type, dims);
  return mlir::success();
}

/// One entry at a known place is a slice without its axis.
static LogicalResult gatherSlice(NodeImport &import, int64_t axis) {
  Imported &data = import.in(0);
  int64_t index = (*import.in(1).integers())[0];
  Dims offsets(data.rank(), DimExpr(0)), sizes = data.dims, dims;
  offsets[axis] = index < 0 ? data.dims[axis] + DimExpr(index) : DimExpr(index);
  sizes[axis] = DimExpr(1);
  for (int64_t i = 0; i < data.rank(); ++i)
    if (i != axis)
      dims.push_back(data.dims[i]);
  llvm::SmallVector<int64_t> strides(data.rank(), 1);
  Value part =
      slice(import, import.value(0), offsets, sizes, strides, data.type);
  auto result = reshape(import, part, sizes, dims);
  if (failed(result))
    return mlir::failure();
  import.set(0, *result, data.type, dims);
  return mlir::success();
}

LogicalResult onnx::importGather(NodeImport &import) {
  if (failed(import.expectInputs(2)))
    return mlir::failure();
  Imported &data = import.in(0), &indices = import.in(1);
  auto given = import.intAttr("axis", 0);
  if (failed(given))
    return mlir::failure();
  auto axis = import.axis(*given, data.rank());
  if (failed(axis))
    return mlir::failure();
  if (!indices.isInteger())
    return import.error("expected indices of int32 or int64, found " +
                        elementName(indices.type));
  auto known = indices.integers();
  if (known && data.dims[*axis].constant())
    for (int64_t index : *known)
      if (index < -*data.dims[*axis].constant() ||
          index >= *data.dims[*axis].constant())
        return import.error("index " + llvm::Twine(index) +
                            " is outside of size " +
                            llvm::Twine(*data.dims[*axis].constant()));
  if (data.content && data.rank() == 1 && known)
    return gatherContent(import);
  if (known && indices.rank() == 0 && data.dims[*axis].constant())
    return gatherSlice(import, *axis);
  if (*axis == 0 && data.rank() == 2 && data.isFloat())
    return gatherRows(import);

  auto ids = wrapped(import, data.dims[*axis]);
  if (failed(ids))
    return mlir::failure();
  checkIndices(import, *ids, data.dims[*axis]);
  // out[before..., ids..., after...] = data[before..., id, after...]
  Dims dims(data.dims.begin(), data.dims.begin() + *axis);
  llvm::append_range(dims, indices.dims);
  dims.append(data.dims.begin() + *axis + 1, data.dims.end());
  llvm::SmallVector<mlir::AffineExpr> exprs;
  for (int64_t i = 0; i < indices.rank(); ++i)
    exprs.push_back(import.builder.getAffineDimExpr(*axis + i));
  OpBuilder &builder = import.builder;
  mlir::AffineMap map =
      mlir::AffineMap::get(dims.size(), 0, exprs, builder.getContext());
  Value table = import.value(0);
  Value last =
      import.function.dimValue(data.dims[*axis] - DimExpr(1), import.loc);
  auto generic = linalg::GenericOp::create(
      builder, import.loc, mlir::TypeRange{import.typeOf(data.type, dims)},
      ValueRange{*ids}, ValueRange{import.empty(data.type, dims)},
      llvm::ArrayRef{map, builder.getMultiDimIdentityMap(dims.size())},
      llvm::SmallVector(dims.size(), mlir::utils::IteratorType::parallel),
      [&](OpBuilder &b, Location at, ValueRange v) {
        // Out of range is recorded by the check; here the place is clamped.
        Value id = arith::IndexCastOp::create(b, at, b.getIndexType(), v[0]);
        id = arith::MinSIOp::create(b, at, id, last);
        id = arith::MaxSIOp::create(b, at, id,
                                    arith::ConstantIndexOp::create(b, at, 0));
        llvm::SmallVector<Value> place;
        for (int64_t i = 0; i < data.rank(); ++i)
          place.push_back(
              i == *axis ? id
                         : linalg::IndexOp::create(
                               b, at, i < *axis ? i : i - 1 + indices.rank())
                               .getResult());
        linalg::YieldOp::create(
            b, at, tensor::ExtractOp::create(b, at, table, place).getResult());
      });
  import.set(0, generic.getResult(0), data.type, dims);
  return mlir::success();
}
