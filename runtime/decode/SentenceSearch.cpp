//===- SentenceSearch.cpp - The search for one sentence -------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/decode/SentenceSearch.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

using namespace dragoman;

const char *dragoman::finishReasonName(FinishReason reason) {
  switch (reason) {
  case FinishReason::Eos:
    return "eos";
  case FinishReason::Length:
    return "length";
  case FinishReason::Error:
    return "error";
  }
  return "error";
}

SentenceSearch::SentenceSearch(const EditRules &rules, int64_t newTokens)
    : rules(&rules), newTokens(newTokens), live(1) {
  assert(newTokens >= 1 && "a result has at least one token");
}

bool SentenceSearch::greedy() const {
  return rules->settings().beam.value == 1;
}

int32_t SentenceSearch::inputId(size_t row) const {
  const std::vector<int32_t> &ids = live[row].ids;
  return ids.empty() ? rules->settings().start.value : ids.back();
}

void SentenceSearch::appendEdits(size_t row, std::vector<Edit> &edits) const {
  if (rules->forced(step, newTokens))
    return; // the row is replaced whatever it holds
  std::vector<int32_t> history;
  history.reserve(live[row].ids.size() + 1);
  history.push_back(rules->settings().start.value);
  history.insert(history.end(), live[row].ids.begin(), live[row].ids.end());
  rules->append(history, edits);
}

int64_t SentenceSearch::candidateCount() const {
  const GenerationSettings &settings = rules->settings();
  if (greedy())
    return 1;
  return std::max<int64_t>(2, 1 + int64_t(settings.eos.value.size())) *
         settings.beam.value;
}

int64_t SentenceSearch::normalizeBits() const {
  // Greedy edits raw logits; the log-softmax behind them is for the score.
  if (greedy())
    return 2;
  return rules->settings().renormalize.value ? 3 : 1;
}

void SentenceSearch::advance(std::span<const RowCandidates> rows) {
  assert(!done && rows.size() == live.size() &&
         "one entry per live hypothesis");
  parentRows.clear();
  if (!rowsAreNumbers(rows))
    return;
  std::vector<Candidate> best = bestCandidates(rows);
  if (best.empty() && complete.empty())
    return fail("no token is allowed at step " + std::to_string(step));
  if (greedy())
    advanceGreedy(best);
  else
    advanceBeam(best);
  ++step;
}

/// Fails the search if a row holds a NaN or an infinity above.
bool SentenceSearch::rowsAreNumbers(std::span<const RowCandidates> rows) {
  for (const RowCandidates &row : rows) {
    if (row.logSumExp < std::numeric_limits<float>::infinity())
      continue;
    fail("the model's scores are not numbers at step " + std::to_string(step));
    return false;
  }
  return true;
}

/// The best candidates of all rows: sum descending, then lower id, then lower
/// row.
std::vector<SentenceSearch::Candidate>
SentenceSearch::bestCandidates(std::span<const RowCandidates> rows) const {
  std::vector<Candidate> all;
  std::optional<EditRules::Forced> forced = rules->forced(step, newTokens);
  for (size_t row = 0; row < rows.size(); ++row) {
    if (forced) {
      all.push_back({live[row].sum, 0.0f, forced->id, int32_t(row)});
      continue;
    }
    for (size_t i = 0; i < rows[row].ids.size(); ++i) {
      float value = rows[row].values[i];
      if (rows[row].ids[i] < 0 || !std::isfinite(value))
        break;
      all.push_back(
          {live[row].sum + value, value, rows[row].ids[i], int32_t(row)});
    }
  }
  size_t keep = std::min(all.size(), size_t(candidateCount()));
  std::partial_sort(all.begin(), all.begin() + keep, all.end(),
                    [](const Candidate &a, const Candidate &b) {
                      if (a.sum != b.sum)
                        return a.sum > b.sum;
                      return a.id != b.id ? a.id < b.id : a.row < b.row;
                    });
  all.resize(keep);
  return all;
}

Hypothesis SentenceSearch::extend(const Candidate &candidate) const {
  Hypothesis next = live[size_t(candidate.row)];
  next.ids.push_back(candidate.id);
  next.tokenScores.push_back(candidate.value);
  next.sum = candidate.sum;
  return next;
}

/// Moves a hypothesis that ends with this candidate to the finished ones.
void SentenceSearch::finishHypothesis(const Candidate &candidate) {
  Hypothesis ended = extend(candidate);
  std::optional<EditRules::Forced> forced = rules->forced(step, newTokens);
  bool cut = forced && forced->byLimit;
  ended.finish = rules->settings().isEos(candidate.id) && !cut
                     ? FinishReason::Eos
                     : FinishReason::Length;
  ended.score = score(ended.sum, step + 1);
  complete.push_back(std::move(ended));
}

void SentenceSearch::advanceGreedy(const std::vector<Candidate> &best) {
  const Candidate &first = best.front();
  if (rules->settings().isEos(first.id) || step + 1 == newTokens) {
    finishHypothesis(first);
    return finishSearch();
  }
  live.front() = extend(first);
  parentRows = {0};
}

void SentenceSearch::advanceBeam(const std::vector<Candidate> &best) {
  const GenerationSettings &settings = rules->settings();
  size_t beam = size_t(settings.beam.value);
  bool last = step + 1 == newTokens;
  auto ended = [&](const Candidate &candidate) {
    return last || settings.isEos(candidate.id);
  };

  // 1. Ended candidates among the first `beam` are finished hypotheses; later
  //    ones are lost, they only make room.
  for (size_t rank = 0; rank < std::min(beam, best.size()); ++rank)
    if (ended(best[rank]))
      finishHypothesis(best[rank]);
  std::stable_sort(complete.begin(), complete.end(),
                   [](const Hypothesis &a, const Hypothesis &b) {
                     return a.score > b.score;
                   });
  if (complete.size() > beam)
    complete.resize(beam);

  // 2. The best `beam` of the others live on.
  std::vector<Hypothesis> next;
  for (const Candidate &candidate : best) {
    if (next.size() == beam)
      break;
    if (ended(candidate))
      continue;
    next.push_back(extend(candidate));
    parentRows.push_back(candidate.row);
  }
  live = std::move(next);

  // 3. Stop when nothing lives on, or a full list cannot get better.
  if (last || live.empty() || (complete.size() >= beam && !canImprove()))
    finishSearch();
}

/// With a full list of finished hypotheses: may a live one still enter it?
bool SentenceSearch::canImprove() const {
  const GenerationSettings &settings = rules->settings();
  EarlyStopping rule = settings.earlyStopping.value;
  if (rule == EarlyStopping::True)
    return false;
  bool longest =
      rule == EarlyStopping::Never && settings.lengthPenalty.value > 0;
  return score(live.front().sum, longest ? newTokens : step + 1) >
         complete.back().score;
}

float SentenceSearch::score(float sum, int64_t length) const {
  double divisor =
      std::pow(double(length), rules->settings().lengthPenalty.value);
  return sum / float(divisor);
}

void SentenceSearch::finishSearch() {
  done = true;
  parentRows.clear();
}

void SentenceSearch::fail(std::string message) {
  error = std::move(message);
  done = true;
  live.clear();
  complete.clear();
  parentRows.clear();
}

SearchResult SentenceSearch::takeResult() {
  assert(done && "only a finished search has a result");
  SearchResult result;
  result.error = std::move(error);
  size_t count =
      std::min(complete.size(), size_t(rules->settings().nBest.value));
  result.hypotheses.assign(std::make_move_iterator(complete.begin()),
                           std::make_move_iterator(complete.begin() + count));
  live.clear();
  complete.clear();
  return result;
}
