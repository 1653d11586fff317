//===- SentenceSearch.h - The search for one sentence -----------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A state machine without a model. It says which rows to run next (one per live
// hypothesis) and how to edit their scores, takes the best candidates of each
// row, and ends with the finished hypotheses. Sentences know nothing of each
// other, so any number of them can share a batch, and one may leave it at any
// step.
//
// Scores are float32 sums; a sum over L tokens scores sum / L^p with L^p
// computed in double and rounded to float32. L counts the end token and a
// forced first token, not the start token.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_DECODE_SENTENCESEARCH_H
#define DRAGOMAN_RUNTIME_DECODE_SENTENCESEARCH_H

#include "runtime/decode/EditRules.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

enum class FinishReason {
  Eos,    ///< the end token was the best continuation
  Length, ///< the length limit cut the hypothesis, or forced its end token
  Error,  ///< the model's scores were no numbers
};

/// "eos", "length" or "error".
const char *finishReasonName(FinishReason reason);

/// A hypothesis: generated ids without the start token, with the end token if
/// it has one, and the log-probability of each id as the search counted it.
struct Hypothesis {
  std::vector<int32_t> ids;
  std::vector<float> tokenScores;
  float sum = 0;   ///< of tokenScores, added in order
  float score = 0; ///< sum / L^p
  FinishReason finish = FinishReason::Length;
};

/// What a sentence ends with: at most n-best hypotheses, best first. With
/// `error` set there may be none.
struct SearchResult {
  std::vector<Hypothesis> hypotheses;
  std::string error;
};

/// The best candidates of one row: values descending, equal values by
/// ascending id; a value of -inf ends the list. `logSumExp` is that of the
/// edited row and carries NaN if the row does.
struct RowCandidates {
  std::span<const float> values;
  std::span<const int32_t> ids;
  float logSumExp = 0;
};

class SentenceSearch {
public:
  /// `rules` outlives the search. `newTokens` is the most tokens to generate.
  SentenceSearch(const EditRules &rules, int64_t newTokens);

  bool finished() const { return done; }

  /// Live hypotheses, one row each, best first. 1 before the first step.
  size_t rowCount() const { return live.size(); }
  /// The live and the finished hypotheses so far, best first.
  const std::vector<Hypothesis> &liveHypotheses() const { return live; }
  const std::vector<Hypothesis> &finishedHypotheses() const { return complete; }
  /// The token to feed for a row.
  int32_t inputId(size_t row) const;
  /// Number of tokens before the one to feed: its position.
  int64_t position() const { return step; }
  /// Appends the edits of a row.
  void appendEdits(size_t row, std::vector<Edit> &edits) const;

  /// Candidates that one row must offer.
  int64_t candidateCount() const;
  /// Bits of the entry `select`: 1 = log-softmax before the edits, 2 = after.
  int64_t normalizeBits() const;

  /// One step: `rows` has one entry per live hypothesis. Afterwards
  /// parents()[i] is the former row that new row i continues.
  void advance(std::span<const RowCandidates> rows);
  const std::vector<int32_t> &parents() const { return parentRows; }

  /// Ends the sentence without a result.
  void fail(std::string message);

  /// The result of a finished search; leaves it empty.
  SearchResult takeResult();

private:
  /// A continuation of live hypothesis `row` by `id`.
  struct Candidate {
    float sum;
    float value;
    int32_t id;
    int32_t row;
  };

  bool greedy() const;
  bool rowsAreNumbers(std::span<const RowCandidates> rows);
  std::vector<Candidate>
  bestCandidates(std::span<const RowCandidates> rows) const;
  void advanceGreedy(const std::vector<Candidate> &best);
  void advanceBeam(const std::vector<Candidate> &best);
  Hypothesis extend(const Candidate &candidate) const;
  void finishHypothesis(const Candidate &candidate);
  bool canImprove() const;
  float score(float sum, int64_t length) const;
  void finishSearch();

  const EditRules *rules;
  int64_t newTokens;
  int64_t step = 0;
  bool done = false;
  std::vector<Hypothesis> live;     ///< best first
  std::vector<Hypothesis> complete; ///< best first, older first on ties
  std::vector<int32_t> parentRows;
  std::string error;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_DECODE_SENTENCESEARCH_H
