//===- Table.h - The operators that can be imported -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_ONNX_OPS_TABLE_H
#define DRAGOMAN_FRONTENDS_ONNX_OPS_TABLE_H

#include "frontends/onnx/NodeImport.h"

namespace dragoman::onnx {

/// Sets the outputs of a node of one operator, or emits an error.
using Converter = mlir::LogicalResult (*)(NodeImport &import);

/// The converter of the node's operator, or null.
Converter findConverter(const Node &node);

#define ONNX_OP(Name) mlir::LogicalResult import##Name(NodeImport &import);
#include "frontends/onnx/ops/Ops.def"

} // namespace dragoman::onnx

#endif // DRAGOMAN_FRONTENDS_ONNX_OPS_TABLE_H
