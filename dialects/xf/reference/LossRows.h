//===- LossRows.h - What the references of losses share ------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_REFERENCE_LOSSROWS_H
#define DRAGOMAN_DIALECTS_XF_REFERENCE_LOSSROWS_H

#include "dialects/xf/reference/Reference.h"

namespace dragoman::xf {

/// The results of cross entropy for one row; all 0 for an ignored one.
struct RowLoss {
  double loss = 0, nll = 0, correct = 0, lse = 0;
};

/// Targets and attributes of a loss.
class LossRows {
public:
  template <typename Op>
  LossRows(ReferenceCall &call, Op op, int64_t vocabulary)
      : call(call), target(call.operand(op.getTarget())),
        classWeight(call.optional(op.getClassWeight())),
        forbidden(op.getForbidden()), vocabulary(vocabulary),
        smoothing(op.getSmoothing().convertToDouble()), ignore(op.getIgnore()),
        site(op.getSite()) {}

  /// An error unless there are `rows` targets and V class weights.
  Status fits(int64_t rows) const;
  /// 0 for an ignored row, else its class weight.
  double weight(int64_t row) const;
  /// The losses of row number `row` with the logits `x`. `dx`, if not null,
  /// gets the gradient of dloss * loss. Fails a check for a target outside
  /// 0..V-1.
  RowLoss evaluate(int64_t row, const double *x, double dloss, double *dx);

private:
  bool ignored(int64_t row) const { return target.integers()[row] == ignore; }
  int64_t gold(int64_t row) const; ///< clamped
  bool allowed(int64_t id) const { return !llvm::is_contained(forbidden, id); }

  ReferenceCall &call;
  const Tensor &target;
  const Tensor *classWeight;
  llvm::ArrayRef<int64_t> forbidden;
  int64_t vocabulary;
  double smoothing;
  int64_t ignore, site;
};

} // namespace dragoman::xf

#endif // DRAGOMAN_DIALECTS_XF_REFERENCE_LOSSROWS_H
