//===- NearTie.h - Why a search took another way ----------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two right implementations may differ where two candidates score the same but
// for rounding. This shows it: it repeats the search of one sentence up to the
// first step at which the other implementation's result is lost, and says by
// how much.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TEST_E2E_NEARTIE_H
#define DRAGOMAN_TEST_E2E_NEARTIE_H

#include "runtime/decode/BatchDecoder.h"

#include <string>
#include <vector>

namespace dragoman::test {

/// Where and by how much `reference` lost.
struct Difference {
  int64_t step = 0; ///< from 0
  /// Score of what was kept instead, minus its own: log-probabilities, or
  /// final scores if it was finished and not the best.
  double gap = 0;
  std::string reason;
};

/// `reference` is a result (ids without start token) that our search of
/// `source` did not end with.
Result<Difference> explainDifference(StepModel &model, const EditRules &rules,
                                     const SourceIds &source,
                                     const std::vector<int32_t> &reference);

} // namespace dragoman::test

#endif // DRAGOMAN_TEST_E2E_NEARTIE_H
