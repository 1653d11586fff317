//===- AttentionGrad.cpp - Reference of xf.attention_grad -----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/AttentionScores.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::xf;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// One evaluation: the operands, and the gradients that it adds into.
class Gradient {
public:
  Gradient(ReferenceCall &call, AttentionGradOp op)
      : op(op), in(call, AttentionForm(op)),
        doutTensor(call.operand(op.getDout())),
        dout(doutTensor, op.getOutLayout()), lse(call.operand(op.getLse())),
        dlse(call.optional(op.getDlse())) {}

  Status checkSizes();
  Status run(ReferenceCall &call);

private:
  struct Entry {
    int64_t j;
    AttentionScores::Score score;
    double weight, used, dweight; ///< after step 7, after 9, gradient of weight
  };

  Status row(int64_t b, int64_t h, int64_t i);
  Result<Entry> entry(int64_t b, int64_t h, int64_t i, int64_t j,
                      const AttentionScores::Score &score, double rowLse);
  /// Derivative through a region; adds those of the elements that it reads.
  Status reverse(mlir::Region &region, llvm::ArrayRef<int64_t> reads,
                 double value, double cotangent,
                 std::array<int64_t, 4> position, double &result);

  AttentionGradOp op;
  AttentionScores in;
  const Tensor &doutTensor;
  AttentionView dout;
  const Tensor &lse, *dlse;
  Tensor dq, dk, dv, dbias;
  llvm::SmallVector<int64_t> captures;
  std::vector<Tensor> dcaptures;
};

} // namespace

Status Gradient::checkSizes() {
  DRAGOMAN_RETURN_IF_ERROR(in.checkSizes());
  std::vector<int64_t> rows = {in.q.size[0], in.q.size[1], in.q.size[2]};
  for (const Tensor *tensor : {&lse, dlse})
    if (tensor && tensor->shape() != rows)
      return sizeError("lse and dlse", rows, tensor->shape());
  std::vector<int64_t> all = {rows[0], rows[1], rows[2], in.v.size[3]};
  std::vector<int64_t> found(dout.size.begin(), dout.size.end());
  return found == all ? Status::ok() : sizeError("dout", all, found);
}

Status Gradient::reverse(mlir::Region &region, llvm::ArrayRef<int64_t> reads,
                         double value, double cotangent,
                         std::array<int64_t, 4> position, double &result) {
  llvm::SmallVector<double> arguments = {value};
  arguments.append(position.begin(), position.end());
  arguments.push_back(cotangent);
  llvm::SmallVector<double> results;
  in.call.evaluate(region, arguments, results);
  result = results[0];
  unsigned next = 1;
  for (int64_t read : reads) {
    Tensor &gradient = dcaptures[llvm::find(captures, read) - captures.begin()];
    double derivative = results[next++];
    // Axes of the gradient: b, key head, and those of the capture.
    int64_t head = position[1] / (in.q.size[1] / in.k.size[1]);
    int64_t linear = position[0] * in.k.size[1] + head;
    for (int64_t size : llvm::ArrayRef(gradient.shape()).drop_front(2)) {
      auto index = static_cast<int64_t>(results[next++]);
      if (index < 0 || index >= size)
        return Status(StatusCode::InvalidArgument,
                      "expected reads of a capture inside its axis of " +
                          std::to_string(size) + ", found " +
                          std::to_string(index));
      linear = linear * size + index;
    }
    gradient.mutableFloats()[linear] += derivative;
  }
  return Status::ok();
}

/// Steps 7 to 9 for one entry, and the gradient of its weight.
Result<Gradient::Entry> Gradient::entry(int64_t b, int64_t h, int64_t i,
                                        int64_t j,
                                        const AttentionScores::Score &score,
                                        double rowLse) {
  int64_t p = in.position(b, i), head = h / (in.q.size[1] / in.k.size[1]);
  Entry e = {j, score, std::exp(score.final - rowLse), 0, 0};
  e.used = e.weight;
  if (in.form.prob)
    e.used = in.call.region(*in.form.prob, e.weight, b, h, p, j);
  double kept = in.kept(b, h, i, j);
  e.used *= kept;
  const double *doutRow = doutTensor.floats() + dout.at(b, h, i);
  const double *vRow = in.vt.floats() + in.v.at(b, head, j);
  for (int64_t c = 0; c < in.v.size[3]; ++c)
    e.dweight += doutRow[c] * vRow[c];
  e.dweight *= kept;
  if (in.form.prob)
    DRAGOMAN_RETURN_IF_ERROR(reverse(op.getProbReverse(), op.getProbReads(),
                                     e.weight, e.dweight, {b, h, p, j},
                                     e.dweight));
  return e;
}

Status Gradient::row(int64_t b, int64_t h, int64_t i) {
  int64_t at = (b * in.q.size[1] + h) * in.q.size[2] + i;
  double rowLse = lse.floats()[at];
  if (rowLse == -infinity)
    return Status::ok();

  // G1: the entries that take part.
  llvm::SmallVector<Entry> entries;
  for (int64_t j = 0; j < in.keys; ++j) {
    if (!in.visible(b, h, i, j))
      continue;
    AttentionScores::Score score = in.score(b, h, i, j, b);
    if (score.final == -infinity)
      continue;
    Result<Entry> found = entry(b, h, i, j, score, rowLse);
    if (!found)
      return found.status();
    entries.push_back(*found);
  }
  // G2: through the softmax.
  double mean = dlse ? -dlse->floats()[at] : 0;
  for (const Entry &e : entries)
    mean += e.weight * e.dweight;

  int64_t head = h / (in.q.size[1] / in.k.size[1]), d = in.q.size[3];
  const double *qRow = in.qt.floats() + in.q.at(b, h, i);
  const double *doutRow = doutTensor.floats() + dout.at(b, h, i);
  double *dqRow = dq.mutableFloats() + in.q.at(b, h, i);
  for (const Entry &e : entries) {
    const double *kRow = in.kt.floats() + in.k.at(b, head, e.j);
    double *dkRow = dk.mutableFloats() + in.k.at(b, head, e.j);
    double *dvRow = dv.mutableFloats() + in.v.at(b, head, e.j);
    // G3: back through score region, bias, softcap and scale.
    double ds = e.weight * (e.dweight - mean);
    if (in.form.score)
      DRAGOMAN_RETURN_IF_ERROR(reverse(op.getScoreReverse(), op.getScoreReads(),
                                       e.score.biased, ds,
                                       {b, h, in.position(b, i), e.j}, ds));
    if (op.getDbias())
      dbias.mutableFloats()[in.biasAt->linear({b, h, i, e.j})] += ds;
    if (in.form.softcap > 0) {
      double t = std::tanh(e.score.product / in.form.softcap);
      ds *= 1 - t * t;
    }
    ds *= in.form.scale;
    // G4: the products.
    for (int64_t c = 0; c < d; ++c) {
      dqRow[c] += ds * kRow[c];
      dkRow[c] += ds * qRow[c];
    }
    for (int64_t c = 0; c < in.v.size[3]; ++c)
      dvRow[c] += e.used * doutRow[c];
  }
  return Status::ok();
}

Status Gradient::run(ReferenceCall &call) {
  dq = call.makeResult(0, in.qt.shape());
  dk = call.makeResult(1, in.kt.shape());
  dv = call.makeResult(2, in.vt.shape());
  unsigned number = 3;
  if (op.getDbias())
    dbias = call.makeResult(number++, in.bias->shape());
  captures = op.differentiatedCaptures();
  for (int64_t capture : captures) {
    std::vector<int64_t> shape = {in.q.size[0], in.k.size[1]};
    const Tensor &tensor = call.operand(op.getCaptures()[capture]);
    shape.insert(shape.end(), tensor.shape().begin(), tensor.shape().end());
    dcaptures.push_back(call.makeResult(number++, shape));
  }
  for (int64_t b = 0; b < in.q.size[0]; ++b)
    for (int64_t h = 0; h < in.q.size[1]; ++h)
      for (int64_t i = 0; i < in.q.size[2]; ++i)
        DRAGOMAN_RETURN_IF_ERROR(row(b, h, i));
  call.results = {dq, dk, dv};
  if (op.getDbias())
    call.results.push_back(dbias);
  call.results.append(dcaptures.begin(), dcaptures.end());
  return Status::ok();
}

Status xf::referenceAttentionGrad(ReferenceCall &call,
                                  mlir::Operation *operation) {
  Gradient gradient(call, llvm::cast<AttentionGradOp>(operation));
  DRAGOMAN_RETURN_IF_ERROR(gradient.checkSizes());
  return gradient.run(call);
}
