//===- Attention.cpp - Reference of xf.attention --------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/Reference.h"

#include <cmath>
#include <limits>

using namespace dragoman;
using namespace dragoman::xf;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A rank-4 operand by meaning: strides of (batch, head, length, size).
struct View {
  std::array<int64_t, 4> size, stride;

  View(const Tensor &tensor, llvm::StringRef layout) {
    std::array<unsigned, 4> axes = AttentionOp::axes(layout);
    std::vector<int64_t> strides = tensor.strides();
    for (unsigned meaning = 0; meaning < 4; ++meaning) {
      size[meaning] = tensor.dim(axes[meaning]);
      stride[meaning] = strides[axes[meaning]];
    }
  }
  int64_t at(int64_t b, int64_t h, int64_t t) const {
    return b * stride[0] + h * stride[1] + t * stride[2];
  }
};

/// One evaluation: the operands by name, and the steps of SPEC.md.
struct Attention {
  ReferenceCall &call;
  AttentionOp op;
  const Tensor &qt, &kt, &vt;
  View q, k, v;
  const Tensor *bias, *mask, *keyCount, *offset, *rows;
  std::optional<BroadcastReader> biasAt, maskAt;
  bool rowsBroadcast = false;
  int64_t keys;
  std::vector<double> scores;

  Attention(ReferenceCall &call, AttentionOp op)
      : call(call), op(op), qt(call.operand(op.getQ())),
        kt(call.operand(op.getK())), vt(call.operand(op.getV())),
        q(qt, op.getQLayout()), k(kt, op.getKLayout()), v(vt, op.getVLayout()),
        bias(call.optional(op.getBias())), mask(call.optional(op.getMask())),
        keyCount(call.optional(op.getKeyCount())),
        offset(call.optional(op.getOffset())),
        rows(call.optional(op.getRows())) {
    keys = k.size[2];
    if (bias)
      biasAt.emplace(*bias, op.getBias().getType());
    if (mask)
      maskAt.emplace(*mask, op.getMask().getType());
    if (!rows)
      return;
    auto type = llvm::cast<mlir::RankedTensorType>(op.getRows().getType());
    rowsBroadcast = type.getDimSize(1) == 1;
    if (!rowsBroadcast)
      keys = std::min(keys, rows->dim(1));
  }

  Status checkSizes();
  bool visible(int64_t b, int64_t h, int64_t i, int64_t p, int64_t j);
  Result<int64_t> cacheRow(int64_t b, int64_t j) const;
  Status row(int64_t b, int64_t h, int64_t i, double *out, double &lse);
};

Status Attention::checkSizes() {
  if (op.getStarts())
    return Status(StatusCode::Unsupported,
                  "xf.attention with starts (packed rows) has no reference");
  if (v.size[0] != k.size[0] || v.size[2] != k.size[2])
    return sizeError("v to match k", kt.shape(), vt.shape());
  if (!rows && k.size[0] != q.size[0])
    return sizeError("the batch of k", {q.size[0]}, {k.size[0]});
  std::vector<int64_t> scoreShape = {q.size[0], q.size[1], q.size[2], keys};
  if (biasAt)
    DRAGOMAN_RETURN_IF_ERROR(biasAt->fits("bias", scoreShape));
  if (maskAt)
    DRAGOMAN_RETURN_IF_ERROR(maskAt->fits("mask", scoreShape, true));
  for (const Tensor *perRow : {keyCount, rows})
    if (perRow && perRow->dim(0) != q.size[0])
      return sizeError("key_count and rows", {q.size[0]}, {perRow->dim(0)});
  if (offset && offset->rank() == 1 && offset->dim(0) != q.size[0])
    return sizeError("offset", {q.size[0]}, offset->shape());
  return Status::ok();
}

bool Attention::visible(int64_t b, int64_t h, int64_t i, int64_t p, int64_t j) {
  if (op.getCausal() && j > p)
    return false;
  if (op.getLeft() >= 0 && j < p - op.getLeft())
    return false;
  if (op.getRight() >= 0 && j > p + op.getRight())
    return false;
  if (keyCount && j >= keyCount->integers()[b])
    return false;
  if (!mask)
    return true;
  int64_t at = maskAt->linear({b, h, i, j});
  return at >= 0 && mask->integers()[at];
}

Result<int64_t> Attention::cacheRow(int64_t b, int64_t j) const {
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

/// Steps 1 to 8 for one query row.
Status Attention::row(int64_t b, int64_t h, int64_t i, double *out,
                      double &lse) {
  int64_t d = q.size[3], dv = v.size[3];
  int64_t head = h / (q.size[1] / k.size[1]);
  int64_t p = i;
  if (offset)
    p += offset->integers()[offset->rank() ? b : 0];
  double scale = op.scaleOrDefault(), cap = op.getSoftcap().convertToDouble();
  const double *qRow = qt.floats() + q.at(b, h, i);

  // Steps 1 to 5; the maximum of step 6.
  double maximum = -infinity;
  scores.assign(keys, -infinity);
  llvm::SmallVector<std::pair<int64_t, int64_t>> seen; // key, cache row
  for (int64_t j = 0; j < keys; ++j) {
    if (!visible(b, h, i, p, j))
      continue;
    Result<int64_t> from = cacheRow(b, j);
    if (!from)
      return from.status();
    seen.push_back({j, *from});
    const double *kRow = kt.floats() + k.at(*from, head, j);
    double s = 0;
    for (int64_t c = 0; c < d; ++c)
      s += qRow[c] * kRow[c];
    s *= scale;
    if (cap > 0)
      s = cap * std::tanh(s / cap);
    if (bias)
      s += bias->floats()[biasAt->linear({b, h, i, j})];
    if (!op.getScore().empty())
      s = call.region(op.getScore(), s, b, h, p, j);
    scores[j] = s;
    if (s > maximum)
      maximum = s;
  }

  // Step 6. A NaN among the scores reaches the sum through exp.
  double sum = 0;
  bool poisoned = false;
  for (auto [j, from] : seen) {
    poisoned |= std::isnan(scores[j]);
    sum += std::exp(scores[j] - maximum);
  }
  std::fill(out, out + dv, 0.0);
  lse = -infinity;
  if (maximum == -infinity && !poisoned)
    return Status::ok();
  lse = maximum + std::log(sum);

  // Steps 7 and 8.
  for (auto [j, from] : seen) {
    double w = std::exp(scores[j] - maximum) / sum;
    if (!op.getProb().empty())
      w = call.region(op.getProb(), w, b, h, p, j);
    const double *vRow = vt.floats() + v.at(from, head, j);
    for (int64_t c = 0; c < dv; ++c)
      out[c] += w * vRow[c];
  }
  return Status::ok();
}

} // namespace

Status xf::referenceAttention(ReferenceCall &call, mlir::Operation *operation) {
  auto op = llvm::cast<AttentionOp>(operation);
  Attention attention(call, op);
  DRAGOMAN_RETURN_IF_ERROR(attention.checkSizes());
  int64_t batch = attention.q.size[0], heads = attention.q.size[1],
          length = attention.q.size[2], dv = attention.v.size[3];
  std::vector<int64_t> shape(4);
  std::array<unsigned, 4> axes = AttentionOp::axes(op.getOutLayout());
  shape[axes[0]] = batch;
  shape[axes[1]] = heads;
  shape[axes[2]] = length;
  shape[axes[3]] = dv;
  Tensor out = call.makeResult(0, shape);
  Tensor lse = call.makeResult(1, {batch, heads, length});
  View outView(out, op.getOutLayout());
  double *outData = out.mutableFloats(), *lseData = lse.mutableFloats();
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < length; ++i)
        DRAGOMAN_RETURN_IF_ERROR(
            attention.row(b, h, i, outData + outView.at(b, h, i),
                          lseData[(b * heads + h) * length + i]));
  call.results = {out, lse};
  return Status::ok();
}
