//===- ToyModel.h - A model small enough to check by hand -------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A StepModel whose logits are any function of the source and the history. The
// history is read back through the cell rows of a batch, out of caches that
// hold token ids, so a wrong row shows as a wrong history; reading a cell that
// was never written, or writing one twice in a step, is a failure.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TEST_RUNTIME_DECODE_TOYMODEL_H
#define DRAGOMAN_TEST_RUNTIME_DECODE_TOYMODEL_H

#include "runtime/decode/EditRules.h"
#include "runtime/decode/SentenceSearch.h"
#include "runtime/decode/StepModel.h"

#include <functional>

namespace dragoman::test {

/// logit of `id` after `history` (start token first).
using LogitFunction =
    std::function<double(const std::vector<int32_t> &source,
                         const std::vector<int32_t> &history, int32_t id)>;

/// The toy of the pinned table: vocabulary 6, end 0, pad = start 5.
double pinnedLogit(const std::vector<int32_t> &source,
                   const std::vector<int32_t> &history, int32_t id);

/// A function of all its arguments that looks random.
LogitFunction randomLogits(uint64_t seed);

/// The entry `select` for one row, by its contract, in plain loops.
void selectRow(std::vector<double> logits, const std::vector<Edit> &edits,
               int64_t count, int64_t normalize, float *values, int32_t *ids,
               float *logSumExp);

class ToyModel : public StepModel {
public:
  ToyModel(const ModelLimits &limits, LogitFunction logits)
      : modelLimits(limits), logits(std::move(logits)) {}

  const ModelLimits &limits() const override { return modelLimits; }
  Result<int64_t> peakBytes(const WorkShape &shape) const override;
  Status reserve(const CacheShape &shape) override;
  Status encode(const EncodeBatch &batch) override;
  Status decode(const DecodeBatch &batch) override;
  Status select(const SelectBatch &batch, SelectOutput &output) override;

  CacheShape shape;
  int64_t widestDecode = 0; ///< most rows in one decode
  int64_t reserves = 0;
  /// A source that holds this id makes encode fail.
  int32_t poison = -1;

private:
  ModelLimits modelLimits;
  LogitFunction logits;
  std::vector<std::vector<int32_t>> cells;   ///< [Rows][Cap], -1 = unwritten
  std::vector<std::vector<int32_t>> sources; ///< [SrcRows], padded
  std::vector<std::vector<double>> lastLogits;
};

/// The same search without batch or caches: every hypothesis carries its own
/// history.
SearchResult searchAlone(const EditRules &rules, const ModelLimits &limits,
                         const std::vector<int32_t> &source,
                         const LogitFunction &logits, int *steps = nullptr);

} // namespace dragoman::test

#endif // DRAGOMAN_TEST_RUNTIME_DECODE_TOYMODEL_H
