//===- AttentionScores.h - Steps 1 to 5 of attention by loops ---*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_REFERENCE_ATTENTIONSCORES_H
#define DRAGOMAN_DIALECTS_XF_REFERENCE_ATTENTIONSCORES_H

#include "dialects/xf/ops/AttentionForm.h"
#include "dialects/xf/reference/Philox.h"
#include "dialects/xf/reference/Reference.h"

#include <limits>

namespace dragoman::xf {

/// A rank-4 operand by meaning: strides of (batch, head, length, size).
struct AttentionView {
  std::array<int64_t, 4> size, stride;

  AttentionView(const Tensor &tensor, llvm::StringRef layout);
  int64_t at(int64_t b, int64_t h, int64_t t) const {
    return b * stride[0] + h * stride[1] + t * stride[2];
  }
};

/// One evaluation of attention or of its gradient: the operands by name, and
/// the steps of SPEC.md up to the scores.
struct AttentionScores {
  AttentionScores(ReferenceCall &call, const AttentionForm &form);

  /// An error if the sizes of the operands do not fit.
  Status checkSizes();
  /// The absolute position of query i of row b.
  int64_t position(int64_t b, int64_t i) const;
  bool visible(int64_t b, int64_t h, int64_t i, int64_t j);
  /// The row of k and v that holds key j of row b.
  Result<int64_t> cacheRow(int64_t b, int64_t j) const;

  /// A score after step 1, step 3 and step 4.
  struct Score {
    double product, biased, final;
  };
  Score score(int64_t b, int64_t h, int64_t i, int64_t j, int64_t from);
  /// Step 9: what a weight is multiplied with, 0 if it is dropped.
  double kept(int64_t b, int64_t h, int64_t i, int64_t j) const;

  ReferenceCall &call;
  AttentionForm form;
  const Tensor &qt, &kt, &vt;
  AttentionView q, k, v;
  const Tensor *bias, *mask, *keyCount, *offset, *rows, *rowKey;
  std::optional<DropoutDraws> draws;
  std::optional<BroadcastReader> biasAt, maskAt;
  bool rowsBroadcast = false;
  int64_t keys;
};

} // namespace dragoman::xf

#endif // DRAGOMAN_DIALECTS_XF_REFERENCE_ATTENTIONSCORES_H
