//===- AttentionForm.h - What attention and its gradient share --*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_OPS_ATTENTIONFORM_H
#define DRAGOMAN_DIALECTS_XF_OPS_ATTENTIONFORM_H

#include "dialects/xf/Xf.h"

namespace dragoman::xf {

/// The scores and weights of SPEC.md's `attention`, steps 1 to 8, whichever op
/// states them. Absent operands and regions are null.
struct AttentionForm {
  explicit AttentionForm(AttentionOp op);
  explicit AttentionForm(AttentionGradOp op);
  /// Keys stand for the values, which the weights do not need.
  explicit AttentionForm(AttentionWeightsOp op);

  mlir::Value q, k, v, bias, mask, keyCount, offset, rows, lse, seed, rowKey;
  mlir::Region *score = nullptr, *prob = nullptr;
  bool causal;
  int64_t left, right;
  double scale, softcap, dropout;
  int64_t site;
  llvm::StringRef qLayout, kLayout, vLayout, outLayout;
  int64_t heads, keyHeads, headSize, valueSize;
  mlir::Operation *op;
};

/// True if the CPU computes the gradient without storing all scores: not with a
/// probability region, the gradient of a bias, or that of a captured tensor of
/// rank 2 or more.
bool hasKernel(AttentionGradOp op);

} // namespace dragoman::xf

#endif // DRAGOMAN_DIALECTS_XF_OPS_ATTENTIONFORM_H
