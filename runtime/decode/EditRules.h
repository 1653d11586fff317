//===- EditRules.h - Logit processors as edits of a row ---------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a search changes in a row of scores before candidates are taken, as a
// short list of edits that the entry `select` applies on the device. In order:
// repetition penalty, repeated n-grams, bad words, minimum length, suppressed
// tokens. A forced token replaces the whole row, so it is no edit.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_DECODE_EDITRULES_H
#define DRAGOMAN_RUNTIME_DECODE_EDITRULES_H

#include "runtime/decode/GenerationSettings.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dragoman {

/// Kinds of the entry `select`; the values are part of its contract.
enum class EditKind : int32_t {
  None = 0,
  Set = 1,     ///< x = value
  Add = 2,     ///< x = x + value
  Penalty = 3, ///< x = x < 0 ? x * value : x / value
};

/// One change of one column; edits of a row apply in list order.
struct Edit {
  int32_t id = 0;
  EditKind kind = EditKind::None;
  float value = 0;
  bool operator==(const Edit &) const = default;
};

/// The rules of one job, prepared once and shared by its sentences.
class EditRules {
public:
  EditRules(const GenerationSettings &settings, const ModelLimits &limits);

  /// Appends the edits of a hypothesis whose history (start token, then the
  /// generated ids) is `history`.
  void append(std::span<const int32_t> history, std::vector<Edit> &edits) const;

  /// The only id allowed at step `step` (0-based) of a result of at most
  /// `newTokens` tokens, and whether the length limit is the reason.
  struct Forced {
    int32_t id;
    bool byLimit;
  };
  std::optional<Forced> forced(int64_t step, int64_t newTokens) const;

  const GenerationSettings &settings() const { return values; }

private:
  void appendRepeatedNgrams(std::span<const int32_t> history,
                            std::vector<Edit> &edits) const;
  void appendBadSequences(std::span<const int32_t> history,
                          std::vector<Edit> &edits) const;

  GenerationSettings values;
  std::vector<int32_t> badIds; ///< single bad words
  std::vector<std::vector<int32_t>> badSequences;
  std::vector<int32_t> alwaysSuppressed; ///< and columns without a token
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_DECODE_EDITRULES_H
