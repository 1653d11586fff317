//===- SentencePiece.h - Splitting text into pieces -------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TEXT_SENTENCEPIECE_H
#define DRAGOMAN_RUNTIME_TEXT_SENTENCEPIECE_H

#include "runtime/base/Status.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// The SentencePiece library behind a border that nothing is thrown across.
/// Immutable and thread-safe after load().
class SentencePiece {
public:
  /// Loads a file that readSentencePieceFile() accepted; others must never
  /// reach the library.
  static Result<std::unique_ptr<SentencePiece>> load(std::string_view file);
  ~SentencePiece();

  /// The pieces of a text in valid UTF-8; none if normalisation leaves nothing.
  Result<std::vector<std::string>> encode(std::string_view text) const;

private:
  SentencePiece();
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TEXT_SENTENCEPIECE_H
