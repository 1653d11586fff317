//===- SpmBuilder.h - Small SentencePiece files for tests -------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds .spm files, sound and broken ones, byte by byte.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TEST_RUNTIME_TEXT_SPMBUILDER_H
#define DRAGOMAN_TEST_RUNTIME_TEXT_SPMBUILDER_H

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::test {

inline std::string wireVarint(uint64_t value) {
  std::string text;
  while (value >= 0x80) {
    text.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  text.push_back(static_cast<char>(value));
  return text;
}

inline std::string wireNumber(uint32_t field, uint64_t value) {
  return wireVarint(field << 3) + wireVarint(value);
}

inline std::string wireBytes(uint32_t field, std::string_view bytes) {
  return wireVarint(field << 3 | 2) + wireVarint(bytes.size()) +
         std::string(bytes);
}

inline std::string wireFloat(uint32_t field, float value) {
  std::string text = wireVarint(field << 3 | 5);
  char bytes[4];
  std::memcpy(bytes, &value, 4);
  return text + std::string(bytes, 4);
}

/// Kinds as in PieceKind; 0 leaves the field out.
inline std::string spmPiece(std::string_view text, float score = -1,
                            uint64_t kind = 0) {
  return wireBytes(1, wireBytes(1, text) + wireFloat(2, score) +
                          (kind ? wireNumber(3, kind) : ""));
}

inline std::string spmTrainer(uint64_t modelType = 1) {
  return wireBytes(2, wireNumber(3, modelType));
}

inline std::string spmNormalizer(std::string_view map = "") {
  return wireBytes(3, wireBytes(1, "test") +
                          (map.empty() ? "" : wireBytes(2, map)));
}

/// Units of a double-array trie with the single key "A" and value `value`.
inline std::vector<uint32_t> trieOfA(uint32_t value) {
  std::vector<uint32_t> units(512, 0x80000000u);
  units[0] = 256u << 10;                          // root, base 256
  units[256 ^ 'A'] = 0x40u << 10 | 1u << 8 | 'A'; // base 321 ^ 0x40 = 257
  units[257] = 0x80000000u | value;
  return units;
}

/// A normalisation map of a trie and its texts.
inline std::string mapOf(const std::vector<uint32_t> &units,
                         std::string_view texts) {
  const auto bytes = static_cast<uint32_t>(units.size() * 4);
  std::string map(4 + bytes, '\0');
  std::memcpy(map.data(), &bytes, 4);
  std::memcpy(map.data() + 4, units.data(), bytes);
  return map + std::string(texts);
}

/// A map that turns "A" into "a".
inline std::string lowerA() {
  return mapOf(trieOfA(0), std::string_view("a\0", 2));
}

inline std::string spmPieces() {
  return spmPiece("<unk>", 0, 2) + spmPiece("<s>", 0, 3) +
         spmPiece("</s>", 0, 3) + spmPiece("\u2581", -2) +
         spmPiece("\u2581a", -2.5) + spmPiece("a", -3) + spmPiece("b", -3.5) +
         spmPiece("ab", -4.5);
}

/// A sound unigram model.
inline std::string smallSpm() {
  return spmPieces() + spmTrainer() + spmNormalizer(lowerA());
}

} // namespace dragoman::test

#endif // DRAGOMAN_TEST_RUNTIME_TEXT_SPMBUILDER_H
