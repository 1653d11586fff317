//===- SentencePieceFileTest.cpp - Checks of .spm files -------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/text/SentencePieceFile.h"
#include "runtime/text/SentencePiece.h"
#include "test/runtime/TestFiles.h"
#include "test/runtime/text/SpmBuilder.h"

#include <gmock/gmock.h>

#include <limits>
#include <random>

using namespace dragoman;
using namespace dragoman::test;
using testing::HasSubstr;

namespace {

std::string refusal(const std::string &file) {
  const auto pieces = readSentencePieceFile(file);
  return pieces.isOk() ? "accepted" : pieces.status().toString();
}

/// The refusal of a model with these pieces beside the unknown one.
std::string refusalOfPieces(const std::string &pieces) {
  return refusal(spmPiece("<unk>", 0, 2) + pieces + spmTrainer() +
                 spmNormalizer());
}

std::string refusalOfMap(const std::vector<uint32_t> &units,
                         std::string_view texts = {"a\0", 2}) {
  return checkPrecompiledMap(mapOf(units, texts)).message();
}

using Pieces = std::vector<std::string>;

TEST(SentencePieceFile, SmallModelIsReadAndWorks) {
  const auto pieces = readSentencePieceFile(smallSpm());
  ASSERT_TRUE(pieces.isOk()) << pieces.status().toString();
  ASSERT_EQ(pieces->size(), 8u);
  EXPECT_EQ((*pieces)[0].kind, PieceKind::Unknown);
  EXPECT_EQ((*pieces)[2].kind, PieceKind::Control);
  EXPECT_EQ((*pieces)[4].text, "\u2581a");
  EXPECT_EQ((*pieces)[4].kind, PieceKind::Normal);
  const auto model = SentencePiece::load(smallSpm());
  ASSERT_TRUE(model.isOk()) << model.status().toString();
  EXPECT_EQ(*(*model)->encode("Ab"), (Pieces{"\u2581a", "b"}))
      << "the map turns A into a";
  EXPECT_EQ(*(*model)->encode("  "), Pieces());
}

TEST(SentencePieceFile, BundledModelIsAccepted) {
  const auto pieces = readSentencePieceFile(
      bytesOf(sourcePath("models/multi30k-en-de/source.spm")));
  ASSERT_TRUE(pieces.isOk()) << pieces.status().toString();
  EXPECT_GE(pieces->size(), 3900u);
}

TEST(SentencePieceFile, RefusesEmptyAndForeignFiles) {
  EXPECT_EQ(refusal(""), "expected a SentencePiece model, found an empty file");
  EXPECT_THAT(refusal("<!DOCTYPE html>"), HasSubstr("expected"));
  EXPECT_EQ(refusal("version https://git-lfs.github.com/spec/v1\n"),
            "byte 0: expected wire type 0, 1, 2 or 5, found 6");
}

TEST(SentencePieceFile, RefusesBadPieces) {
  EXPECT_EQ(refusalOfPieces(spmPiece(std::string(100000, 'x'))),
            "piece 1: expected at most 4096 bytes, found 100000");
  EXPECT_EQ(refusalOfPieces(spmPiece(std::string("a\0b", 3))),
            "piece 1: expected no NUL character, found 'a?b'");
  EXPECT_EQ(refusalOfPieces(spmPiece("a") + spmPiece("b") + spmPiece("a")),
            "expected each piece once, found 'a' again");
  EXPECT_EQ(refusalOfPieces(spmPiece("")),
            "piece 1: expected a text, found an empty one");
  EXPECT_EQ(refusalOfPieces(spmPiece("a\x80")),
            "piece 1: expected UTF-8, found 'a\xEF\xBF\xBD'");
  EXPECT_EQ(
      refusalOfPieces(spmPiece("a", std::numeric_limits<float>::quiet_NaN())),
      "piece 1: expected a finite score, found nan");
  EXPECT_EQ(refusalOfPieces(spmPiece("a", 0, 7)),
            "piece 1: expected a kind from 1 to 6, found 7");
  EXPECT_EQ(refusalOfPieces(wireNumber(1, 3)),
            "expected a piece in wire type 2, found type 0");
}

TEST(SentencePieceFile, RefusesMissingAndRepeatedUnknown) {
  EXPECT_EQ(refusal(spmPiece("a") + spmTrainer() + spmNormalizer()),
            "expected one unknown piece, found none");
  EXPECT_EQ(refusalOfPieces(spmPiece("<unk2>", 0, 2)),
            "expected one unknown piece, found 2");
  EXPECT_EQ(refusal(spmTrainer() + spmNormalizer()),
            "expected pieces, found none");
}

TEST(SentencePieceFile, RefusesMissingSectionsAndModelTypes) {
  EXPECT_EQ(refusal(spmPieces() + spmTrainer()),
            "expected trainer and normaliser sections behind 8 pieces, found "
            "the end; the file is cut");
  EXPECT_EQ(refusal(spmPieces() + spmTrainer(9) + spmNormalizer()),
            "expected a model type from 1 to 4, found 9");
}

TEST(SentencePieceFile, RefusesWrongWireData) {
  EXPECT_EQ(refusal(std::string("\x0A\x05"
                                "ab",
                                4)),
            "byte 2: expected 5 bytes, found 2");
  EXPECT_EQ(refusal(std::string(11, '\xFF')),
            "byte 10: expected a number of at most 10 bytes, found a longer "
            "one");
  EXPECT_EQ(refusal(std::string("\0\0", 2)),
            "byte 0: expected a field number from 1 to 536870911, found 0");
  EXPECT_EQ(refusal(std::string("\x15\0\0", 3)),
            "byte 1: expected 4 bytes, found 2");
  // Lengths near 2^64 must not wrap around.
  EXPECT_THAT(refusal("\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"),
              HasSubstr("expected 18446744073709551615 bytes"));
}

TEST(PrecompiledMap, RefusesBadSizesAndTexts) {
  EXPECT_TRUE(checkPrecompiledMap("").isOk());
  EXPECT_TRUE(checkPrecompiledMap(lowerA()).isOk());
  EXPECT_FALSE(checkPrecompiledMap("abc").isOk());
  EXPECT_THAT(checkPrecompiledMap(std::string(100, '\xFF')).message(),
              HasSubstr("expected a trie of whole units before the texts"));
  EXPECT_THAT(refusalOfMap(trieOfA(0), ""), HasSubstr("a trie of whole units"));
  EXPECT_EQ(refusalOfMap(trieOfA(0), "a"),
            "normalisation map: expected UTF-8 texts ended by NUL, found other "
            "bytes");
}

TEST(PrecompiledMap, RefusesStepsOutsideTheArray) {
  EXPECT_EQ(refusalOfMap(trieOfA(2)),
            "normalisation map: expected values below 2, found 2");
  std::vector<uint32_t> units = trieOfA(0);
  units[0] = 512u << 10;
  EXPECT_EQ(refusalOfMap(units), "normalisation map: expected steps inside 512 "
                                 "units, found a step to unit 767");
  units = trieOfA(0);
  units[256 ^ 'A'] = 0x1FFFFFu << 10 | 1u << 9 | 'A';
  EXPECT_THAT(refusalOfMap(units),
              HasSubstr("expected steps inside 512 units"));
  units = {0};
  EXPECT_THAT(refusalOfMap(units), HasSubstr("expected steps inside 1 units"));
}

TEST(PrecompiledMap, RefusesCyclesAndTooManyMatches) {
  std::vector<uint32_t> units = trieOfA(0);
  // "A" leads back to the root's base.
  units[256 ^ 'A'] = static_cast<uint32_t>('A') << 10 | 'A';
  EXPECT_THAT(refusalOfMap(units), HasSubstr("found a cycle at unit 321"));
  // Keys a, aa, aaa, ... each with a value: one block of 256 units per step.
  for (uint32_t depth : {31u, 32u}) {
    std::vector<uint32_t> chain(256 * (depth + 2), 0x80000000u);
    chain[0] = 256u << 10;
    for (uint32_t i = 1; i <= depth; ++i) {
      const uint32_t unit = 256 * i ^ 'a';
      chain[unit] = (unit ^ (256 * (i + 1))) << 10 | 1u << 8 | 'a';
    }
    const std::string found = refusalOfMap(chain);
    if (depth < 32)
      EXPECT_EQ(found, "");
    else
      EXPECT_EQ(found, "normalisation map: expected fewer than 32 matching "
                       "prefixes, found more");
  }
}

TEST(SentencePieceFile, AnyCutIsRefusedOrSurvived) {
  const std::string file = smallSpm();
  for (size_t length = 0; length < file.size(); ++length)
    ASSERT_NE(refusal(file.substr(0, length)), "accepted")
        << "cut to " << length;
  const std::string bundled =
      bytesOf(sourcePath("models/multi30k-en-de/source.spm"));
  for (size_t i = 0; i < 64; ++i) {
    const size_t length = bundled.size() * i / 64;
    ASSERT_NE(refusal(bundled.substr(0, length)), "accepted")
        << "cut to " << length;
  }
}

/// Loads what the check accepts and splits a text with it.
void useIfAccepted(const std::string &file) {
  if (!readSentencePieceFile(file))
    return;
  const auto model = SentencePiece::load(file);
  if (model)
    (void)(*model)->encode("Ab AAAAb \u00E4\u20AC \uFB01 1\u00BD");
}

TEST(SentencePieceFile, AnyDamageIsSurvived) {
  testing::internal::CaptureStderr(); // the library logs what it refuses
  std::mt19937 random(27);
  const std::string file = smallSpm();
  for (int run = 0; run < 2000; ++run) {
    std::string damaged = file;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    useIfAccepted(damaged);
  }
  const std::string bundled =
      bytesOf(sourcePath("models/multi30k-en-de/source.spm"));
  for (int run = 0; run < 40; ++run) {
    std::string damaged = bundled;
    for (int i = 0; i < 3; ++i)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    useIfAccepted(damaged);
  }
  testing::internal::GetCapturedStderr();
}

} // namespace
