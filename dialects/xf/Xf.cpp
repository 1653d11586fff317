//===- Xf.cpp - Registration of the xf dialect -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/Xf.h"

#include "dialects/xf/Interfaces.cpp.inc"
#include "dialects/xf/XfDialect.cpp.inc"

using namespace dragoman;

void xf::XfDialect::initialize() {
#define XF_OP(Class, stem, ...) addOperations<xf::Class##Op>();
#include "dialects/xf/Ops.def"
  addOperations<xf::YieldOp>();
}

/// Checks `xf.dims`: one expression text per axis of the tensor it describes.
static mlir::LogicalResult verifyDims(mlir::Operation *op, mlir::Type type,
                                      mlir::Attribute value) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  auto dims = llvm::dyn_cast<mlir::ArrayAttr>(value);
  if (!tensor || !dims || static_cast<int64_t>(dims.size()) != tensor.getRank())
    return op->emitOpError("expected xf.dims to be an array with one dimension "
                           "expression per axis of ")
           << type << ", found " << value;
  for (auto [axis, attr] : llvm::enumerate(dims)) {
    auto text = llvm::dyn_cast<mlir::StringAttr>(attr);
    if (!text)
      return op->emitOpError("expected xf.dims to hold strings, found ")
             << attr;
    Result<DimExpr> expr = DimExpr::parse(text.getValue().str());
    if (!expr)
      return op->emitOpError("xf.dims axis ")
             << axis << ": " << expr.status().toString();
    int64_t size = tensor.getDimSize(axis);
    if (!mlir::ShapedType::isDynamic(size) && !expr->isConstant(size))
      return op->emitOpError("expected xf.dims axis ")
             << axis << " to be " << size << ", found " << text;
  }
  return mlir::success();
}

mlir::LogicalResult
xf::XfDialect::verifyRegionArgAttribute(mlir::Operation *op, unsigned region,
                                        unsigned argument,
                                        mlir::NamedAttribute attribute) {
  if (attribute.getName() != "xf.dims")
    return mlir::success();
  return verifyDims(op, op->getRegion(region).getArgument(argument).getType(),
                    attribute.getValue());
}
