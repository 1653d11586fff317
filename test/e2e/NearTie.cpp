//===- NearTie.cpp - Why a search took another way ------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/e2e/NearTie.h"

#include <algorithm>
#include <limits>

using namespace dragoman;
using namespace dragoman::test;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// One sentence, one step at a time.
class Replay {
public:
  Replay(StepModel &model, const EditRules &rules, const SourceIds &source)
      : model(model), source(source), beam(rules.settings().beam.value),
        limit(rules.settings().newTokenLimit(int64_t(source.size()),
                                             model.limits())),
        search(rules, limit), rows(beam), handle(rows.open(beam)) {}

  Status start();
  /// Runs the model on the live rows; candidates() is their outcome.
  Status score();
  void advance();

  const SentenceSearch &state() const { return search; }
  bool isLast() const { return search.position() + 1 == limit; }
  /// Sums of all candidates, best first; `onlyLive` leaves end tokens out.
  std::vector<double> sums(const EditRules &rules, bool onlyLive) const;
  /// Sum of the candidate that continues hypothesis `row` by `id`.
  double sumOf(size_t row, int32_t id) const;

private:
  StepModel &model;
  const SourceIds &source;
  int64_t beam;
  int64_t limit;
  SentenceSearch search;
  RowTable rows;
  size_t handle;
  SelectOutput output;
};

int64_t align(int64_t value) { return (value + 15) / 16 * 16; }

Status Replay::start() {
  int64_t length = int64_t(source.size());
  DRAGOMAN_RETURN_IF_ERROR(
      model.reserve({beam, align(limit), 1, align(length)}));
  EncodeBatch batch;
  batch.sentences = 1;
  batch.length = length;
  batch.ids.assign(source.begin(), source.end());
  batch.lengths = {length};
  batch.sourceRows = {0};
  return model.encode(batch);
}

Status Replay::score() {
  DecodeBatch batch;
  batch.rows = int64_t(search.rowCount());
  batch.keys = align(search.position() + 1);
  std::vector<std::vector<Edit>> edits(search.rowCount());
  size_t width = 1;
  for (size_t i = 0; i < search.rowCount(); ++i) {
    batch.ids.push_back(search.inputId(i));
    batch.positions.push_back(search.position());
    batch.writeRows.push_back(rows.writeRow(handle, i));
    std::span<const int32_t> cells = rows.cellRows(handle, i);
    batch.cellRows.insert(batch.cellRows.end(), cells.begin(), cells.end());
    batch.cellRows.resize(size_t(batch.keys) * (i + 1), batch.writeRows[i]);
    batch.sourceRows.push_back(0);
    batch.sourceLength.push_back(int64_t(source.size()));
    search.appendEdits(i, edits[i]);
    width = std::max(width, edits[i].size());
  }
  DRAGOMAN_RETURN_IF_ERROR(model.decode(batch));
  SelectBatch select;
  select.count = selectWidth; // the loser of a tie must be in the list
  select.normalize = search.normalizeBits();
  select.edits = int64_t(width);
  for (std::vector<Edit> &row : edits) {
    row.resize(width);
    for (const Edit &edit : row) {
      select.editIds.push_back(edit.id);
      select.editKinds.push_back(int32_t(edit.kind));
      select.editValues.push_back(edit.value);
    }
  }
  return model.select(select, output);
}

void Replay::advance() {
  std::vector<RowCandidates> candidates;
  for (size_t i = 0; i < search.rowCount(); ++i)
    candidates.push_back(
        {std::span(output.values).subspan(i * selectWidth, selectWidth),
         std::span(output.ids).subspan(i * selectWidth, selectWidth),
         output.logSumExp[i]});
  search.advance(candidates);
  if (!search.finished())
    rows.advance(handle, search.parents());
}

std::vector<double> Replay::sums(const EditRules &rules, bool onlyLive) const {
  std::vector<double> all;
  for (size_t i = 0; i < search.rowCount(); ++i)
    for (size_t c = 0; c < size_t(selectWidth); ++c) {
      int32_t id = output.ids[i * selectWidth + c];
      if (id >= 0 && !(onlyLive && rules.settings().isEos(id)))
        all.push_back(double(search.liveHypotheses()[i].sum +
                             output.values[i * selectWidth + c]));
    }
  std::sort(all.rbegin(), all.rend());
  return all;
}

double Replay::sumOf(size_t row, int32_t id) const {
  for (size_t c = 0; c < size_t(selectWidth); ++c)
    if (output.ids[row * selectWidth + c] == id)
      return double(search.liveHypotheses()[row].sum +
                    output.values[row * selectWidth + c]);
  return -infinite;
}

/// Position of the hypothesis with the first `count` ids of `ids`, or -1.
int64_t find(const std::vector<Hypothesis> &list,
             const std::vector<int32_t> &ids, size_t count) {
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].ids.size() == count &&
        std::equal(list[i].ids.begin(), list[i].ids.end(), ids.begin()))
      return int64_t(i);
  return -1;
}

} // namespace

Result<Difference>
dragoman::test::explainDifference(StepModel &model, const EditRules &rules,
                                  const SourceIds &source,
                                  const std::vector<int32_t> &reference) {
  Replay replay(model, rules, source);
  DRAGOMAN_RETURN_IF_ERROR(replay.start());
  size_t beam = size_t(rules.settings().beam.value);
  std::optional<double> finishedScore;
  for (size_t step = 0; !replay.state().finished(); ++step) {
    DRAGOMAN_RETURN_IF_ERROR(replay.score());
    int64_t row = find(replay.state().liveHypotheses(), reference, step);
    bool follows = !finishedScore && row >= 0 && step < reference.size();
    Difference lost{int64_t(step), infinite, ""};
    if (follows) {
      bool ends = rules.settings().isEos(reference[step]);
      std::vector<double> sums = replay.sums(rules, !ends && beam > 1);
      double kept = sums[std::min(beam, sums.size()) - 1];
      lost.gap = kept - replay.sumOf(size_t(row), reference[step]);
      lost.reason = "its continuation by " + std::to_string(reference[step]) +
                    " was not kept";
    }
    replay.advance();
    if (!follows)
      continue;
    const SentenceSearch &state = replay.state();
    int64_t done = find(state.finishedHypotheses(), reference, step + 1);
    if (done >= 0)
      finishedScore = double(state.finishedHypotheses()[size_t(done)].score);
    else if (find(state.liveHypotheses(), reference, step + 1) < 0)
      return lost;
    else if (state.finished())
      return Difference{int64_t(step),
                        double(state.finishedHypotheses().back().score) -
                            double(state.liveHypotheses().front().sum) /
                                double(step + 1),
                        "the search ended before it was finished"};
  }
  const std::vector<Hypothesis> &finished = replay.state().finishedHypotheses();
  if (!finishedScore || finished.empty())
    return Status(StatusCode::InvalidData, "the reference is no possible path");
  return Difference{int64_t(reference.size()),
                    double(finished.front().score) - *finishedScore,
                    "another hypothesis scored higher"};
}
