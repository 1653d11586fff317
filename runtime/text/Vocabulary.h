//===- Vocabulary.h - vocab.json --------------------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TEXT_VOCABULARY_H
#define DRAGOMAN_RUNTIME_TEXT_VOCABULARY_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dragoman {

/// Tokens and their ids 0 .. size-1, both ways.
class Vocabulary {
public:
  /// Parses a JSON object from token to id. Refused, naming token and id: not
  /// an object, an id that is no integer, two tokens with one id, a token
  /// twice, a gap in the ids.
  static Result<Vocabulary> parse(std::string_view json);

  Vocabulary(Vocabulary &&) = default;
  Vocabulary &operator=(Vocabulary &&) = default;
  Vocabulary(const Vocabulary &) = delete;
  Vocabulary &operator=(const Vocabulary &) = delete;

  int64_t size() const { return static_cast<int64_t>(tokens.size()); }
  std::optional<int64_t> id(std::string_view token) const;
  /// `id` must be in [0, size).
  const std::string &token(int64_t id) const { return tokens[id]; }
  /// The tokens of the form >>xx<<, in id order.
  std::vector<std::string> languageTags() const;

private:
  Vocabulary() = default;
  std::vector<std::string> tokens;
  std::unordered_map<std::string_view, int64_t> ids; // views into `tokens`
};

/// What a model expects of its vocabulary. Widths of 0 are unknown.
struct VocabularyExpectation {
  int64_t configSize = 0;                  ///< `vocab_size` of config.json
  int64_t logitsWidth = 0;                 ///< columns of the decoder's logits
  std::vector<std::string> requiredTokens; ///< end, unknown and pad token
};

/// Compares; an error names the token or id. `warning` is set if the logits are
/// wider by padding rows only (fewer than 128), which then must be forbidden.
Status checkVocabulary(const Vocabulary &vocabulary,
                       const VocabularyExpectation &expected,
                       std::string &warning);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TEXT_VOCABULARY_H
