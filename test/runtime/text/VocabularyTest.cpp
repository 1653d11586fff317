//===- VocabularyTest.cpp - vocab.json ------------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/text/Vocabulary.h"
#include "test/runtime/TestFiles.h"

#include <gmock/gmock.h>

#include <random>

using namespace dragoman;
using namespace dragoman::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::string refusal(const std::string &json) {
  const auto vocabulary = Vocabulary::parse(json);
  return vocabulary.isOk() ? "accepted" : vocabulary.status().toString();
}

/// A vocabulary of </s>, <unk>, <pad> and words up to `size` tokens.
Vocabulary sized(int64_t size) {
  std::string json = R"({"</s>":0,"<unk>":1,"<pad>":2)";
  for (int64_t id = 3; id < size; ++id)
    json += ",\"w" + std::to_string(id) + "\":" + std::to_string(id);
  auto parsed = Vocabulary::parse(json + "}");
  EXPECT_TRUE(parsed.isOk()) << parsed.status().toString();
  return std::move(*parsed);
}

VocabularyExpectation expecting(int64_t configSize, int64_t logitsWidth) {
  return {configSize, logitsWidth, {"</s>", "<unk>", "<pad>"}};
}

std::string checked(int64_t size, int64_t configSize, int64_t logitsWidth) {
  std::string warning;
  const Status status =
      checkVocabulary(sized(size), expecting(configSize, logitsWidth), warning);
  return status.isOk() ? "ok " + warning : status.toString();
}

TEST(Vocabulary, BothWays) {
  const auto parsed =
      Vocabulary::parse("{\"b\": 1, \"\\u2581a\": 0, \">>de<<\": 2}");
  ASSERT_TRUE(parsed.isOk()) << parsed.status().toString();
  const Vocabulary &vocabulary = *parsed;
  EXPECT_EQ(vocabulary.size(), 3);
  EXPECT_EQ(vocabulary.id("\u2581a"), 0);
  EXPECT_EQ(vocabulary.id("c"), std::nullopt);
  EXPECT_EQ(vocabulary.token(1), "b");
  EXPECT_THAT(vocabulary.languageTags(), ElementsAre(">>de<<"));
}

TEST(Vocabulary, RefusesWhatIsNoObject) {
  EXPECT_EQ(refusal(""), "expected a JSON object from token to id, found an "
                         "empty file");
  EXPECT_EQ(refusal("[\"a\"]"),
            "expected a JSON object from token to id, found an array");
  EXPECT_EQ(refusal("3"),
            "expected a JSON object from token to id, found a number");
  EXPECT_THAT(refusal("{\"a\":0"), HasSubstr("found an error at byte"));
  EXPECT_THAT(refusal("{\"a\":0} x"), HasSubstr("found an error at byte"));
  EXPECT_EQ(refusal("{}"), "expected at least one token, found none");
}

TEST(Vocabulary, RefusesBadIds) {
  EXPECT_EQ(refusal(R"({"a":0,"b":0})"),
            "expected one token for id 0, found 'a' and 'b'");
  EXPECT_EQ(refusal(R"({"a":0,"a":1})"),
            "expected each token once, found 'a' with ids 0 and 1");
  EXPECT_EQ(refusal(R"({"a":0,"b":2})"),
            "expected ids 0 to 1 for 2 tokens, found no token with id 1, but "
            "'b' with id 2");
  EXPECT_EQ(refusal(R"({"a":1,"b":2})"),
            "expected ids 0 to 1 for 2 tokens, found no token with id 0, but "
            "'b' with id 2");
  EXPECT_EQ(refusal(R"({"a":-1})"),
            "expected an id >= 0 for token 'a', found number -1");
  EXPECT_EQ(refusal(R"({"a":1.5})"),
            "expected an id >= 0 for token 'a', found number 1.5");
  EXPECT_EQ(refusal(R"({"a":"0"})"),
            "expected an id >= 0 for token 'a', found a string");
  EXPECT_EQ(refusal(R"({"a":{"b":0}})"),
            "expected an id >= 0 for token 'a', found an object");
  EXPECT_EQ(refusal(R"({"a":18446744073709551615})"),
            "expected an id >= 0 for token 'a', found number "
            "18446744073709551615");
}

TEST(Vocabulary, SizesMustAgreeWithConfigAndLogits) {
  EXPECT_EQ(checked(10, 10, 10), "ok ");
  EXPECT_EQ(checked(10, 0, 0), "ok ");
  EXPECT_EQ(checked(10, 9, 10),
            "expected 9 tokens (vocab_size of config.json), found 10");
  EXPECT_EQ(checked(10, 11, 0),
            "expected 11 tokens (vocab_size of config.json), found 10");
  EXPECT_EQ(checked(10, 10, 8), "expected ids below the 8 columns of the "
                                "logits, found 'w8' with id 8");
  EXPECT_EQ(checked(10, 300, 300),
            "expected 300 tokens (vocab_size of config.json), found 10");
  EXPECT_EQ(checked(10, 10, 300), "expected a token for each of the 300 "
                                  "columns of the logits, found 10 tokens");
}

TEST(Vocabulary, PaddingRowsAreAWarning) {
  EXPECT_EQ(checked(10, 10, 11),
            "ok 10 tokens but logits have 11 columns; id 10 has no token "
            "(padding row: it will be forbidden)");
  EXPECT_EQ(checked(10, 16, 16),
            "ok 10 tokens but logits have 16 columns; id 10 to 15 have no "
            "token (padding rows: they will be forbidden)");
}

TEST(Vocabulary, RequiredTokensAreNamed) {
  std::string warning;
  const auto vocabulary = Vocabulary::parse(R"({"</s>":0,"<unk>":1})");
  ASSERT_TRUE(vocabulary.isOk());
  EXPECT_EQ(checkVocabulary(*vocabulary, expecting(2, 2), warning).toString(),
            "expected token '<pad>', found 2 tokens without it");
}

TEST(Vocabulary, BundledVocabularyIsAccepted) {
  const auto parsed = Vocabulary::parse(
      bytesOf(sourcePath("models/multi30k-en-de/vocab.json")));
  ASSERT_TRUE(parsed.isOk()) << parsed.status().toString();
  std::string warning;
  EXPECT_TRUE(checkVocabulary(*parsed, expecting(4000, 4000), warning).isOk());
  EXPECT_EQ(warning, "");
}

TEST(Vocabulary, AnyCutIsRefused) {
  const std::string json = R"({"</s>":0,"\u2581a":1,"b\"":2})";
  for (size_t length = 0; length < json.size(); ++length)
    EXPECT_NE(refusal(json.substr(0, length)), "accepted")
        << "cut to " << length;
}

TEST(Vocabulary, AnyDamageIsSurvived) {
  std::mt19937 random(28);
  const std::string json = R"({"</s>":0,"\u2581a":1,"b\"":2,"cd":3})";
  for (int run = 0; run < 20000; ++run) {
    std::string damaged = json;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    const auto parsed = Vocabulary::parse(damaged);
    if (!parsed)
      continue;
    for (int64_t id = 0; id < parsed->size(); ++id)
      ASSERT_EQ(parsed->id(parsed->token(id)), id) << damaged;
  }
}

} // namespace
