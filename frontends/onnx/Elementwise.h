//===- Elementwise.h - Broadcasting elementwise operations -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_ONNX_ELEMENTWISE_H
#define DRAGOMAN_FRONTENDS_ONNX_ELEMENTWISE_H

#include "frontends/onnx/NodeImport.h"

namespace dragoman::onnx {

/// Builds the scalar result of one element from the scalar operands.
using ScalarBody = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange operands)>;

/// The broadcast shape. A dimension broadcasts only if it is proved 1; two
/// others are unified, by a check at entry where they cannot be proved equal.
mlir::FailureOr<Dims> broadcastDims(NodeImport &import,
                                    llvm::ArrayRef<Imported *> operands);

/// One linalg.generic over the broadcast operands; constants of one value
/// become constants of its body. The result has element type `code`.
mlir::FailureOr<Imported> elementwise(NodeImport &import,
                                      llvm::ArrayRef<Imported *> operands,
                                      int32_t code, ScalarBody body);

/// Combines known contents element by element (rank 0 and 1, broadcasting size
/// 1); nothing if a content is unknown or `combine` cannot tell one element.
std::optional<std::pair<Dims, llvm::SmallVector<DimExpr>>> combineContents(
    llvm::ArrayRef<Imported *> operands,
    llvm::function_ref<std::optional<DimExpr>(llvm::ArrayRef<DimExpr>)>
        combine);

} // namespace dragoman::onnx

#endif // DRAGOMAN_FRONTENDS_ONNX_ELEMENTWISE_H
