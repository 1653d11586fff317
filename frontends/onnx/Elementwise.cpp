//===- Elementwise.cpp - Broadcasting elementwise operations -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/Elementwise.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace dragoman;
using namespace dragoman::onnx;
using mlir::FailureOr;
using mlir::Value;

FailureOr<Dims> onnx::broadcastDims(NodeImport &import,
                                    llvm::ArrayRef<Imported *> operands) {
  int64_t rank = 0;
  for (Imported *operand : operands)
    rank = std::max(rank, operand->rank());
  Dims dims(rank, DimExpr(1));
  for (Imported *operand : operands)
    for (int64_t axis = 0; axis < operand->rank(); ++axis) {
      const DimExpr &dim = operand->dims[axis];
      DimExpr &result = dims[rank - operand->rank() + axis];
      if (dim.isConstant(1))
        continue;
      if (result.isConstant(1)) {
        result = dim;
        continue;
      }
      if (failed(import.unify(result, dim)))
        return mlir::failure();
      // Prefer the constant: it makes the type static.
      if (dim.constant())
        result = dim;
    }
  for (DimExpr &dim : dims)
    dim = import.function.resolved(dim);
  return dims;
}

/// The scalar constant that every element of the operand equals, if any.
static std::optional<double> scalarOf(const Imported &operand) {
  if (operand.splat)
    return operand.splat;
  if (operand.content && operand.content->size() == 1)
    if (std::optional<int64_t> value = (*operand.content)[0].constant();
        value && std::abs(*value) < (1ll << 53))
      return static_cast<double>(*value);
  return std::nullopt;
}

/// How the operand is indexed from the result's dimensions.
static mlir::AffineMap operandMap(mlir::Builder &builder,
                                  const Imported &operand,
                                  llvm::ArrayRef<DimExpr> dims) {
  int64_t rank = dims.size(), lead = rank - operand.rank();
  llvm::SmallVector<mlir::AffineExpr> exprs;
  for (int64_t axis = 0; axis < operand.rank(); ++axis) {
    bool stretched =
        operand.dims[axis].isConstant(1) && !dims[lead + axis].isConstant(1);
    exprs.push_back(stretched ? builder.getAffineConstantExpr(0)
                              : builder.getAffineDimExpr(lead + axis));
  }
  return mlir::AffineMap::get(rank, 0, exprs, builder.getContext());
}

FailureOr<Imported> onnx::elementwise(NodeImport &import,
                                      llvm::ArrayRef<Imported *> operands,
                                      int32_t code, ScalarBody body) {
  FailureOr<Dims> dims = broadcastDims(import, operands);
  if (failed(dims))
    return mlir::failure();
  mlir::OpBuilder &builder = import.builder;
  int64_t rank = dims->size();
  llvm::SmallVector<Value> inputs;
  llvm::SmallVector<mlir::AffineMap> maps;
  llvm::SmallVector<std::optional<double>> scalars;
  for (Imported *operand : operands) {
    scalars.push_back(scalarOf(*operand));
    if (scalars.back())
      continue;
    inputs.push_back(import.function.materialize(*operand, import.loc));
    maps.push_back(operandMap(builder, *operand, *dims));
  }
  maps.push_back(builder.getMultiDimIdentityMap(rank));

  auto build = [&](mlir::OpBuilder &inner, mlir::Location loc,
                   mlir::ValueRange args) {
    llvm::SmallVector<Value> values;
    size_t next = 0;
    for (auto [operand, scalar] : llvm::zip(operands, scalars)) {
      mlir::Type type =
          elementType(import.function.module.context(), operand->type);
      values.push_back(scalar ? scalarConstant(inner, loc, type, *scalar)
                              : args[next++]);
    }
    mlir::linalg::YieldOp::create(inner, loc, body(inner, loc, values));
  };
  auto generic = mlir::linalg::GenericOp::create(
      builder, import.loc, mlir::TypeRange{import.typeOf(code, *dims)}, inputs,
      mlir::ValueRange{import.empty(code, *dims)}, maps,
      llvm::SmallVector(rank, mlir::utils::IteratorType::parallel), build);
  Imported result;
  result.value = generic.getResult(0);
  result.type = code;
  result.dims = *dims;
  return result;
}

std::optional<std::pair<Dims, llvm::SmallVector<DimExpr>>>
onnx::combineContents(
    llvm::ArrayRef<Imported *> operands,
    llvm::function_ref<std::optional<DimExpr>(llvm::ArrayRef<DimExpr>)>
        combine) {
  size_t size = 1;
  Dims dims;
  for (Imported *operand : operands) {
    if (!operand->content || operand->rank() > 1)
      return std::nullopt;
    size_t own = operand->content->size();
    if (operand->rank() == 1) {
      if (dims.empty())
        dims = operand->dims;
      if (own != 1) {
        if (size != 1 && size != own)
          return std::nullopt;
        size = own;
        dims = operand->dims;
      }
    }
  }
  llvm::SmallVector<DimExpr> result;
  for (size_t i = 0; i < size; ++i) {
    llvm::SmallVector<DimExpr> elements;
    for (Imported *operand : operands) {
      size_t own = operand->content->size();
      if (own == 0)
        return std::nullopt;
      elements.push_back((*operand->content)[own == 1 ? 0 : i]);
    }
    std::optional<DimExpr> element = combine(elements);
    if (!element || element->overflowed())
      return std::nullopt;
    result.push_back(*element);
  }
  return std::pair(dims, result);
}
