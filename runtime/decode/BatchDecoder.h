//===- BatchDecoder.h - Many sentences through one model --------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs sentences ragged: every row has its own position, a finished sentence
// leaves at once, and waiting ones take its place. What comes out for a
// sentence does not depend on the others, on the batch sizes or on padding.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_DECODE_BATCHDECODER_H
#define DRAGOMAN_RUNTIME_DECODE_BATCHDECODER_H

#include "runtime/decode/RowTable.h"
#include "runtime/decode/SentenceSearch.h"
#include "runtime/decode/StepModel.h"

#include <atomic>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace dragoman {

/// How sentences share a batch. None of these changes a result.
struct BatchOptions {
  int64_t batchTokens = 4096; ///< live rows x longest source in the batch
  int64_t maxRows = 256;      ///< live rows
  int64_t encodeTokens = 240; ///< padded tokens of one encoder run: its
                              ///< activations stay in the second-level cache
  int64_t extraPadding = 0;   ///< columns behind the longest source (tests)
  int64_t memoryLimit = 0;    ///< bytes beside the weights; 0 = none
};

/// Counters of all runs so far.
struct BatchStatistics {
  int64_t sourceTokens = 0;
  int64_t targetTokens = 0; ///< of the best hypotheses, end token included
  int64_t decodeSteps = 0;
  int64_t decodeRows = 0; ///< sum of live rows over the steps
  int64_t restarted = 0;  ///< sentences that were run again alone
  int64_t plannedPeak = 0;
  double encodeSeconds = 0;
  double decodeSeconds = 0;
};

/// A tokenised source: at least one id, the end token included.
using SourceIds = std::vector<int32_t>;

class BatchDecoder {
public:
  /// Called once per sentence, in the order in which they finish.
  using ResultHandler = std::function<void(size_t sentence, SearchResult)>;

  /// `model` and `rules` outlive the decoder.
  BatchDecoder(StepModel &model, const EditRules &rules,
               const BatchOptions &options);

  /// Runs all sentences. A sentence that fails has an error in its result and
  /// does not disturb the others; the Status is about the job as a whole.
  Status run(std::span<const SourceIds> sentences, const ResultHandler &handler,
             const std::atomic<bool> *cancel = nullptr);

  const BatchStatistics &statistics() const { return counters; }

private:
  struct Active {
    size_t sentence;
    int32_t sourceRow;
    size_t handle; ///< in the row table
    SentenceSearch search;
  };
  /// Sizes of a group of sentences of similar length.
  struct Plan {
    CacheShape cache;
    int64_t sentences = 0; ///< most at once
    int64_t peak = 0;      ///< bytes by the formula
  };

  size_t groupEnd(std::span<const size_t> order) const;
  int64_t rowsFor(int64_t length) const;
  Result<Plan> planFor(std::span<const size_t> group, int64_t sentences,
                       bool wholeCapacity) const;
  Result<std::optional<Plan>> planWithinLimit(std::span<const size_t> group,
                                              bool wholeCapacity) const;
  Result<std::optional<Plan>> planGroup(std::span<const size_t> &group,
                                        bool alone);
  Status runGroup(std::span<const size_t> group, bool alone);
  Status admit(std::deque<size_t> &waiting, const Plan &plan, bool alone);
  Status encode(std::span<const size_t> batch, bool alone);
  Status step(const Plan &plan, bool alone);
  DecodeBatch makeDecodeBatch() const;
  SelectBatch makeSelectBatch() const;
  void takeCandidates(const SelectOutput &output, int64_t capacity);
  void leave(Active &active);
  void report(size_t sentence, SearchResult result);
  void restartAlone(size_t sentence);

  StepModel &model;
  const EditRules &rules;
  BatchOptions options;
  BatchStatistics counters;

  // The run in progress.
  std::span<const SourceIds> sources;
  const ResultHandler *handler = nullptr;
  const std::atomic<bool> *cancel = nullptr;
  std::optional<CacheShape> reserved;
  RowTable rows{0};
  std::vector<int32_t> freeSourceRows;
  std::vector<Active> live;
  std::vector<size_t> again; ///< to be run alone
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_DECODE_BATCHDECODER_H
