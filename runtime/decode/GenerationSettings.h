//===- GenerationSettings.h - Settings of a search --------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every setting that decides which words come out, with the place it came
// from. ResolveSettings.h fills it from the command line and the model's
// settings; the search only reads it.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_DECODE_GENERATIONSETTINGS_H
#define DRAGOMAN_RUNTIME_DECODE_GENERATIONSETTINGS_H

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

/// Most candidates that one run of the entry `select` returns for a row.
inline constexpr int64_t selectWidth = 128;

/// When a beam search with enough finished hypotheses stops.
enum class EarlyStopping {
  False, ///< when the best live sum over the current length cannot win
  True,  ///< at once
  Never, ///< when the best live sum over the largest length cannot win
};

/// What the compiled model can take, as far as a search depends on it.
struct ModelLimits {
  int64_t vocabulary = 0;      ///< columns of the logits
  int64_t tokens = 0;          ///< ids that have a token; 0 = all columns
  int64_t positions = 0;       ///< rows of the decoder's position table
  int64_t sourcePositions = 0; ///< rows of the encoder's position table
};

/// A value and where it came from: "command line", "generation_config.json",
/// "config.json" or "mode default".
template <typename T> struct Sourced {
  T value{};
  std::string origin = "mode default";
};

/// Settings of the scoring mode `hf`, named after Hugging Face's keys. Lengths
/// that say "with start" count the decoder's start token, as those keys do.
struct GenerationSettings {
  Sourced<std::string> scoring{"hf"};
  Sourced<int64_t> beam{1};
  Sourced<int64_t> nBest{1};
  Sourced<double> lengthPenalty{1.0};
  Sourced<EarlyStopping> earlyStopping{EarlyStopping::False};
  Sourced<int64_t> maxLength{0};    ///< with start; 0 = not set
  Sourced<int64_t> maxNewTokens{0}; ///< without start; 0 = not set
  Sourced<int64_t> minLength{0};    ///< with start
  Sourced<int64_t> minNewTokens{0};
  Sourced<double> repetitionPenalty{1.0};
  Sourced<int64_t> noRepeatNgram{0};
  Sourced<std::vector<std::vector<int32_t>>> badWords;
  Sourced<std::vector<int32_t>> suppress;
  Sourced<std::vector<int32_t>> beginSuppress;
  Sourced<int32_t> forcedBos{-1}; ///< -1 = none
  Sourced<int32_t> forcedEos{-1}; ///< -1 = none
  Sourced<int32_t> start{-1};     ///< first decoder input
  Sourced<std::vector<int32_t>> eos;
  Sourced<int32_t> pad{-1}; ///< -1 = none
  Sourced<bool> renormalize{false};
  /// Without a limit: this many tokens for each of the source, and some more.
  double lengthRatio = 2;
  int64_t lengthExtra = 50;

  /// One line of `dragoman inspect`: name, value as JSON text, origin.
  struct Row {
    std::string name;
    std::string value;
    std::string origin;
  };
  std::vector<Row> rows() const;

  /// True if `id` ends a hypothesis.
  bool isEos(int32_t id) const;

  /// Most tokens to generate for a source of `sourceLength` tokens (end token
  /// included): the limit that is set, else lengthRatio * sourceLength +
  /// lengthExtra, never more than the position table takes.
  int64_t newTokenLimit(int64_t sourceLength, const ModelLimits &limits) const;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_DECODE_GENERATIONSETTINGS_H
