//===- AttentionScores.cpp - Steps 1 to 5 of attention by loops -----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/AttentionScores.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::xf;

AttentionView::AttentionView(const Tensor &tensor, llvm::StringRef layout) {
  std::array<unsigned, 4> axes = AttentionOp::axes(layout);
  std::vector<int64_t> strides = tensor.strides();
  for (unsigned meaning = 0; meaning < 4; ++meaning) {
    size[meaning] = tensor.dim(axes[meaning]);
    stride[meaning] = strides[axes[meaning]];
  }
}

AttentionScores::AttentionScores(ReferenceCall &call, const AttentionForm &form)
    : call(call), form(form), qt(call.operand(form.q)),
      kt(call.operand(form.k)), vt(call.operand(form.v)), q(qt, form.qLayout),
      k(kt, form.kLayout), v(vt, form.vLayout), bias(call.optional(form.bias)),
      mask(call.optional(form.mask)), keyCount(call.optional(form.keyCount)),
      offset(call.optional(form.offset)), rows(call.optional(form.rows)),
      rowKey(call.optional(form.rowKey)) {
  if (form.dropout > 0)
    draws.emplace(call.operand(form.seed).integers()[0], form.site,
                  form.dropout);
  keys = k.size[2];
  if (bias)
    biasAt.emplace(*bias, form.bias.getType());
  if (mask)
    maskAt.emplace(*mask, form.mask.getType());
  if (!rows)
    return;
  auto type = llvm::cast<mlir::RankedTensorType>(form.rows.getType());
  rowsBroadcast = type.getDimSize(1) == 1;
  if (!rowsBroadcast)
    keys = std::min(keys, rows->dim(1));
}

Status AttentionScores::checkSizes() {
  if (v.size[0] != k.size[0] || v.size[2] != k.size[2])
    return sizeError("v to match k", kt.shape(), vt.shape());
  if (!rows && k.size[0] != q.size[0])
    return sizeError("the batch of k", {q.size[0]}, {k.size[0]});
  std::vector<int64_t> scoreShape = {q.size[0], q.size[1], q.size[2], keys};
  if (biasAt)
    DRAGOMAN_RETURN_IF_ERROR(biasAt->fits("bias", scoreShape));
  if (maskAt)
    DRAGOMAN_RETURN_IF_ERROR(maskAt->fits("mask", scoreShape, true));
  for (const Tensor *perRow : {keyCount, rows, rowKey})
    if (perRow && perRow->dim(0) != q.size[0])
      return sizeError("key_count, rows and row_key", {q.size[0]},
                       {perRow->dim(0)});
  if (offset && offset->rank() == 1 && offset->dim(0) != q.size[0])
    return sizeError("offset", {q.size[0]}, offset->shape());
  return Status::ok();
}

int64_t AttentionScores::position(int64_t b, int64_t i) const {
  return offset ? i + offset->integers()[offset->rank() ? b : 0] : i;
}

bool AttentionScores::visible(int64_t b, int64_t h, int64_t i, int64_t j) {
  int64_t p = position(b, i);
  if (form.causal && j > p)
    return false;
  if (form.left >= 0 && j < p - form.left)
    return false;
  if (form.right >= 0 && j > p + form.right)
    return false;
  if (keyCount && j >= keyCount->integers()[b])
    return false;
  if (!mask)
    return true;
  int64_t at = maskAt->linear({b, h, i, j});
  return at >= 0 && mask->integers()[at];
}

Result<int64_t> AttentionScores::cacheRow(int64_t b, int64_t j) const {
  if (!rows)
    return b;
  int64_t row = rows->integers()[b * rows->dim(1) + (rowsBroadcast ? 0 : j)];
  if (row < 0 || row >= k.size[0])
    return Status(StatusCode::InvalidArgument,
                  "expected rows[" + std::to_string(b) + "," +
                      std::to_string(j) + "] in 0.." +
                      std::to_string(k.size[0] - 1) + ", found " +
                      std::to_string(row));
  return row;
}

double AttentionScores::kept(int64_t b, int64_t h, int64_t i, int64_t j) const {
  if (!draws)
    return 1;
  bool keep = draws->keep(rowKey->integers()[b], h * (1 << 20) + i, j);
  return keep ? draws->scale() : 0;
}

AttentionScores::Score AttentionScores::score(int64_t b, int64_t h, int64_t i,
                                              int64_t j, int64_t from) {
  int64_t head = h / (q.size[1] / k.size[1]);
  const double *qRow = qt.floats() + q.at(b, h, i);
  const double *kRow = kt.floats() + k.at(from, head, j);
  Score s = {};
  for (int64_t c = 0; c < q.size[3]; ++c)
    s.product += qRow[c] * kRow[c];
  s.product *= form.scale;
  s.biased = s.product;
  if (form.softcap > 0)
    s.biased = form.softcap * std::tanh(s.product / form.softcap);
  if (bias)
    s.biased += bias->floats()[biasAt->linear({b, h, i, j})];
  s.final = s.biased;
  if (form.score)
    s.final = call.region(*form.score, s.biased, b, h, position(b, i), j);
  return s;
}
