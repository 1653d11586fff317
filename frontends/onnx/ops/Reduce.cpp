//===- Reduce.cpp - Reductions over axes -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/Elementwise.h"
#include "frontends/onnx/Views.h"
#include "frontends/onnx/ops/Table.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace dragoman;
using namespace dragoman::onnx;
using mlir::Location;
using mlir::LogicalResult;
using mlir::OpBuilder;
using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;
namespace linalg = mlir::linalg;

namespace {

enum class Reduction { Sum, Mean, Max, Min };

} // namespace

/// The reduced axes, marked per axis.
static mlir::FailureOr<llvm::SmallVector<bool>>
reducedAxes(NodeImport &import) {
  int64_t rank = import.in(0).rank();
  auto axes = import.intsInputOrAttr(1, "axes");
  auto noop = import.intAttr("noop_with_empty_axes", 0);
  if (failed(axes) || failed(noop))
    return mlir::failure();
  bool none = !*axes || (*axes)->empty();
  llvm::SmallVector<bool> reduced(rank, none && *noop == 0);
  if (!none)
    for (int64_t given : **axes) {
      auto axis = import.axis(given, rank);
      if (failed(axis))
        return mlir::failure();
      reduced[*axis] = true;
    }
  return reduced;
}

static Value combine(OpBuilder &b, Location loc, Reduction kind, Value x,
                     Value sum) {
  bool isFloat = llvm::isa<mlir::FloatType>(x.getType());
  if (kind == Reduction::Max)
    return isFloat ? arith::MaximumFOp::create(b, loc, x, sum).getResult()
                   : arith::MaxSIOp::create(b, loc, x, sum).getResult();
  if (kind == Reduction::Min)
    return isFloat ? arith::MinimumFOp::create(b, loc, x, sum).getResult()
                   : arith::MinSIOp::create(b, loc, x, sum).getResult();
  return isFloat ? arith::AddFOp::create(b, loc, x, sum).getResult()
                 : arith::AddIOp::create(b, loc, x, sum).getResult();
}

/// The start of a reduction: what changes no element.
static mlir::TypedAttr neutral(mlir::Builder &builder, Reduction kind,
                               mlir::Type element) {
  bool isMax = kind == Reduction::Max, isMin = kind == Reduction::Min;
  if (llvm::isa<mlir::FloatType>(element)) {
    double infinity = std::numeric_limits<double>::infinity();
    return builder.getFloatAttr(element, isMax   ? -infinity
                                         : isMin ? infinity
                                                 : 0.0);
  }
  unsigned bits = element.getIntOrFloatBitWidth();
  return builder.getIntegerAttr(element,
                                isMax   ? llvm::APInt::getSignedMinValue(bits)
                                : isMin ? llvm::APInt::getSignedMaxValue(bits)
                                        : llvm::APInt(bits, 0));
}

static LogicalResult reduce(NodeImport &import, Reduction kind) {
  if (failed(import.expectInputs(1, 2)))
    return mlir::failure();
  auto reduced = reducedAxes(import);
  auto keep = import.intAttr("keepdims", 1);
  if (failed(reduced) || failed(keep))
    return mlir::failure();
  Imported &x = import.in(0);
  if (kind == Reduction::Mean && !x.isFloat())
    return import.error("expected a float tensor, found " +
                        elementName(x.type));
  OpBuilder &builder = import.builder;
  Dims kept, shaped;
  DimExpr count(1);
  llvm::SmallVector<mlir::AffineExpr> exprs;
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    bool gone = (*reduced)[axis];
    iterators.push_back(gone ? mlir::utils::IteratorType::reduction
                             : mlir::utils::IteratorType::parallel);
    if (gone) {
      count *= x.dims[axis];
    } else {
      kept.push_back(x.dims[axis]);
      exprs.push_back(builder.getAffineDimExpr(axis));
    }
    if (!gone || *keep)
      shaped.push_back(gone ? DimExpr(1) : x.dims[axis]);
  }
  mlir::Type element = elementType(builder.getContext(), x.type);
  Value start = linalg::FillOp::create(
                    builder, import.loc,
                    arith::ConstantOp::create(builder, import.loc,
                                              neutral(builder, kind, element))
                        .getResult(),
                    import.empty(x.type, kept))
                    .getResult(0);
  auto generic = linalg::GenericOp::create(
      builder, import.loc, mlir::TypeRange{import.typeOf(x.type, kept)},
      ValueRange{import.value(0)}, ValueRange{start},
      llvm::ArrayRef{
          builder.getMultiDimIdentityMap(x.rank()),
          mlir::AffineMap::get(x.rank(), 0, exprs, builder.getContext())},
      iterators, [&](OpBuilder &b, Location loc, ValueRange v) {
        linalg::YieldOp::create(b, loc, combine(b, loc, kind, v[0], v[1]));
      });
  Imported result;
  result.value = generic.getResult(0);
  result.type = x.type;
  result.dims = kept;
  if (kind == Reduction::Mean) {
    Value size = count.constant() ? Value()
                                  : import.function.dimValue(count, import.loc);
    auto mean = elementwise(
        import, {&result}, x.type,
        [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
          Value n;
          if (size)
            n = arith::SIToFPOp::create(
                b, loc, element,
                arith::IndexCastOp::create(b, loc, b.getI64Type(), size));
          else
            n = scalarConstant(b, loc, element, *count.constant());
          return arith::DivFOp::create(b, loc, v[0], n);
        });
    if (failed(mean))
      return mlir::failure();
    result = *mean;
  }
  auto value = reshape(import, result.value, kept, shaped);
  if (failed(value))
    return mlir::failure();
  import.set(0, *value, x.type, shaped);
  return mlir::success();
}

LogicalResult onnx::importReduceMax(NodeImport &import) {
  return reduce(import, Reduction::Max);
}
LogicalResult onnx::importReduceMin(NodeImport &import) {
  return reduce(import, Reduction::Min);
}
LogicalResult onnx::importReduceMean(NodeImport &import) {
  return reduce(import, Reduction::Mean);
}
LogicalResult onnx::importReduceSum(NodeImport &import) {
  return reduce(import, Reduction::Sum);
}
