//===- EditRules.cpp - Logit processors as edits of a row -----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/decode/EditRules.h"

#include <algorithm>
#include <limits>

using namespace dragoman;

static void forbid(int32_t id, std::vector<Edit> &edits) {
  edits.push_back({id, EditKind::Set, -std::numeric_limits<float>::infinity()});
}

EditRules::EditRules(const GenerationSettings &settings,
                     const ModelLimits &limits)
    : values(settings), alwaysSuppressed(settings.suppress.value) {
  for (const std::vector<int32_t> &words : settings.badWords.value) {
    if (words.size() > 1)
      badSequences.push_back(words);
    else if (!settings.isEos(words.front()))
      badIds.push_back(words.front());
  }
  if (limits.tokens > 0)
    for (int64_t id = limits.tokens; id < limits.vocabulary; ++id)
      alwaysSuppressed.push_back(int32_t(id));
}

void EditRules::append(std::span<const int32_t> history,
                       std::vector<Edit> &edits) const {
  if (values.repetitionPenalty.value != 1.0) {
    std::vector<int32_t> distinct(history.begin(), history.end());
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()),
                   distinct.end());
    for (int32_t id : distinct)
      edits.push_back(
          {id, EditKind::Penalty, float(values.repetitionPenalty.value)});
  }
  appendRepeatedNgrams(history, edits);
  for (int32_t id : badIds)
    forbid(id, edits);
  appendBadSequences(history, edits);
  int64_t length = int64_t(history.size());
  if (length < values.minLength.value || length - 1 < values.minNewTokens.value)
    for (int32_t id : values.eos.value)
      forbid(id, edits);
  for (int32_t id : alwaysSuppressed)
    forbid(id, edits);
  int64_t beginStep = values.forcedBos.value >= 0 ? 1 : 0;
  if (length - 1 == beginStep)
    for (int32_t id : values.beginSuppress.value)
      forbid(id, edits);
}

void EditRules::appendRepeatedNgrams(std::span<const int32_t> history,
                                     std::vector<Edit> &edits) const {
  // The last size-1 ids are the prefix; each place where they stood before
  // forbids the id that followed.
  int64_t size = values.noRepeatNgram.value;
  int64_t length = int64_t(history.size());
  if (size == 0 || length + 1 < size)
    return;
  std::span<const int32_t> tail = history.last(size_t(size - 1));
  for (int64_t begin = 0; begin + size <= length; ++begin)
    if (std::equal(tail.begin(), tail.end(), history.begin() + begin))
      forbid(history[size_t(begin + size - 1)], edits);
}

void EditRules::appendBadSequences(std::span<const int32_t> history,
                                   std::vector<Edit> &edits) const {
  for (const std::vector<int32_t> &words : badSequences) {
    size_t prefix = words.size() - 1;
    if (prefix > history.size())
      continue;
    std::span<const int32_t> tail = history.last(prefix);
    if (std::equal(tail.begin(), tail.end(), words.begin()))
      forbid(words.back(), edits);
  }
}

std::optional<EditRules::Forced> EditRules::forced(int64_t step,
                                                   int64_t newTokens) const {
  // The forced end is applied last, so it wins when both fall on one step.
  if (values.forcedEos.value >= 0 && step == newTokens - 1)
    return Forced{values.forcedEos.value, true};
  if (values.forcedBos.value >= 0 && step == 0)
    return Forced{values.forcedBos.value, false};
  return std::nullopt;
}
