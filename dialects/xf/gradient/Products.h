//===- Products.h - xf.matmul with its type inferred ----------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_GRADIENT_PRODUCTS_H
#define DRAGOMAN_DIALECTS_XF_GRADIENT_PRODUCTS_H

#include "dialects/xf/decompose/TensorBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dragoman::xf {

/// alpha * a . b of one rank; a flag takes the transpose of the last two axes.
inline mlir::Value buildProduct(TensorBuilder &tensors, mlir::Value a,
                                bool transposeA, mlir::Value b, bool transposeB,
                                double alpha = 1.0) {
  mlir::RankedTensorType left = tensorType(a), right = tensorType(b);
  unsigned rank = left.getRank();
  llvm::SmallVector<int64_t> shape(left.getShape());
  for (unsigned axis = 0; axis + 2 < rank; ++axis)
    if (shape[axis] == 1)
      shape[axis] = right.getDimSize(axis);
  shape[rank - 2] = left.getDimSize(transposeA ? rank - 1 : rank - 2);
  shape[rank - 1] = right.getDimSize(transposeB ? rank - 2 : rank - 1);
  return MatmulOp::create(
      tensors.builder, tensors.loc,
      mlir::RankedTensorType::get(shape, left.getElementType()), a, b,
      transposeA, transposeB, llvm::APFloat(alpha));
}

} // namespace dragoman::xf

#endif // DRAGOMAN_DIALECTS_XF_GRADIENT_PRODUCTS_H
