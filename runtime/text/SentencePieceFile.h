//===- SentencePieceFile.h - Checks of .spm files ---------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The SentencePiece library trusts its files: long pieces overflow its stack,
// and a damaged normalisation map makes it read outside. So every file is
// walked here first, without the library.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TEXT_SENTENCEPIECEFILE_H
#define DRAGOMAN_RUNTIME_TEXT_SENTENCEPIECEFILE_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// Kinds of pieces; the values are those of the file.
enum class PieceKind : uint8_t {
  Normal = 1,
  Unknown = 2,
  Control = 3,
  UserDefined = 4,
  Unused = 5,
  Byte = 6,
};

struct SentencePieceEntry {
  std::string text;
  PieceKind kind = PieceKind::Normal;
};

/// Longest piece accepted, in bytes.
inline constexpr size_t maxPieceBytes = 4096;

/// Walks a SentencePiece model and returns its pieces. Refused, with what was
/// expected and found: an empty or cut file, wrong wire data, no pieces, a
/// piece that is empty, too long, repeated, not UTF-8 or with a NUL, a score
/// that is no number, not exactly one unknown piece, a missing trainer or
/// normaliser section, an unknown model type, a damaged normalisation map.
Result<std::vector<SentencePieceEntry>>
readSentencePieceFile(std::string_view file);

/// Checks the map from characters to normalised texts, a double-array trie and
/// the texts behind it: no step of a lookup may leave the array, every value is
/// the start of a text, and no input has 32 or more matching prefixes, which is
/// what the library's buffer holds.
Status checkPrecompiledMap(std::string_view map);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TEXT_SENTENCEPIECEFILE_H
