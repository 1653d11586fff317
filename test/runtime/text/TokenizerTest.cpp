//===- TokenizerTest.cpp - Lines to ids and back --------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/text/Tokenizer.h"
#include "runtime/text/Vocabulary.h"
#include "test/runtime/TestFiles.h"
#include "test/runtime/text/SpmBuilder.h"

#include <gmock/gmock.h>

#include <sstream>

using namespace dragoman;
using namespace dragoman::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

using Ids = std::vector<int64_t>;

std::vector<std::string> linesOf(const std::string &name) {
  std::istringstream stream(
      bytesOf(sourcePath("models/multi30k-en-de/reference/" + name)));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

Ids idsOf(const std::string &line) {
  std::istringstream stream(line);
  Ids ids;
  for (int64_t id; stream >> id;)
    ids.push_back(id);
  return ids;
}

TextDesc names() {
  TextDesc desc;
  desc.sourceModel = "source.spm";
  desc.targetModel = "target.spm";
  desc.sourceVocab = desc.targetVocab = "vocab.json";
  return desc;
}

/// The bundled model's tokenizer.
const Tokenizer &bundled() {
  static const std::unique_ptr<Tokenizer> tokenizer = [] {
    const std::string folder = sourcePath("models/multi30k-en-de/");
    const std::string source = bytesOf(folder + "source.spm");
    const std::string target = bytesOf(folder + "target.spm");
    const std::string vocab = bytesOf(folder + "vocab.json");
    auto created = Tokenizer::create(names(), {source, target, vocab, vocab});
    EXPECT_TRUE(created.isOk()) << created.status().toString();
    return std::move(*created);
  }();
  return *tokenizer;
}

const std::string smallVocab =
    "{\"</s>\":0,\"<unk>\":1,\"\u2581\":2,\"\u2581a\":3,\"a\":4,\"b\":5,"
    "\"ab\":6,\">>de<<\":7,\">>fr<<\":8,\"<pad>\":9}";

Result<std::unique_ptr<Tokenizer>> create(const std::string &source,
                                          const std::string &target,
                                          const std::string &vocab,
                                          TextDesc desc = names()) {
  return Tokenizer::create(desc, {source, target, vocab, vocab});
}

std::unique_ptr<Tokenizer> small() {
  auto created = create(smallSpm(), smallSpm(), smallVocab);
  EXPECT_TRUE(created.isOk()) << created.status().toString();
  return std::move(*created);
}

EncodedLine encoded(const Tokenizer &tokenizer, std::string_view line,
                    size_t maxIds = 0) {
  auto result = tokenizer.encode(line, maxIds);
  EXPECT_TRUE(result.isOk()) << result.status().toString();
  return *result;
}

TEST(Tokenizer, ReferenceIdsOfBothTestSets) {
  for (const char *set : {"test_2016_flickr", "test_2017_flickr"}) {
    const auto text = linesOf(std::string(set) + ".en");
    const auto ids = linesOf(std::string(set) + ".en.ids");
    ASSERT_EQ(text.size(), 1000u);
    ASSERT_EQ(ids.size(), text.size());
    for (size_t i = 0; i < text.size(); ++i) {
      const EncodedLine line = encoded(bundled(), text[i]);
      ASSERT_EQ(line.ids, idsOf(ids[i])) << set << " line " << i + 1;
      EXPECT_FALSE(line.blank);
      EXPECT_EQ(line.warning, "");
      EXPECT_EQ(line.fullLength, line.ids.size());
    }
  }
}

TEST(Tokenizer, ReferenceTextOfBothTestSets) {
  for (const char *set : {"test_2016_flickr", "test_2017_flickr"})
    for (const char *search : {".greedy", ".beam4"}) {
      const auto ids = linesOf(std::string(set) + search + ".ids");
      const auto text = linesOf(std::string(set) + search + ".de");
      ASSERT_EQ(ids.size(), 1000u);
      ASSERT_EQ(text.size(), ids.size());
      for (size_t i = 0; i < ids.size(); ++i)
        ASSERT_EQ(bundled().decode(idsOf(ids[i])), text[i])
            << set << search << " line " << i + 1;
    }
}

TEST(Tokenizer, SpecialIdsComeFromTheVocabulary) {
  EXPECT_EQ(bundled().eosId(), 0);
  EXPECT_EQ(bundled().unkId(), 1);
  EXPECT_EQ(bundled().padId(), 3999);
  EXPECT_EQ(bundled().sourceVocabulary().size(), 4000);
  EXPECT_THAT(bundled().warnings(), IsEmpty());
}

TEST(Tokenizer, BlankLines) {
  for (const char *line :
       {"", " ", "   ", "\t", "\r", "\u3000", "\u00A0", "\u200B", "\u200D",
        "\uFEFF", "\uFFFD", "\u200D\uFE0F", "\x01", "\x7F"}) {
    const EncodedLine result = encoded(bundled(), line);
    EXPECT_TRUE(result.blank) << "'" << line << "'";
    EXPECT_THAT(result.ids, IsEmpty());
  }
  EXPECT_TRUE(encoded(bundled(), std::string(3, '\0')).blank);
  for (const char *line : {".", "\U00012000", "\u0301", "a\u200Db"})
    EXPECT_FALSE(encoded(bundled(), line).blank) << "'" << line << "'";
}

TEST(Tokenizer, NulIsASpace) {
  const std::string withNul("A man\0in a hat", 14);
  EXPECT_EQ(encoded(bundled(), withNul).ids,
            encoded(bundled(), "A man in a hat").ids);
}

TEST(Tokenizer, PiecesMissingInTheVocabularyAreUnknown) {
  const std::string vocab =
      "{\"</s>\":0,\"<unk>\":1,\"\u2581\":2,\"\u2581a\":3,\"a\":4,\"<pad>\":5,"
      "\"ab\":6}";
  const auto tokenizer = create(smallSpm(), smallSpm(), vocab);
  ASSERT_TRUE(tokenizer.isOk()) << tokenizer.status().toString();
  // "b" is id 6 of the .spm file, which is "ab" in the vocabulary.
  const EncodedLine line = encoded(**tokenizer, "a b");
  EXPECT_THAT(line.ids, ElementsAre(3, 2, 1, 0));
  EXPECT_EQ(line.unknown, 1u);
}

TEST(Tokenizer, TextNeverBecomesASpecialToken) {
  for (const char *text : {"</s>", "<pad>", "<unk>", "<s>", "a </s> b"}) {
    const EncodedLine line = encoded(bundled(), text);
    ASSERT_FALSE(line.ids.empty());
    for (size_t i = 0; i + 1 < line.ids.size(); ++i) {
      EXPECT_NE(line.ids[i], 0) << text;
      EXPECT_NE(line.ids[i], 3999) << text;
    }
  }
  // All characters are unknown to the model and come out as one piece that is
  // spelt like the pad token.
  const auto tokenizer = small();
  const EncodedLine line = encoded(*tokenizer, "<pad>");
  EXPECT_EQ(std::count(line.ids.begin(), line.ids.end(), 9), 0);
}

TEST(Tokenizer, LanguageTags) {
  const auto tokenizer = small();
  EXPECT_THAT(encoded(*tokenizer, ">>de<< a").ids, ElementsAre(7, 3, 0));
  EXPECT_THAT(encoded(*tokenizer, ">>fr<<a").ids, ElementsAre(8, 3, 0));
  EXPECT_TRUE(encoded(*tokenizer, ">>de<<").blank) << "a tag alone is blank";
  EXPECT_TRUE(encoded(*tokenizer, ">>de<<  ").blank);

  const EncodedLine unknown = encoded(*tokenizer, ">>xx<< a");
  EXPECT_EQ(unknown.warning,
            "the model does not know the language tag >>xx<<; it is read as "
            "text (known: >>de<<, >>fr<<)");
  EXPECT_EQ(unknown.ids, encoded(*tokenizer, " >>xx<< a").ids);
  // Only at the very start, and only with its end.
  EXPECT_EQ(std::count(unknown.ids.begin(), unknown.ids.end(), 7), 0);
  for (const char *text : {"a >>de<< b", ">>de a", " >>de<< a", ">> a <<"}) {
    const EncodedLine line = encoded(*tokenizer, text);
    EXPECT_EQ(std::count(line.ids.begin(), line.ids.end(), 7), 0) << text;
    EXPECT_EQ(line.warning, "") << text;
  }
  EXPECT_THAT(encoded(bundled(), ">>de<< A man").warning,
              HasSubstr("(the model knows no language tags)"));
}

TEST(Tokenizer, CutToTheLimit) {
  const auto tokenizer = small();
  EXPECT_THAT(encoded(*tokenizer, "a a a b", 3).ids, ElementsAre(3, 3, 0));
  EXPECT_EQ(encoded(*tokenizer, "a a a b", 3).fullLength, 6u);
  const EncodedLine fits = encoded(*tokenizer, "a a a b", 6);
  EXPECT_EQ(fits.ids.size(), 6u);
  EXPECT_EQ(fits.fullLength, 6u);
}

TEST(Tokenizer, DecodeSkipsWhatIsNoText) {
  const auto tokenizer = small();
  EXPECT_EQ(tokenizer->decode(Ids{9, 3, 1, 5, 0}), "ab");
  EXPECT_EQ(tokenizer->decode(Ids{3, 3, 2, 6}), "a a ab");
  EXPECT_EQ(tokenizer->decode(Ids{2, 3}), " a") << "one leading space goes";
  EXPECT_EQ(tokenizer->decode(Ids{-1, 3, 10, 1000000}), "a");
  EXPECT_EQ(tokenizer->decode(Ids{}), "");
  EXPECT_THAT(tokenizer->pieces(Ids{9, 3, 0}),
              ElementsAre("<pad>", "\u2581a", "</s>"));
}

TEST(Tokenizer, BytePiecesAreJoinedBeforeRepair) {
  const std::string spm = spmPieces() + spmPiece("<0xC3>", 0, 6) +
                          spmPiece("<0xA4>", 0, 6) + spmTrainer() +
                          spmNormalizer();
  const std::string vocab = "{\"</s>\":0,\"<unk>\":1,\"<pad>\":2,\"\u2581a\":3,"
                            "\"<0xC3>\":4,\"<0xA4>\":5,\"<s>\":6}";
  const auto tokenizer = create(smallSpm(), spm, vocab);
  ASSERT_TRUE(tokenizer.isOk()) << tokenizer.status().toString();
  EXPECT_EQ((*tokenizer)->decode(Ids{3, 4, 5, 6}), "a\u00E4")
      << "control pieces leave no text";
  EXPECT_EQ((*tokenizer)->decode(Ids{4, 3}), "\uFFFD a");
}

TEST(Tokenizer, CleanUpOnlyOnRequest) {
  const std::string spm = spmPieces() + spmPiece("\u2581!", -5) +
                          spmPiece("\u2581's", -5) + spmTrainer() +
                          spmNormalizer();
  const std::string vocab = "{\"</s>\":0,\"<unk>\":1,\"<pad>\":2,\"\u2581a\":3,"
                            "\"\u2581!\":4,\"\u2581's\":5}";
  TextDesc desc = names();
  const auto plain = create(spm, spm, vocab, desc);
  desc.cleanUpSpaces = true;
  const auto clean = create(spm, spm, vocab, desc);
  ASSERT_TRUE(plain.isOk() && clean.isOk());
  EXPECT_EQ((*plain)->decode(Ids{3, 5, 4}), "a 's !");
  EXPECT_EQ((*clean)->decode(Ids{3, 5, 4}), "a's!");
}

TEST(Tokenizer, ForeignFilesAreAWarning) {
  const std::string foreign = spmPiece("<unk>", 0, 2) + spmPiece("x") +
                              spmPiece("y") + spmPiece("a") + spmTrainer() +
                              spmNormalizer();
  const auto tokenizer = create(foreign, smallSpm(), smallVocab);
  ASSERT_TRUE(tokenizer.isOk()) << tokenizer.status().toString();
  EXPECT_THAT(
      (*tokenizer)->warnings(),
      ElementsAre("source.spm: 2 of 3 pieces are not in vocab.json; the "
                  "tokenizer files may be swapped or from another model"));
  EXPECT_THAT(small()->warnings(), IsEmpty());
}

TEST(Tokenizer, SwappedFilesOfSeparateVocabulariesAreTwoWarnings) {
  const std::string head = spmPiece("<unk>", 0, 2);
  const std::string tail = spmTrainer() + spmNormalizer();
  const std::string english = head + spmPiece("a") + spmPiece("b") + tail;
  const std::string german = head + spmPiece("c") + spmPiece("d") + tail;
  const std::string specials = "{\"</s>\":0,\"<unk>\":1,\"<pad>\":2,";
  const std::string englishVocab = specials + "\"a\":3,\"b\":4}";
  const std::string germanVocab = specials + "\"c\":3,\"d\":4}";
  TextDesc desc = names();
  desc.targetVocab = "target_vocab.json";
  const auto right =
      Tokenizer::create(desc, {english, german, englishVocab, germanVocab});
  ASSERT_TRUE(right.isOk()) << right.status().toString();
  EXPECT_THAT((*right)->warnings(), IsEmpty());
  EXPECT_EQ((*right)->decode(Ids{3, 4}), "cd");
  const auto swapped =
      Tokenizer::create(desc, {german, english, englishVocab, germanVocab});
  ASSERT_TRUE(swapped.isOk());
  ASSERT_EQ((*swapped)->warnings().size(), 2u);
  EXPECT_THAT((*swapped)->warnings()[1],
              HasSubstr("target.spm: 2 of 2 pieces are not in "
                        "target_vocab.json"));
}

TEST(Tokenizer, RefusalsNameTheFile) {
  const auto refusal = [](const auto &created) {
    return created.isOk() ? "accepted" : created.status().toString();
  };
  EXPECT_EQ(refusal(create("", smallSpm(), smallVocab)),
            "source.spm: expected a SentencePiece model, found an empty file");
  EXPECT_EQ(refusal(create(smallSpm(), "", smallVocab)),
            "target.spm: expected a SentencePiece model, found an empty file");
  EXPECT_EQ(refusal(create(smallSpm(), smallSpm(), "[]")),
            "vocab.json: expected a JSON object from token to id, found an "
            "array");
  EXPECT_EQ(refusal(create(smallSpm(), smallSpm(),
                           "{\"</s>\":0,\"<unk>\":1,\"a\":2}")),
            "vocab.json: expected token '<pad>', found 3 tokens without it");
  TextDesc desc = names();
  desc.kind = "bytes";
  EXPECT_EQ(refusal(create(smallSpm(), smallSpm(), smallVocab, desc)),
            "expected a tokenizer of kind marian or words, found 'bytes'");
}

TEST(Tokenizer, HardTextGivesIdsOfTheVocabulary) {
  const std::string combining = [] {
    std::string text = "a";
    for (int i = 0; i < 500; ++i)
      text += "\u0301";
    return text;
  }();
  for (const std::string &text :
       {std::string("\U00012000\U00012001"), std::string("\u0F40\u0F41"),
        std::string("\U0001F468\u200D\U0001F469\u200D\U0001F467 \U0001F1E9"),
        combining, std::string("\u202Eabc\u202C"), std::string(100000, 'x'),
        std::string("a \uFFFD b"), std::string("a ||| b @@ c")}) {
    const EncodedLine line = encoded(bundled(), text);
    ASSERT_FALSE(line.ids.empty());
    EXPECT_EQ(line.ids.back(), 0);
    for (int64_t id : line.ids) {
      EXPECT_GE(id, 0);
      EXPECT_LT(id, 4000);
    }
  }
}

} // namespace
