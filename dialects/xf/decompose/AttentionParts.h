//===- AttentionParts.h - Scores and visibility as tensors ------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_DECOMPOSE_ATTENTIONPARTS_H
#define DRAGOMAN_DIALECTS_XF_DECOMPOSE_ATTENTIONPARTS_H

#include "dialects/xf/decompose/TensorBuilder.h"
#include "dialects/xf/ops/AttentionForm.h"

namespace dragoman::xf {

/// The steps of SPEC.md's `attention` as tensors over [B,H,T,S], for the op
/// that `form` was read from.
class AttentionParts {
public:
  AttentionParts(const AttentionForm &form, mlir::OpBuilder &builder);

  /// The operand with axes [batch, heads, length, size].
  mlir::Value meaning(mlir::Value tensor, llvm::StringRef layout);
  /// k or v as [B,H,S,size] in acc: heads repeated, rows gathered.
  mlir::Value keysOrValues(mlir::Value tensor, llvm::StringRef layout);
  /// Step 1 as [B,H,T,S] from q and k in acc.
  mlir::Value product(mlir::Value q, mlir::Value k);
  /// Steps 2 to 4 of a product.
  mlir::Value scores(mlir::Value product);
  /// Steps 2 and 3 as a tensor; the product itself if there are none.
  mlir::Value biased(mlir::Value product);
  /// Step 5 as i1 [B,H,T,S], or null if every key is visible.
  mlir::Value visibility();
  /// Step 9, and its gradient: the tensor [B,H,T,S] with dropped entries zero.
  mlir::Value dropped(mlir::Value tensor);
  /// Inlines a region over (b, h, i, j) = loops 0 to 3: its arguments are
  /// `value`, the position, and `rest`; returns operand `result` of its
  /// terminator.
  mlir::Value inlineRegion(ScalarBuilder &scalar, mlir::Region &region,
                           mlir::Value value, mlir::ValueRange rest = {},
                           unsigned result = 0);

  TensorBuilder tensors;
  mlir::Type acc;
  mlir::OpFoldResult keys;
  llvm::SmallVector<mlir::OpFoldResult> scoreSizes; // B, H, T, S

private:
  mlir::OpFoldResult keyCount();
  mlir::Value position(ScalarBuilder &scalar, mlir::Value b, mlir::Value i);
  mlir::Value paddedMask();

  AttentionForm form;
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace dragoman::xf

#endif // DRAGOMAN_DIALECTS_XF_DECOMPOSE_ATTENTIONPARTS_H
