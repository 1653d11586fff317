//===- Fill.cpp - Cast, constants, Expand, Range, Shape, Tile, Trilu ------===//
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

/// Builds a parallel linalg.generic over `dims` and sets output 0 to it.
static void setGenerated(
    NodeImport &import, int32_t code, const Dims &dims,
    llvm::ArrayRef<Value> inputs, llvm::ArrayRef<mlir::AffineMap> maps,
    llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  llvm::SmallVector<mlir::AffineMap> all(maps);
  all.push_back(import.builder.getMultiDimIdentityMap(dims.size()));
  auto generic = linalg::GenericOp::create(
      import.builder, import.loc, mlir::TypeRange{import.typeOf(code, dims)},
      inputs, ValueRange{import.empty(code, dims)}, all,
      llvm::SmallVector(dims.size(), mlir::utils::IteratorType::parallel),
      [&](OpBuilder &inner, Location loc, ValueRange args) {
        linalg::YieldOp::create(inner, loc, body(inner, loc, args));
      });
  import.set(0, generic.getResult(0), code, dims);
}

/// The scalar conversion from `from` to `to`; nonzero is true.
static Value convert(OpBuilder &b, Location loc, Value x, mlir::Type to) {
  mlir::Type from = x.getType();
  if (from == to)
    return x;
  bool fromFloat = llvm::isa<mlir::FloatType>(from),
       toFloat = llvm::isa<mlir::FloatType>(to);
  if (to.isInteger(1)) {
    Value zero = scalarConstant(b, loc, from, 0);
    if (fromFloat)
      return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, x, zero);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, x, zero);
  }
  unsigned before = from.getIntOrFloatBitWidth(),
           after = to.getIntOrFloatBitWidth();
  if (fromFloat && toFloat) {
    if (before == after) // f16 and bf16: through f32
      return arith::TruncFOp::create(
          b, loc, to, arith::ExtFOp::create(b, loc, b.getF32Type(), x));
    if (before < after)
      return arith::ExtFOp::create(b, loc, to, x);
    return arith::TruncFOp::create(b, loc, to, x);
  }
  if (fromFloat)
    return arith::FPToSIOp::create(b, loc, to, x);
  if (toFloat && from.isInteger(1))
    return arith::UIToFPOp::create(b, loc, to, x);
  if (toFloat)
    return arith::SIToFPOp::create(b, loc, to, x);
  if (from.isInteger(1))
    return arith::ExtUIOp::create(b, loc, to, x);
  if (before < after)
    return arith::ExtSIOp::create(b, loc, to, x);
  return arith::TruncIOp::create(b, loc, to, x);
}

/// Sets output 0 to input 0 as elements of `code`.
static LogicalResult castTo(NodeImport &import, int32_t code) {
  Imported &x = import.in(0);
  mlir::Type type = elementType(import.function.module.context(), code);
  if (!type)
    return import.error("casting to " + elementName(code) +
                        " is not supported");
  if (x.type == code) {
    import.set(0, x);
    return mlir::success();
  }
  bool bothInteger =
      (x.isInteger() || x.type == Bool) && (code == Int64 || code == Int32);
  if (x.content && bothInteger) {
    import.setContent(0, code, x.dims, *x.content);
    return mlir::success();
  }
  auto result = elementwise(import, {&x}, code,
                            [&](OpBuilder &b, Location loc, ValueRange v) {
                              return convert(b, loc, v[0], type);
                            });
  if (failed(result))
    return mlir::failure();
  result->nonNegative = x.nonNegative;
  import.set(0, *result);
  return mlir::success();
}

LogicalResult onnx::importCast(NodeImport &import) {
  if (failed(import.expectInputs(1)))
    return mlir::failure();
  auto to = import.intAttr("to", std::nullopt);
  if (failed(to))
    return mlir::failure();
  return castTo(import, static_cast<int32_t>(*to));
}

LogicalResult onnx::importCastLike(NodeImport &import) {
  if (failed(import.expectInputs(2)))
    return mlir::failure();
  return castTo(import, import.in(1).type);
}

LogicalResult onnx::importConstant(NodeImport &import) {
  if (import.node.attributes.size() != 1)
    return import.error("expected exactly one attribute, found " +
                        llvm::Twine(import.node.attributes.size()));
  const Attribute &attribute = import.node.attributes[0];
  if (attribute.name == "value") {
    if (attribute.kind != AttributeKind::Tensor)
      return import.error("expected attribute 'value' to be a tensor, found " +
                          llvm::StringRef(kindName(attribute.kind)));
    if (!elementType(import.function.module.context(), attribute.tensor.type))
      return import.error("a constant of " +
                          elementName(attribute.tensor.type) +
                          " is not supported");
    import.set(0, constantOf(attribute.tensor));
    return mlir::success();
  }
  if (attribute.name == "value_int" || attribute.name == "value_ints") {
    bool single = attribute.name == "value_int";
    llvm::SmallVector<DimExpr> content(attribute.ints.begin(),
                                       attribute.ints.end());
    if (single)
      content.assign(1, DimExpr(attribute.i));
    Dims dims;
    if (!single)
      dims.push_back(DimExpr(static_cast<int64_t>(content.size())));
    import.setContent(0, Int64, dims, content);
    return mlir::success();
  }
  if (attribute.name == "value_float") {
    Imported imported;
    imported.type = Float;
    imported.splat = attribute.f;
    import.set(0, imported);
    return mlir::success();
  }
  return import.error("attribute '" + attribute.name + "' is not supported");
}

LogicalResult onnx::importConstantOfShape(NodeImport &import) {
  if (failed(import.expectInputs(1)))
    return mlir::failure();
  if (!import.in(0).content)
    return import.error("the shape does not follow from constants and "
                        "dimensions");
  Imported fill;
  fill.type = Float;
  fill.splat = 0.0;
  if (const Attribute *value = import.node.attribute("value")) {
    if (value->kind != AttributeKind::Tensor || value->tensor.elements() != 1)
      return import.error("expected attribute 'value' to be a tensor of one "
                          "element");
    fill = constantOf(value->tensor);
    if (!fill.splat && !fill.content)
      return import.error("a fill of " + elementName(value->tensor.type) +
                          " is not supported");
  }
  Imported result;
  result.type = fill.type;
  result.dims.assign(import.in(0).content->begin(),
                     import.in(0).content->end());
  result.splat = fill.splat;
  if (fill.content) {
    std::optional<int64_t> element = (*fill.content)[0].constant();
    result.splat = static_cast<double>(*element);
    std::optional<int64_t> size =
        result.dims.size() == 1 ? result.dims[0].constant() : std::nullopt;
    if (size && *size <= 64)
      result.content.emplace(*size, DimExpr(*element));
    result.nonNegative = *element >= 0;
  }
  import.set(0, result);
  return mlir::success();
}

LogicalResult onnx::importExpand(NodeImport &import) {
  if (failed(import.expectInputs(2)))
    return mlir::failure();
  Imported &x = import.in(0);
  if (!import.in(1).content)
    return import.error("the shape does not follow from constants and "
                        "dimensions");
  Imported target;
  target.dims.assign(import.in(1).content->begin(),
                     import.in(1).content->end());
  auto dims = broadcastDims(import, {&x, &target});
  if (failed(dims))
    return mlir::failure();
  if (*dims == x.dims) {
    import.set(0, x);
    return mlir::success();
  }
  if (x.splat && !x.value) {
    Imported result = x;
    result.dims = *dims;
    result.constant = nullptr;
    result.content.reset();
    import.set(0, result);
    return mlir::success();
  }
  llvm::SmallVector<mlir::AffineExpr> exprs;
  size_t lead = dims->size() - x.rank();
  for (int64_t axis = 0; axis < x.rank(); ++axis)
    exprs.push_back(x.dims[axis].isConstant(1)
                        ? import.builder.getAffineConstantExpr(0)
                        : import.builder.getAffineDimExpr(lead + axis));
  mlir::AffineMap map =
      mlir::AffineMap::get(dims->size(), 0, exprs, import.builder.getContext());
  setGenerated(import, x.type, *dims, {import.value(0)}, {map},
               [](OpBuilder &, Location, ValueRange v) { return v[0]; });
  return mlir::success();
}

LogicalResult onnx::importTile(NodeImport &import) {
  if (failed(import.expectInputs(2)))
    return mlir::failure();
  Imported &x = import.in(0);
  if (!import.in(1).content ||
      static_cast<int64_t>(import.in(1).content->size()) != x.rank())
    return import.error("expected one known repeat per axis");
  // Each axis becomes (repeat, size) and is collapsed again.
  Dims wide, dims;
  llvm::SmallVector<mlir::AffineExpr> exprs;
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    const DimExpr &repeat = (*import.in(1).content)[axis];
    wide.push_back(repeat);
    wide.push_back(x.dims[axis]);
    dims.push_back(repeat * x.dims[axis]);
    exprs.push_back(import.builder.getAffineDimExpr(2 * axis + 1));
  }
  mlir::AffineMap map =
      mlir::AffineMap::get(wide.size(), 0, exprs, import.builder.getContext());
  setGenerated(import, x.type, wide, {import.value(0)}, {map},
               [](OpBuilder &, Location, ValueRange v) { return v[0]; });
  auto result = reshape(import, import.output(0)->value, wide, dims);
  if (failed(result))
    return mlir::failure();
  import.set(0, *result, x.type, dims);
  return mlir::success();
}

LogicalResult onnx::importRange(NodeImport &import) {
  if (failed(import.expectInputs(3)))
    return mlir::failure();
  for (size_t i = 0; i < 3; ++i)
    if (!import.in(i).isInteger() || !import.in(i).content ||
        import.in(i).content->size() != 1)
      return import.error("expected integer bounds that follow from constants "
                          "and dimensions");
  const DimExpr &start = (*import.in(0).content)[0],
                &limit = (*import.in(1).content)[0];
  std::optional<int64_t> step = (*import.in(2).content)[0].constant();
  if (!step || *step == 0)
    return import.error("expected a constant step other than 0");
  DimExpr span = *step > 0 ? limit - start : start - limit;
  DimExpr size = std::abs(*step) == 1
                     ? span
                     : DimExpr::ceilDiv(span, DimExpr(std::abs(*step)));
  if (!size.provablyNonNegative())
    size = DimExpr::max(size, DimExpr(0));
  int32_t code = import.in(0).type;
  if (size.constant() && *size.constant() <= 64) {
    llvm::SmallVector<DimExpr> content;
    for (int64_t i = 0; i < *size.constant(); ++i)
      content.push_back(start + DimExpr(i * *step));
    import.setContent(0, code, {size}, content);
    return mlir::success();
  }
  Value first;
  if (!start.constant())
    first = import.function.dimValue(start, import.loc);
  mlir::Type type = elementType(import.function.module.context(), code);
  setGenerated(
      import, code, {size}, {}, {},
      [&](OpBuilder &b, Location loc, ValueRange) {
        Value i = linalg::IndexOp::create(b, loc, 0);
        if (*step != 1)
          i = arith::MulIOp::create(
              b, loc, i, arith::ConstantIndexOp::create(b, loc, *step));
        Value base = first;
        if (!base && !start.isConstant(0))
          base = arith::ConstantIndexOp::create(b, loc, *start.constant());
        if (base)
          i = arith::AddIOp::create(b, loc, i, base);
        return arith::IndexCastOp::create(b, loc, type, i).getResult();
      });
  import.output(0)->nonNegative = *step > 0 && start.provablyNonNegative();
  import.output(0)->isRange = true;
  return mlir::success();
}

LogicalResult onnx::importShape(NodeImport &import) {
  if (failed(import.expectInputs(1)))
    return mlir::failure();
  const Dims &dims = import.in(0).dims;
  auto rank = static_cast<int64_t>(dims.size());
  auto start = import.intAttr("start", 0), end = import.intAttr("end", rank);
  if (failed(start) || failed(end))
    return mlir::failure();
  auto clamp = [&](int64_t axis) {
    return std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  int64_t first = clamp(*start), last = std::max(first, clamp(*end));
  llvm::SmallVector<DimExpr> content(dims.begin() + first, dims.begin() + last);
  import.setContent(0, Int64, {DimExpr(last - first)}, content);
  return mlir::success();
}

LogicalResult onnx::importSize(NodeImport &import) {
  if (failed(import.expectInputs(1)))
    return mlir::failure();
  DimExpr size(1);
  for (const DimExpr &dim : import.in(0).dims)
    size *= dim;
  if (size.overflowed())
    return import.error("the number of elements exceeds 64 bits");
  import.setContent(0, Int64, {}, {size});
  return mlir::success();
}

LogicalResult onnx::importTrilu(NodeImport &import) {
  if (failed(import.expectInputs(1, 2)))
    return mlir::failure();
  auto upper = import.intAttr("upper", 1);
  if (failed(upper))
    return mlir::failure();
  Imported &x = import.in(0);
  if (x.rank() < 2)
    return import.error("expected at least 2 axes, found " +
                        llvm::Twine(x.rank()));
  int64_t k = 0;
  if (import.has(1)) {
    auto given = import.in(1).integers();
    if (!given || given->size() != 1)
      return import.error("expected a constant diagonal");
    k = (*given)[0];
  }
  int64_t rank = x.rank();
  setGenerated(
      import, x.type, x.dims, {import.value(0)},
      {import.builder.getMultiDimIdentityMap(rank)},
      [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
        Value i = linalg::IndexOp::create(b, loc, rank - 2);
        Value j = linalg::IndexOp::create(b, loc, rank - 1);
        Value bound = arith::AddIOp::create(
            b, loc, i, arith::ConstantIndexOp::create(b, loc, k));
        Value keep = arith::CmpIOp::create(b, loc,
                                           *upper ? arith::CmpIPredicate::sge
                                                  : arith::CmpIPredicate::sle,
                                           j, bound);
        return arith::SelectOp::create(
            b, loc, keep, v[0], scalarConstant(b, loc, v[0].getType(), 0));
      });
  return mlir::success();
}
