//===- Views.h - Reshapes and slices with known dimensions -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_ONNX_VIEWS_H
#define DRAGOMAN_FRONTENDS_ONNX_VIEWS_H

#include "frontends/onnx/NodeImport.h"

namespace dragoman::onnx {

/// The same elements in row-major order under new dimensions, whose product
/// must be the old one's (checked at entry where it cannot be proved): collapse
/// and expand of the smallest groups of axes that match.
mlir::FailureOr<mlir::Value> reshape(NodeImport &import, mlir::Value value,
                                     llvm::ArrayRef<DimExpr> from,
                                     llvm::ArrayRef<DimExpr> to);

/// A rectangular part: size `sizes`, first element at `offsets`, every
/// `strides`-th element.
mlir::Value slice(NodeImport &import, mlir::Value value,
                  llvm::ArrayRef<DimExpr> offsets,
                  llvm::ArrayRef<DimExpr> sizes,
                  llvm::ArrayRef<int64_t> strides, int32_t code);

/// The axes in the order of `permutation`; `from` are the dimensions of
/// `value`.
mlir::Value transpose(NodeImport &import, mlir::Value value,
                      llvm::ArrayRef<DimExpr> from,
                      llvm::ArrayRef<int64_t> permutation);

} // namespace dragoman::onnx

#endif // DRAGOMAN_FRONTENDS_ONNX_VIEWS_H
