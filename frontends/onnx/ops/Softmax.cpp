//===- Softmax.cpp - Softmax, LogSoftmax and normalisations -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/Views.h"
#include "frontends/onnx/ops/Table.h"

#include "dialects/xf/Xf.h"

using namespace dragoman;
using namespace dragoman::onnx;
using mlir::LogicalResult;
using mlir::Value;

/// Before opset 13 the default axis is 1 and all axes from it on are one.
template <typename Op> static LogicalResult softmax(NodeImport &import) {
  if (failed(import.expectInputs(1)))
    return mlir::failure();
  Imported &x = import.in(0);
  if (!x.isFloat())
    return import.error("expected a float tensor, found " +
                        elementName(x.type));
  bool flattens = import.opset() < 13;
  auto given = import.intAttr("axis", flattens ? 1 : -1);
  if (failed(given))
    return mlir::failure();
  auto axis = import.axis(*given, x.rank());
  if (failed(axis))
    return mlir::failure();
  Value value = import.value(0);
  Dims dims = x.dims;
  if (flattens && *axis + 1 < x.rank()) {
    DimExpr rest(1);
    for (int64_t i = *axis; i < x.rank(); ++i)
      rest *= x.dims[i];
    dims.resize(*axis);
    dims.push_back(rest);
    auto flat = reshape(import, value, x.dims, dims);
    if (failed(flat))
      return mlir::failure();
    value = *flat;
  }
  Value result = Op::create(import.builder, import.loc, value.getType(), value,
                            Value(), Value(), *axis);
  auto shaped = reshape(import, result, dims, x.dims);
  if (failed(shaped))
    return mlir::failure();
  import.set(0, *shaped, x.type, x.dims);
  return mlir::success();
}

LogicalResult onnx::importSoftmax(NodeImport &import) {
  return softmax<xf::SoftmaxOp>(import);
}
LogicalResult onnx::importLogSoftmax(NodeImport &import) {
  return softmax<xf::LogSoftmaxOp>(import);
}

LogicalResult onnx::importLayerNormalization(NodeImport &import) {
  if (failed(import.expectInputs(2, 3)))
    return mlir::failure();
  Imported &x = import.in(0);
  auto given = import.intAttr("axis", -1);
  auto eps = import.floatAttr("epsilon", 1e-5);
  auto stash = import.intAttr("stash_type", 1);
  if (failed(given) || failed(eps) || failed(stash))
    return mlir::failure();
  auto axis = import.axis(*given, x.rank());
  if (failed(axis))
    return mlir::failure();
  if (!x.isFloat() || *stash != 1)
    return import.error("expected a float tensor and stash_type 1");
  Value bias = import.has(2) ? import.value(2) : Value();
  Value value = import.value(0);
  Value result = xf::LayerNormOp::create(
      import.builder, import.loc, value.getType(), value, import.value(1), bias,
      llvm::APFloat(*eps), x.rank() - *axis);
  import.set(0, result, x.type, x.dims);
  return mlir::success();
}

LogicalResult onnx::importRMSNormalization(NodeImport &import) {
  if (failed(import.expectInputs(2)))
    return mlir::failure();
  Imported &x = import.in(0);
  auto given = import.intAttr("axis", -1);
  auto eps = import.floatAttr("epsilon", 1e-5);
  if (failed(given) || failed(eps))
    return mlir::failure();
  auto axis = import.axis(*given, x.rank());
  if (failed(axis))
    return mlir::failure();
  if (!x.isFloat())
    return import.error("expected a float tensor, found " +
                        elementName(x.type));
  Value value = import.value(0);
  Value result = xf::RmsNormOp::create(import.builder, import.loc,
                                       value.getType(), value, import.value(1),
                                       llvm::APFloat(*eps), x.rank() - *axis);
  import.set(0, result, x.type, x.dims);
  return mlir::success();
}
