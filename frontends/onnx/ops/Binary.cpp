//===- Binary.cpp - Operators of two or more operands, element by element -===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/Elementwise.h"
#include "frontends/onnx/ops/Table.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace dragoman;
using namespace dragoman::onnx;
using mlir::Location;
using mlir::LogicalResult;
using mlir::OpBuilder;
using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;
namespace math = mlir::math;

using Combine =
    llvm::function_ref<std::optional<DimExpr>(llvm::ArrayRef<DimExpr>)>;

/// Checks two operands of one type and sets the result: by contents where those
/// are known, else by `body`. `code` Undefined means the operands' type.
static LogicalResult binary(NodeImport &import, int32_t code, Combine combine,
                            ScalarBody body) {
  if (failed(import.expectInputs(2)))
    return mlir::failure();
  Imported &a = import.in(0), &b = import.in(1);
  if (a.type != b.type)
    return import.error("expected operands of one type, found " +
                        elementName(a.type) + " and " + elementName(b.type));
  if (code == Undefined)
    code = a.type;
  if (auto known = combineContents({&a, &b}, combine)) {
    import.setContent(0, code, known->first, known->second);
    return mlir::success();
  }
  auto result = elementwise(import, {&a, &b}, code, body);
  if (failed(result))
    return mlir::failure();
  import.set(0, *result);
  return mlir::success();
}

/// The float or the integer operation, by the type of the operands.
template <typename FloatOp, typename IntOp>
static Value arithmetic(OpBuilder &b, Location loc, ValueRange x) {
  if (llvm::isa<mlir::FloatType>(x[0].getType()))
    return FloatOp::create(b, loc, x[0], x[1]);
  return IntOp::create(b, loc, x[0], x[1]);
}

LogicalResult onnx::importAdd(NodeImport &import) {
  return binary(
      import, Undefined,
      [](llvm::ArrayRef<DimExpr> x) { return std::optional(x[0] + x[1]); },
      arithmetic<arith::AddFOp, arith::AddIOp>);
}

LogicalResult onnx::importSub(NodeImport &import) {
  return binary(
      import, Undefined,
      [](llvm::ArrayRef<DimExpr> x) { return std::optional(x[0] - x[1]); },
      arithmetic<arith::SubFOp, arith::SubIOp>);
}

LogicalResult onnx::importMul(NodeImport &import) {
  return binary(
      import, Undefined,
      [](llvm::ArrayRef<DimExpr> x) { return std::optional(x[0] * x[1]); },
      arithmetic<arith::MulFOp, arith::MulIOp>);
}

/// Integer division rounds towards zero, which is floor where nothing is
/// negative.
static std::optional<DimExpr> divide(llvm::ArrayRef<DimExpr> x) {
  if (x[1].isConstant(0))
    return std::nullopt;
  if (x[0].constant() && x[1].constant())
    return DimExpr(*x[0].constant() / *x[1].constant());
  if (!x[0].provablyNonNegative() || !x[1].provablyNonNegative())
    return std::nullopt;
  return DimExpr::floorDiv(x[0], x[1]);
}

LogicalResult onnx::importDiv(NodeImport &import) {
  return binary(import, Undefined, divide,
                arithmetic<arith::DivFOp, arith::DivSIOp>);
}

static std::optional<DimExpr> unknown(llvm::ArrayRef<DimExpr>) {
  return std::nullopt;
}

LogicalResult onnx::importPow(NodeImport &import) {
  if (failed(import.expectInputs(2)))
    return mlir::failure();
  Imported &base = import.in(0), &power = import.in(1);
  std::optional<double> exponent = power.splat;
  if (auto integers = power.integers(); integers && integers->size() == 1)
    exponent = static_cast<double>((*integers)[0]);
  if (base.isFloat() && exponent && (*exponent == 2.0 || *exponent == 0.5) &&
      power.rank() <= base.rank()) {
    auto result =
        elementwise(import, {&base}, base.type,
                    [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
                      if (*exponent == 0.5)
                        return math::SqrtOp::create(b, loc, x[0]);
                      return arith::MulFOp::create(b, loc, x[0], x[0]);
                    });
    if (failed(result))
      return mlir::failure();
    import.set(0, *result);
    return mlir::success();
  }
  if (!base.isFloat() || base.type != power.type)
    return import.error("expected float operands of one type, found " +
                        elementName(base.type) + " and " +
                        elementName(power.type));
  return binary(import, Undefined, unknown,
                [](OpBuilder &b, Location loc, ValueRange x) -> Value {
                  return math::PowFOp::create(b, loc, x[0], x[1]);
                });
}

/// Decides `left OP right` where the difference has a provable sign.
static std::optional<DimExpr> compareDims(arith::CmpIPredicate predicate,
                                          const DimExpr &a, const DimExpr &b) {
  using P = arith::CmpIPredicate;
  bool less = (b - a - DimExpr(1)).provablyNonNegative();
  bool greater = (a - b - DimExpr(1)).provablyNonNegative();
  bool atMost = (b - a).provablyNonNegative();
  bool atLeast = (a - b).provablyNonNegative();
  auto decide = [](bool isTrue, bool isFalse) -> std::optional<DimExpr> {
    if (isTrue || isFalse)
      return DimExpr(isTrue ? 1 : 0);
    return std::nullopt;
  };
  switch (predicate) {
  case P::eq:
    return decide(a == b, less || greater);
  case P::slt:
    return decide(less, atLeast);
  case P::sle:
    return decide(atMost, greater);
  case P::sgt:
    return decide(greater, atMost);
  default:
    return decide(atLeast, less);
  }
}

static LogicalResult compare(NodeImport &import, arith::CmpFPredicate floats,
                             arith::CmpIPredicate integers) {
  return binary(
      import, Bool,
      [&](llvm::ArrayRef<DimExpr> x) {
        return compareDims(integers, x[0], x[1]);
      },
      [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
        if (llvm::isa<mlir::FloatType>(x[0].getType()))
          return arith::CmpFOp::create(b, loc, floats, x[0], x[1]);
        return arith::CmpIOp::create(b, loc, integers, x[0], x[1]);
      });
}

LogicalResult onnx::importEqual(NodeImport &import) {
  return compare(import, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq);
}
LogicalResult onnx::importLess(NodeImport &import) {
  return compare(import, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt);
}
LogicalResult onnx::importLessOrEqual(NodeImport &import) {
  return compare(import, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle);
}
LogicalResult onnx::importGreater(NodeImport &import) {
  return compare(import, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt);
}
LogicalResult onnx::importGreaterOrEqual(NodeImport &import) {
  return compare(import, arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge);
}

template <typename Op> static LogicalResult logical(NodeImport &import) {
  if (failed(import.expectInputs(2)))
    return mlir::failure();
  if (import.in(0).type != Bool)
    return import.error("expected bool tensors, found " +
                        elementName(import.in(0).type));
  return binary(import, Bool, unknown,
                [](OpBuilder &b, Location loc, ValueRange x) -> Value {
                  return Op::create(b, loc, x[0], x[1]);
                });
}

LogicalResult onnx::importAnd(NodeImport &import) {
  return logical<arith::AndIOp>(import);
}
LogicalResult onnx::importOr(NodeImport &import) {
  return logical<arith::OrIOp>(import);
}

/// Min and Max take any number of operands of one type.
static LogicalResult extremum(NodeImport &import, Combine combine,
                              ScalarBody body) {
  if (import.inputCount() == 0)
    return import.error("expected at least one input");
  Imported result = import.in(0);
  for (size_t i = 1; i < import.inputCount(); ++i) {
    Imported &next = import.in(i);
    if (next.type != result.type)
      return import.error("expected operands of one type, found " +
                          elementName(result.type) + " and " +
                          elementName(next.type));
    if (auto known = combineContents({&result, &next}, combine)) {
      result = Imported();
      result.type = next.type;
      result.dims = known->first;
      result.content = known->second;
      continue;
    }
    auto combined = elementwise(import, {&result, &next}, next.type, body);
    if (failed(combined))
      return mlir::failure();
    result = *combined;
  }
  import.set(0, result);
  return mlir::success();
}

LogicalResult onnx::importMin(NodeImport &import) {
  return extremum(
      import,
      [](llvm::ArrayRef<DimExpr> x) {
        return std::optional(DimExpr::min(x[0], x[1]));
      },
      arithmetic<arith::MinimumFOp, arith::MinSIOp>);
}

LogicalResult onnx::importMax(NodeImport &import) {
  return extremum(
      import,
      [](llvm::ArrayRef<DimExpr> x) {
        return std::optional(DimExpr::max(x[0], x[1]));
      },
      arithmetic<arith::MaximumFOp, arith::MaxSIOp>);
}

LogicalResult onnx::importClip(NodeImport &import) {
  if (failed(import.expectInputs(1, 3)))
    return mlir::failure();
  Imported result = import.in(0), low, high;
  bool hasLow = import.has(1), hasHigh = import.has(2);
  if (hasLow)
    low = import.in(1);
  if (hasHigh)
    high = import.in(2);
  for (auto [name, bound, given] :
       {std::tuple("min", &low, &hasLow), std::tuple("max", &high, &hasHigh)}) {
    if (!import.hasAttribute(name))
      continue;
    auto limit = import.floatAttr(name, std::nullopt);
    if (failed(limit))
      return mlir::failure();
    bound->type = result.type;
    bound->splat = *limit;
    *given = true;
  }
  for (auto [bound, given, body] :
       {std::tuple(&low, hasLow,
                   ScalarBody(arithmetic<arith::MaximumFOp, arith::MaxSIOp>)),
        std::tuple(
            &high, hasHigh,
            ScalarBody(arithmetic<arith::MinimumFOp, arith::MinSIOp>))}) {
    if (!given)
      continue;
    if (bound->type != result.type)
      return import.error("expected bounds of the operand's type");
    auto clipped = elementwise(import, {&result, bound}, result.type, body);
    if (failed(clipped))
      return mlir::failure();
    result = *clipped;
  }
  import.set(0, result);
  return mlir::success();
}

LogicalResult onnx::importWhere(NodeImport &import) {
  if (failed(import.expectInputs(3)))
    return mlir::failure();
  Imported &condition = import.in(0), &x = import.in(1), &y = import.in(2);
  if (condition.type != Bool || x.type != y.type)
    return import.error("expected a bool condition and operands of one type, "
                        "found " +
                        elementName(condition.type) + ", " +
                        elementName(x.type) + " and " + elementName(y.type));
  auto choose = [](llvm::ArrayRef<DimExpr> e) -> std::optional<DimExpr> {
    if (e[1] == e[2])
      return e[1];
    if (!e[0].constant())
      return std::nullopt;
    return e[0].isConstant(0) ? e[2] : e[1];
  };
  if (auto known = combineContents({&condition, &x, &y}, choose)) {
    import.setContent(0, x.type, known->first, known->second);
    return mlir::success();
  }
  auto result =
      elementwise(import, {&condition, &x, &y}, x.type,
                  [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                    return arith::SelectOp::create(b, loc, v[0], v[1], v[2]);
                  });
  if (failed(result))
    return mlir::failure();
  import.set(0, *result);
  return mlir::success();
}
