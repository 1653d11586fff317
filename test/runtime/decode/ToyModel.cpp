//===- ToyModel.cpp - A model small enough to check by hand ---------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/decode/ToyModel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

using namespace dragoman;
using namespace dragoman::test;

static constexpr double minusInfinity =
    -std::numeric_limits<double>::infinity();

double dragoman::test::pinnedLogit(const std::vector<int32_t> &,
                                   const std::vector<int32_t> &history,
                                   int32_t id) {
  int64_t t = int64_t(history.size()) - 1, u = history.back(), v = id;
  return double((31 * u * u + 17 * v * v * v + 7 * t * t + 13 * u * v +
                 29 * t * v + 495) %
                97) /
         16;
}

static uint64_t mix(uint64_t state, uint64_t value) {
  state ^= value + 0x9e3779b97f4a7c15ull + (state << 6) + (state >> 2);
  state ^= state >> 31;
  state *= 0xbf58476d1ce4e5b9ull;
  return state ^ (state >> 27);
}

LogitFunction dragoman::test::randomLogits(uint64_t seed) {
  return [seed](const std::vector<int32_t> &source,
                const std::vector<int32_t> &history, int32_t id) {
    uint64_t state = seed;
    for (int32_t value : source)
      state = mix(state, uint64_t(value));
    for (int32_t value : history)
      state = mix(state, uint64_t(value) + 1000);
    return double(mix(state, uint64_t(id) + 77) % 4096) / 512;
  };
}

static double logSumExpOf(const std::vector<double> &row) {
  double top = *std::max_element(row.begin(), row.end());
  if (top == minusInfinity)
    return minusInfinity;
  double sum = 0;
  for (double x : row)
    sum += std::exp(x - top);
  return top + std::log(sum);
}

void dragoman::test::selectRow(std::vector<double> row,
                               const std::vector<Edit> &edits, int64_t count,
                               int64_t normalize, float *values, int32_t *ids,
                               float *logSumExp) {
  std::fill_n(values, selectWidth, -std::numeric_limits<float>::infinity());
  std::fill_n(ids, selectWidth, -1);
  if (std::any_of(row.begin(), row.end(),
                  [](double x) { return std::isnan(x); })) {
    *logSumExp = std::numeric_limits<float>::quiet_NaN();
    return;
  }
  if (normalize & 1) {
    double lse = logSumExpOf(row);
    if (lse != minusInfinity)
      for (double &x : row)
        x -= lse;
  }
  for (const Edit &edit : edits) {
    double &x = row[size_t(edit.id)];
    double value = double(edit.value);
    if (edit.kind == EditKind::Set)
      x = value;
    else if (edit.kind == EditKind::Add)
      x += value;
    else if (edit.kind == EditKind::Penalty)
      x = x < 0 ? x * value : x / value;
  }
  double lse = logSumExpOf(row);
  *logSumExp = float(lse);
  std::vector<int32_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return row[size_t(a)] > row[size_t(b)];
  });
  int64_t filled = 0;
  for (int32_t id : order) {
    double x = row[size_t(id)];
    if (filled == count || x == minusInfinity)
      break;
    values[filled] = float(normalize & 2 ? x - lse : x);
    ids[filled++] = id;
  }
}

Result<int64_t> ToyModel::peakBytes(const WorkShape &work) const {
  return work.cache.rows * work.cache.capacity * 8 +
         work.encodeSentences * work.encodeLength;
}

Status ToyModel::reserve(const CacheShape &wanted) {
  shape = wanted;
  ++reserves;
  cells.assign(size_t(shape.rows),
               std::vector<int32_t>(size_t(shape.capacity), -1));
  sources.assign(size_t(shape.sourceRows), {});
  return Status::ok();
}

Status ToyModel::encode(const EncodeBatch &batch) {
  if (batch.length > shape.sourceCapacity)
    return Status(StatusCode::Internal, "source longer than its cache");
  for (int64_t id : batch.ids)
    if (id == poison)
      return Status(StatusCode::RuntimeError, "poisoned source");
  for (int64_t b = 0; b < batch.sentences; ++b)
    sources.at(size_t(batch.sourceRows[size_t(b)]))
        .assign(batch.ids.begin() + b * batch.length,
                batch.ids.begin() + (b + 1) * batch.length);
  return Status::ok();
}

Status ToyModel::decode(const DecodeBatch &batch) {
  widestDecode = std::max(widestDecode, batch.rows);
  // 1. Every row appends its cell.
  std::set<std::pair<int32_t, int64_t>> written;
  for (size_t r = 0; r < size_t(batch.rows); ++r) {
    if (!written.insert({batch.writeRows[r], batch.positions[r]}).second)
      return Status(StatusCode::Internal, "a cell is written twice");
    cells.at(size_t(batch.writeRows[r])).at(size_t(batch.positions[r])) =
        int32_t(batch.ids[r]);
  }
  // 2. Every row reads its history back.
  lastLogits.clear();
  for (size_t r = 0; r < size_t(batch.rows); ++r) {
    std::vector<int32_t> history;
    for (int64_t j = 0; j <= batch.positions[r]; ++j) {
      int32_t row = batch.cellRows[r * size_t(batch.keys) + size_t(j)];
      history.push_back(cells.at(size_t(row)).at(size_t(j)));
      if (history.back() < 0)
        return Status(StatusCode::Internal, "an unwritten cell is read");
    }
    const std::vector<int32_t> &padded =
        sources.at(size_t(batch.sourceRows[r]));
    std::vector<int32_t> source(padded.begin(),
                                padded.begin() + batch.sourceLength[r]);
    std::vector<double> &row = lastLogits.emplace_back();
    for (int32_t id = 0; id < modelLimits.vocabulary; ++id)
      row.push_back(logits(source, history, id));
  }
  return Status::ok();
}

Status ToyModel::select(const SelectBatch &batch, SelectOutput &output) {
  size_t rows = lastLogits.size();
  output.values.resize(rows * selectWidth);
  output.ids.resize(rows * selectWidth);
  output.logSumExp.resize(rows);
  for (size_t r = 0; r < rows; ++r) {
    std::vector<Edit> edits;
    for (size_t e = r * size_t(batch.edits); e < (r + 1) * size_t(batch.edits);
         ++e)
      edits.push_back({batch.editIds[e], EditKind(batch.editKinds[e]),
                       batch.editValues[e]});
    selectRow(lastLogits[r], edits, batch.count, batch.normalize,
              &output.values[r * selectWidth], &output.ids[r * selectWidth],
              &output.logSumExp[r]);
  }
  return Status::ok();
}

SearchResult dragoman::test::searchAlone(const EditRules &rules,
                                         const ModelLimits &limits,
                                         const std::vector<int32_t> &source,
                                         const LogitFunction &logits,
                                         int *steps) {
  SentenceSearch search(
      rules, rules.settings().newTokenLimit(int64_t(source.size()), limits));
  std::vector<std::vector<int32_t>> histories(1);
  int count = 0;
  while (!search.finished()) {
    ++count;
    size_t rows = search.rowCount();
    std::vector<float> values(rows * selectWidth);
    std::vector<int32_t> ids(rows * selectWidth);
    std::vector<RowCandidates> candidates;
    for (size_t r = 0; r < rows; ++r) {
      histories[r].push_back(search.inputId(r));
      std::vector<double> row;
      for (int32_t id = 0; id < limits.vocabulary; ++id)
        row.push_back(logits(source, histories[r], id));
      std::vector<Edit> edits;
      search.appendEdits(r, edits);
      RowCandidates taken;
      selectRow(row, edits, search.candidateCount(), search.normalizeBits(),
                &values[r * selectWidth], &ids[r * selectWidth],
                &taken.logSumExp);
      taken.values = std::span(values).subspan(r * selectWidth, selectWidth);
      taken.ids = std::span(ids).subspan(r * selectWidth, selectWidth);
      candidates.push_back(taken);
    }
    search.advance(candidates);
    std::vector<std::vector<int32_t>> next;
    for (int32_t parent : search.parents())
      next.push_back(histories[size_t(parent)]);
    histories = std::move(next);
  }
  if (steps)
    *steps = count;
  return search.takeResult();
}
