//===- DimValues.h - Index values from dimension expressions -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_DIMVALUES_H
#define DRAGOMAN_DIALECTS_XF_DIMVALUES_H

#include "runtime/artifact/DimExpr.h"

#include "mlir/IR/Builders.h"

namespace dragoman::xf {

/// Gives the index value of a named dimension, or null where it has none.
using DimNameLookup = llvm::function_ref<mlir::Value(llvm::StringRef name)>;

/// Builds the index value of `expr` at the builder's place; null if a name has
/// no value.
mlir::Value buildDim(mlir::OpBuilder &builder, mlir::Location loc,
                     const DimExpr &expr, DimNameLookup lookup);

} // namespace dragoman::xf

#endif // DRAGOMAN_DIALECTS_XF_DIMVALUES_H
