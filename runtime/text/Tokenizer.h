//===- Tokenizer.h - Lines to ids and back ----------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tokenizer of the Marian family: SentencePiece splits the line, and ids
// come from vocab.json only. In the kind "words" a line is split at spaces, and
// words are joined by them.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TEXT_TOKENIZER_H
#define DRAGOMAN_RUNTIME_TEXT_TOKENIZER_H

#include "runtime/artifact/Manifest.h"
#include "runtime/base/Status.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

class Vocabulary;

/// The contents of the tokenizer's files. Only read during create().
struct TokenizerFiles {
  std::string_view sourceModel;
  std::string_view targetModel;
  std::string_view sourceVocab;
  std::string_view targetVocab;
};

/// What became of a line.
struct EncodedLine {
  /// [language tag] pieces </s>; empty if the line is blank.
  std::vector<int64_t> ids;
  /// Nothing is left after normalisation but spaces and invisible characters:
  /// the answer is an empty line.
  bool blank = false;
  /// Number of ids before the line was cut to the limit; ids.size() if not cut.
  size_t fullLength = 0;
  /// Pieces that the vocabulary lacks.
  size_t unknown = 0;
  /// Empty, or one thing the user should know about this line.
  std::string warning;
};

/// Immutable and thread-safe after create().
class Tokenizer {
public:
  /// Checks and loads the files; `desc` names them in messages.
  static Result<std::unique_ptr<Tokenizer>> create(const TextDesc &desc,
                                                   const TokenizerFiles &files);
  ~Tokenizer();

  /// Ids of one line (valid UTF-8, no line end). `maxIds` > 1 limits the number
  /// of ids, end token included; 0 = no limit. NUL counts as a space.
  Result<EncodedLine> encode(std::string_view line, size_t maxIds = 0) const;

  /// Text of target ids: special ids are skipped, pieces joined, U+2581 becomes
  /// a space, one leading space is removed, invalid UTF-8 is repaired. Ids
  /// outside the vocabulary are skipped too.
  std::string decode(std::span<const int64_t> ids) const;

  /// The pieces of target ids as they are, specials included.
  std::vector<std::string> pieces(std::span<const int64_t> ids) const;
  /// The same for source ids.
  std::vector<std::string> sourcePieces(std::span<const int64_t> ids) const;

  int64_t eosId() const;
  int64_t unkId() const;
  int64_t padId() const;
  const Vocabulary &sourceVocabulary() const;
  const Vocabulary &targetVocabulary() const;

  /// What create noticed: files that look swapped or foreign.
  const std::vector<std::string> &warnings() const;

private:
  Tokenizer();
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TEXT_TOKENIZER_H
