//===- MatMul.cpp - MatMul and Gemm -*- C++ -*-===//
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

using namespace dragoman;
using namespace dragoman::onnx;
using mlir::Location;
using mlir::LogicalResult;
using mlir::OpBuilder;
using mlir::Value;
using mlir::ValueRange;

/// x . w for a matrix w [K,N] (or [N,K] if `transposed`) of static shape.
static Value linear(NodeImport &import, Value x, Value w, bool transposed,
                    mlir::RankedTensorType type) {
  if (!transposed)
    w = transpose(import, w, import.in(1).dims, {1, 0});
  return xf::LinearOp::create(import.builder, import.loc, type, x, w, Value(),
                              "none");
}

/// True if the operand follows from constants alone: the product with it is a
/// linear, whose weight is laid out at compile time.
static bool isWeight(const Imported &operand) {
  if (operand.rank() != 2 || !operand.dims[0].constant() ||
      !operand.dims[1].constant())
    return false;
  if (!operand.value)
    return true;
  llvm::SmallVector<Value> open = {operand.value};
  for (size_t seen = 0; seen < open.size(); ++seen) {
    mlir::Operation *op = open[seen].getDefiningOp();
    bool isPlain = op && (op->getNumRegions() == 0 ||
                          llvm::isa<mlir::linalg::TransposeOp>(op));
    if (!isPlain || seen > 64)
      return false;
    llvm::append_range(open, op->getOperands());
  }
  return true;
}

static LogicalResult expectFloats(NodeImport &import) {
  for (size_t i = 0; i < import.inputCount(); ++i)
    if (import.has(i) &&
        (!import.in(i).isFloat() || import.in(i).type != import.in(0).type))
      return import.error("expected float operands of one type, found " +
                          elementName(import.in(0).type) + " and " +
                          elementName(import.in(i).type));
  return mlir::success();
}

/// Leading unit axes up to `rank`.
static mlir::FailureOr<Value> widen(NodeImport &import, Value value, Dims &dims,
                                    size_t rank) {
  Dims wide(rank - dims.size(), DimExpr(1));
  llvm::append_range(wide, dims);
  auto result = reshape(import, value, dims, wide);
  dims = wide;
  return result;
}

LogicalResult onnx::importMatMul(NodeImport &import) {
  if (failed(import.expectInputs(2)) || failed(expectFloats(import)))
    return mlir::failure();
  Dims a = import.in(0).dims, b = import.in(1).dims;
  if (a.empty() || b.empty())
    return import.error("expected operands of at least one axis");
  int32_t code = import.in(0).type;
  bool vectorA = a.size() == 1, vectorB = b.size() == 1;
  if (failed(import.unify(a.back(), vectorB ? b[0] : b[b.size() - 2])))
    return mlir::failure();
  if (isWeight(import.in(1))) {
    Dims dims = a;
    dims.back() = b[1];
    import.set(0,
               linear(import, import.value(0), import.value(1), false,
                      import.typeOf(code, dims)),
               code, dims);
    return mlir::success();
  }
  Value x = import.value(0), y = import.value(1);
  if (vectorB) {
    Dims column = {b[0], DimExpr(1)};
    auto wide = reshape(import, y, b, column);
    if (failed(wide))
      return mlir::failure();
    y = *wide;
    b = column;
  }
  size_t rank = std::max(std::max(a.size(), b.size()), size_t(2));
  auto left = widen(import, x, a, rank), right = widen(import, y, b, rank);
  if (failed(left) || failed(right))
    return mlir::failure();
  Dims dims;
  for (size_t axis = 0; axis + 2 < rank; ++axis) {
    if (!a[axis].isConstant(1) && !b[axis].isConstant(1) &&
        failed(import.unify(a[axis], b[axis])))
      return mlir::failure();
    dims.push_back(a[axis].isConstant(1) ? b[axis] : a[axis]);
  }
  dims.push_back(a[rank - 2]);
  dims.push_back(b[rank - 1]);
  Value result = xf::MatmulOp::create(import.builder, import.loc,
                                      import.typeOf(code, dims), *left, *right,
                                      false, false, llvm::APFloat(1.0));
  Dims narrow = dims;
  if (vectorB)
    narrow.erase(narrow.end() - 1);
  if (vectorA)
    narrow.erase(narrow.end() - (vectorB ? 1 : 2));
  auto shaped = reshape(import, result, dims, narrow);
  if (failed(shaped))
    return mlir::failure();
  import.set(0, *shaped, code, narrow);
  return mlir::success();
}

/// x * factor, unless the factor is 1.
static mlir::FailureOr<Imported> scaled(NodeImport &import, Imported x,
                                        double factor) {
  if (factor == 1.0)
    return x;
  return elementwise(import, {&x}, x.type,
                     [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                       return mlir::arith::MulFOp::create(
                           b, loc, v[0],
                           scalarConstant(b, loc, v[0].getType(), factor));
                     });
}

LogicalResult onnx::importGemm(NodeImport &import) {
  if (failed(import.expectInputs(2, 3)) || failed(expectFloats(import)))
    return mlir::failure();
  auto alpha = import.floatAttr("alpha", 1.0),
       beta = import.floatAttr("beta", 1.0);
  auto transA = import.intAttr("transA", 0),
       transB = import.intAttr("transB", 0);
  if (failed(alpha) || failed(beta) || failed(transA) || failed(transB))
    return mlir::failure();
  Dims a = import.in(0).dims, b = import.in(1).dims;
  if (a.size() != 2 || b.size() != 2)
    return import.error("expected matrices, found " + llvm::Twine(a.size()) +
                        " and " + llvm::Twine(b.size()) + " axes");
  int32_t code = import.in(0).type;
  Value x = import.value(0);
  if (*transA) {
    x = transpose(import, x, a, {1, 0});
    std::swap(a[0], a[1]);
  }
  if (failed(import.unify(a[1], b[*transB ? 1 : 0])))
    return mlir::failure();
  Imported product;
  product.type = code;
  product.dims = {a[0], b[*transB ? 0 : 1]};
  mlir::RankedTensorType type = import.typeOf(code, product.dims);
  if (isWeight(import.in(1)))
    product.value = linear(import, x, import.value(1), *transB != 0, type);
  else
    product.value = xf::MatmulOp::create(import.builder, import.loc, type, x,
                                         import.value(1), false, *transB != 0,
                                         llvm::APFloat(1.0));
  auto result = scaled(import, product, *alpha);
  if (failed(result))
    return mlir::failure();
  if (import.has(2)) {
    auto bias = scaled(import, import.in(2), *beta);
    if (failed(bias))
      return mlir::failure();
    result =
        elementwise(import, {&*result, &*bias}, code,
                    [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                      return mlir::arith::AddFOp::create(b, loc, v[0], v[1]);
                    });
    if (failed(result))
      return mlir::failure();
  }
  import.set(0, *result);
  return mlir::success();
}
