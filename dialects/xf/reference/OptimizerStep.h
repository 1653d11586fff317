//===- OptimizerStep.h - What the references of optimisers share ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_REFERENCE_OPTIMIZERSTEP_H
#define DRAGOMAN_DIALECTS_XF_REFERENCE_OPTIMIZERSTEP_H

#include "dialects/xf/reference/Reference.h"

namespace dragoman::xf {

/// The scalars of one update.
class OptimizerStep {
public:
  template <typename Op> OptimizerStep(ReferenceCall &call, Op op) {
    lr = call.operand(op.getLr()).floats()[0];
    number = call.operand(op.getStep()).integers()[0];
    if (const Tensor *given = call.optional(op.getScale()))
      scale = given->floats()[0];
    if (const Tensor *given = call.optional(op.getSkip()))
      skipped = given->integers()[0] != 0;
    decay = op.getDecay().convertToDouble();
    decoupled = op.getDecoupled();
    decayEnd = op.getDecayEnd();
  }

  /// The gradient of element i of value p, scaled, with coupled decay.
  double gradient(int64_t i, double g, double p) const {
    return g * scale + (decoupled ? 0.0 : decayOf(i) * p);
  }
  /// What decoupled decay takes from element i of value p.
  double shrinkage(int64_t i, double p) const {
    return decoupled ? lr * decayOf(i) * p : 0.0;
  }

  double lr = 0;
  int64_t number = 1;   ///< of the update, from 1
  bool skipped = false; ///< the results are the operands

private:
  double decayOf(int64_t i) const {
    return decayEnd < 0 || i < decayEnd ? decay : 0.0;
  }

  double scale = 1, decay = 0;
  bool decoupled = false;
  int64_t decayEnd = -1;
};

} // namespace dragoman::xf

#endif // DRAGOMAN_DIALECTS_XF_REFERENCE_OPTIMIZERSTEP_H
