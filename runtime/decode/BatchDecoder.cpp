//===- BatchDecoder.cpp - Many sentences through one model ----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/decode/BatchDecoder.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <numeric>

using namespace dragoman;

static int64_t alignTo16(int64_t value) { return (value + 15) / 16 * 16; }

/// Failures that concern the sentences of a run and not the job.
static bool concernsSentences(const Status &status) {
  return status.code() == StatusCode::RuntimeError ||
         status.code() == StatusCode::InvalidData ||
         status.code() == StatusCode::InvalidArgument;
}

namespace {
/// Adds the time of its scope to a counter.
class Stopwatch {
public:
  explicit Stopwatch(double &seconds)
      : seconds(seconds), start(std::chrono::steady_clock::now()) {}
  ~Stopwatch() {
    seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
  }

private:
  double &seconds;
  std::chrono::steady_clock::time_point start;
};
} // namespace

BatchDecoder::BatchDecoder(StepModel &model, const EditRules &rules,
                           const BatchOptions &options)
    : model(model), rules(rules), options(options) {}

Status BatchDecoder::run(std::span<const SourceIds> sentences,
                         const ResultHandler &onResult,
                         const std::atomic<bool> *cancelFlag) {
  sources = sentences;
  handler = &onResult;
  cancel = cancelFlag;
  live.clear();
  again.clear();
  reserved.reset();

  // Longest first: the memory peak comes first, and the batch widens as the
  // sentences get shorter.
  std::vector<size_t> order(sentences.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return sources[a].size() > sources[b].size();
  });
  std::span<const size_t> rest = order;
  while (!rest.empty()) {
    size_t end = groupEnd(rest);
    DRAGOMAN_RETURN_IF_ERROR(runGroup(rest.first(end), /*alone=*/false));
    rest = rest.subspan(end);
  }
  std::vector<size_t> restarted = std::move(again);
  again.clear();
  for (const size_t &sentence : restarted)
    DRAGOMAN_RETURN_IF_ERROR(runGroup(std::span(&sentence, 1), /*alone=*/true));
  return Status::ok();
}

/// Live rows that the token budget allows for sources of this length: a
/// multiple of the beam, at least one sentence.
int64_t BatchDecoder::rowsFor(int64_t length) const {
  int64_t beam = rules.settings().beam.value;
  int64_t allowed = std::min(options.maxRows, options.batchTokens / length);
  return std::max<int64_t>(allowed / beam, 1) * beam;
}

/// Number of leading sentences (longest first) that share one set of caches:
/// up to the first so short that twice the rows would be allowed.
size_t BatchDecoder::groupEnd(std::span<const size_t> order) const {
  int64_t rowsOfLongest = rowsFor(int64_t(sources[order.front()].size()));
  size_t end = 1;
  while (end < order.size() &&
         rowsFor(int64_t(sources[order[end]].size())) < 2 * rowsOfLongest)
    ++end;
  return end;
}

Result<BatchDecoder::Plan> BatchDecoder::planFor(std::span<const size_t> group,
                                                 int64_t sentences,
                                                 bool wholeCapacity) const {
  int64_t longest = int64_t(sources[group.front()].size());
  int64_t newTokens = rules.settings().newTokenLimit(longest, model.limits());
  // A sentence that outgrows this is run again alone with its whole limit.
  int64_t cells =
      wholeCapacity ? newTokens : std::min(newTokens, 2 * longest + 32);
  Plan plan;
  plan.sentences = sentences;
  plan.cache.rows = sentences * rules.settings().beam.value;
  plan.cache.capacity = alignTo16(cells);
  plan.cache.sourceRows = sentences;
  plan.cache.sourceCapacity = alignTo16(longest + options.extraPadding);
  WorkShape work;
  work.cache = plan.cache;
  work.encodeLength = longest + options.extraPadding;
  work.encodeSentences =
      std::min(sentences, std::max<int64_t>(options.encodeTokens / longest, 1));
  Result<int64_t> peak = model.peakBytes(work);
  if (!peak)
    return peak.status();
  plan.peak = *peak;
  return plan;
}

/// The widest plan within the memory limit, or nothing if not even one
/// sentence fits.
Result<std::optional<BatchDecoder::Plan>>
BatchDecoder::planWithinLimit(std::span<const size_t> group,
                              bool wholeCapacity) const {
  int64_t longest = int64_t(sources[group.front()].size());
  int64_t most = std::min(rowsFor(longest) / rules.settings().beam.value,
                          int64_t(group.size()));
  std::optional<Plan> best;
  // Invariant: `fits` sentences fit (none always do), `tooMany` do not.
  for (int64_t fits = 0, tooMany = most + 1, next = most; fits + 1 < tooMany;
       next = (fits + tooMany) / 2) {
    Result<Plan> plan = planFor(group, next, wholeCapacity);
    if (!plan)
      return plan.status();
    if (options.memoryLimit != 0 && plan->peak > options.memoryLimit) {
      tooMany = next;
      continue;
    }
    fits = next;
    best = *plan;
  }
  return best;
}

/// Drops sentences that do not fit alone, each with an error of its own, and
/// plans for the rest; nothing if none is left.
Result<std::optional<BatchDecoder::Plan>>
BatchDecoder::planGroup(std::span<const size_t> &group, bool alone) {
  for (; !group.empty(); group = group.subspan(1)) {
    Result<std::optional<Plan>> plan = planWithinLimit(group, alone);
    if (!plan || *plan)
      return plan;
    Result<Plan> one = planFor(group, 1, alone);
    if (!one)
      return one.status();
    SearchResult refused;
    refused.error = "needs " + std::to_string(one->peak) + " bytes alone (" +
                    std::to_string(sources[group.front()].size()) +
                    " tokens), the limit is " +
                    std::to_string(options.memoryLimit);
    report(group.front(), std::move(refused));
  }
  return std::optional<Plan>();
}

Status BatchDecoder::runGroup(std::span<const size_t> group, bool alone) {
  Result<std::optional<Plan>> planned = planGroup(group, alone);
  if (!planned)
    return planned.status();
  const std::optional<Plan> &plan = *planned;
  if (!plan)
    return Status::ok();
  counters.plannedPeak = std::max(counters.plannedPeak, plan->peak);
  if (reserved != plan->cache) {
    DRAGOMAN_RETURN_IF_ERROR(model.reserve(plan->cache));
    reserved = plan->cache;
  }
  rows = RowTable(plan->cache.rows);
  freeSourceRows.resize(size_t(plan->cache.sourceRows));
  std::iota(freeSourceRows.rbegin(), freeSourceRows.rend(), 0);

  std::deque<size_t> waiting(group.begin(), group.end());
  while (!waiting.empty() || !live.empty()) {
    if (cancel && cancel->load(std::memory_order_relaxed))
      return Status(StatusCode::Cancelled, "cancelled");
    DRAGOMAN_RETURN_IF_ERROR(admit(waiting, *plan, alone));
    if (!live.empty())
      DRAGOMAN_RETURN_IF_ERROR(step(*plan, alone));
  }
  return Status::ok();
}

/// Fills free places. While sentences run, it waits until a quarter of the
/// places is free, so that the encoder runs on whole sub-batches.
Status BatchDecoder::admit(std::deque<size_t> &waiting, const Plan &plan,
                           bool alone) {
  int64_t free = int64_t(freeSourceRows.size());
  if (!live.empty() && free * 4 < plan.sentences)
    return Status::ok();
  while (!waiting.empty() && !freeSourceRows.empty()) {
    int64_t longest = int64_t(sources[waiting.front()].size());
    int64_t fits = std::max<int64_t>(options.encodeTokens / longest, 1);
    size_t count =
        std::min({size_t(fits), waiting.size(), freeSourceRows.size()});
    std::vector<size_t> batch(waiting.begin(),
                              waiting.begin() + std::ptrdiff_t(count));
    waiting.erase(waiting.begin(), waiting.begin() + std::ptrdiff_t(count));
    DRAGOMAN_RETURN_IF_ERROR(encode(batch, alone));
  }
  return Status::ok();
}

/// Encodes sentences and makes them live.
Status BatchDecoder::encode(std::span<const size_t> batch, bool alone) {
  EncodeBatch run;
  run.sentences = int64_t(batch.size());
  for (size_t sentence : batch)
    run.length = std::max(run.length, int64_t(sources[sentence].size()));
  run.length += options.extraPadding;
  int32_t pad = std::max(rules.settings().pad.value, 0);
  run.ids.assign(size_t(run.sentences * run.length), pad);
  for (size_t b = 0; b < batch.size(); ++b) {
    const SourceIds &ids = sources[batch[b]];
    std::copy(ids.begin(), ids.end(),
              run.ids.begin() + int64_t(b) * run.length);
    run.lengths.push_back(int64_t(ids.size()));
    run.sourceRows.push_back(*(freeSourceRows.end() - 1 - std::ptrdiff_t(b)));
  }
  Status status;
  {
    Stopwatch watch(counters.encodeSeconds);
    status = model.encode(run);
  }
  if (!status.isOk()) {
    if (!concernsSentences(status))
      return status;
    for (size_t sentence : batch) {
      if (!alone) {
        restartAlone(sentence);
        continue;
      }
      SearchResult failed;
      failed.error = status.toString();
      report(sentence, std::move(failed));
    }
    return Status::ok();
  }
  freeSourceRows.resize(freeSourceRows.size() - batch.size());
  for (size_t b = 0; b < batch.size(); ++b) {
    int64_t length = run.lengths[b];
    counters.sourceTokens += length;
    live.push_back(Active{batch[b], run.sourceRows[b],
                          rows.open(rules.settings().beam.value),
                          SentenceSearch(rules, rules.settings().newTokenLimit(
                                                    length, model.limits()))});
  }
  return Status::ok();
}

/// One token for every live row.
Status BatchDecoder::step(const Plan &plan, bool alone) {
  Stopwatch watch(counters.decodeSeconds);
  DecodeBatch batch = makeDecodeBatch();
  SelectOutput output;
  Status status = model.decode(batch);
  if (status.isOk())
    status = model.select(makeSelectBatch(), output);
  if (status.isOk()) {
    ++counters.decodeSteps;
    counters.decodeRows += batch.rows;
    takeCandidates(output, plan.cache.capacity);
    return Status::ok();
  }
  if (!concernsSentences(status))
    return status;
  // It is not known which sentence is to blame: each one gets a run alone.
  for (Active &active : live) {
    leave(active);
    if (!alone) {
      restartAlone(active.sentence);
      continue;
    }
    SearchResult failed;
    failed.error = status.toString();
    report(active.sentence, std::move(failed));
  }
  live.clear();
  return Status::ok();
}

DecodeBatch BatchDecoder::makeDecodeBatch() const {
  DecodeBatch batch;
  for (const Active &active : live) {
    batch.rows += int64_t(active.search.rowCount());
    batch.keys = std::max(batch.keys, active.search.position() + 1);
  }
  batch.keys = alignTo16(batch.keys);
  batch.cellRows.reserve(size_t(batch.rows * batch.keys));
  for (const Active &active : live) {
    for (size_t i = 0; i < active.search.rowCount(); ++i) {
      int32_t writeRow = rows.writeRow(active.handle, i);
      std::span<const int32_t> cells = rows.cellRows(active.handle, i);
      batch.ids.push_back(active.search.inputId(i));
      batch.positions.push_back(active.search.position());
      batch.writeRows.push_back(writeRow);
      batch.cellRows.insert(batch.cellRows.end(), cells.begin(), cells.end());
      batch.cellRows.insert(batch.cellRows.end(),
                            size_t(batch.keys) - cells.size(), writeRow);
      batch.sourceRows.push_back(active.sourceRow);
      batch.sourceLength.push_back(int64_t(sources[active.sentence].size()));
    }
  }
  return batch;
}

SelectBatch BatchDecoder::makeSelectBatch() const {
  SelectBatch batch;
  batch.count = live.front().search.candidateCount();
  batch.normalize = live.front().search.normalizeBits();
  std::vector<std::vector<Edit>> edits;
  for (const Active &active : live)
    for (size_t i = 0; i < active.search.rowCount(); ++i)
      active.search.appendEdits(i, edits.emplace_back());
  size_t width = 1;
  for (const std::vector<Edit> &row : edits)
    width = std::max(width, row.size());
  batch.edits = int64_t(width);
  batch.editIds.assign(edits.size() * width, 0);
  batch.editKinds.assign(edits.size() * width, int32_t(EditKind::None));
  batch.editValues.assign(edits.size() * width, 0.0f);
  for (size_t row = 0; row < edits.size(); ++row)
    for (size_t e = 0; e < edits[row].size(); ++e) {
      batch.editIds[row * width + e] = edits[row][e].id;
      batch.editKinds[row * width + e] = int32_t(edits[row][e].kind);
      batch.editValues[row * width + e] = edits[row][e].value;
    }
  return batch;
}

void BatchDecoder::takeCandidates(const SelectOutput &output,
                                  int64_t capacity) {
  size_t count = size_t(live.front().search.candidateCount());
  size_t row = 0;
  std::vector<RowCandidates> candidates;
  std::vector<Active> staying;
  for (Active &active : live) {
    candidates.clear();
    for (size_t i = 0; i < active.search.rowCount(); ++i, ++row)
      candidates.push_back(
          {std::span(output.values).subspan(row * selectWidth, count),
           std::span(output.ids).subspan(row * selectWidth, count),
           output.logSumExp[row]});
    active.search.advance(candidates);
    if (active.search.finished()) {
      leave(active);
      report(active.sentence, active.search.takeResult());
      continue;
    }
    rows.advance(active.handle, active.search.parents());
    if (active.search.position() < capacity) {
      staying.push_back(std::move(active));
      continue;
    }
    leave(active);
    restartAlone(active.sentence);
  }
  live = std::move(staying);
}

/// Gives the rows of a sentence back.
void BatchDecoder::leave(Active &active) {
  rows.close(active.handle);
  freeSourceRows.push_back(active.sourceRow);
}

void BatchDecoder::restartAlone(size_t sentence) {
  ++counters.restarted;
  again.push_back(sentence);
}

void BatchDecoder::report(size_t sentence, SearchResult result) {
  if (!result.hypotheses.empty())
    counters.targetTokens += int64_t(result.hypotheses.front().ids.size());
  (*handler)(sentence, std::move(result));
}
