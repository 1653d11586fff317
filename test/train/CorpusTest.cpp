//===- CorpusTest.cpp - Sentence pairs as ids -----------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Corpus.h"
#include "test/train/TrainData.h"

using namespace dragoman;
using namespace dragoman::test;

TEST(IdCoder, WordsAndSpecials) {
  TemporaryFolder folder;
  writeWords(folder / "v", 3);
  auto coder = loadIdCoder("words", folder / "v");
  ASSERT_TRUE(coder.isOk()) << coder.status().toString();
  EXPECT_EQ((*coder)->tokens().size(), 7u); // <pad> is appended
  EXPECT_EQ((*coder)->special().start, 1);
  EXPECT_EQ((*coder)->special().end, 2);
  EXPECT_EQ((*coder)->special().pad, 6);
  EXPECT_EQ(*(*coder)->encode(" w2\t w0  </s> <pad> other"),
            (std::vector<int32_t>{5, 3, 0, 0, 0}));
  EXPECT_TRUE((*coder)->encode("  \t")->empty());
  EXPECT_EQ((*coder)->vocabularyJson().substr(0, 12), "{\n\"<unk>\": 0");
}

TEST(IdCoder, RefusesBrokenLists) {
  TemporaryFolder folder;
  writeBytes(folder / "twice", "<unk>\n</s>\na\nb\na\n");
  writeBytes(folder / "noend", "<unk>\na\n");
  writeBytes(folder / "spaces", "<unk>\n</s>\na b\n");
  EXPECT_EQ(loadIdCoder("words", folder / "twice").status().toString(),
            folder / "twice" +
                ": line 5: expected every word once, found 'a' also in line 3");
  EXPECT_EQ(loadIdCoder("words", folder / "noend").status().message(),
            "expected token '</s>', found 3 tokens without it");
  EXPECT_EQ(loadIdCoder("words", folder / "spaces").status().message(),
            "expected one word without spaces, found 'a b'");
}

TEST(Corpus, KeepsAndCounts) {
  SmallCorpus small(0);
  writeBytes(small.folder / "s.txt",
             "w0 w1\n\nw0\nw0 w0 w0 w0 w0\nw3 w4\nw0 w1\n\xff w1\n");
  writeBytes(small.folder / "t.txt",
             "w1 w2\nw1\n \nw1 w1\nw3 w4\nw1 w2\nw1 w1 w1\n");
  PairFilter filter;
  filter.maxLength = 5;
  filter.maxRatio = 1.5;
  filter.dropCopies = filter.dropDuplicates = true;
  Result<Corpus> corpus = small.load(filter);
  ASSERT_TRUE(corpus.isOk()) << corpus.status().toString();
  EXPECT_EQ(describe(corpus->counts()),
            "7 pairs: kept 2 (empty 2, long 1, ratio 0, copies 1, duplicates "
            "1); 6 src + 7 tgt tokens");
  EXPECT_EQ(corpus->counts().repairedLines, 1);
  EXPECT_EQ(corpus->counts().firstRepaired, 7);
  EXPECT_EQ(corpus->line(1), 7);
  std::vector<int32_t> source(corpus->source(1).begin(),
                              corpus->source(1).end());
  EXPECT_EQ(source, (std::vector<int32_t>{0, 4}));
}

TEST(Corpus, UnequalFiles) {
  SmallCorpus small(0);
  writeBytes(small.folder / "s.txt", "w0\nw1\nw2\n");
  writeBytes(small.folder / "t.txt", "w0\n\nw1\nw2\nw3\n");
  EXPECT_EQ(small.load().status().toString(),
            small.folder / "s.txt" + " has 3 lines, " + small.folder / "t.txt" +
                " has 5; first blank difference near line 2");
  writeBytes(small.folder / "t.txt", "w0\nw1\n");
  EXPECT_EQ(small.load().status().toString(),
            small.folder / "s.txt" + " has 3 lines, " + small.folder / "t.txt" +
                " has 2");
}

TEST(Corpus, Table) {
  SmallCorpus small(0);
  writeBytes(small.folder / "t.tsv", "w0\tw1\tsomebody\nw1 w2\tw3\n");
  Result<Corpus> corpus =
      Corpus::load({small.folder / "t.tsv", ""}, *small.coder, *small.coder, {},
                   "", small.pool);
  ASSERT_TRUE(corpus.isOk()) << corpus.status().toString();
  EXPECT_EQ(corpus->size(), 2);
  EXPECT_EQ(corpus->target(0)[0], 4);
  writeBytes(small.folder / "t.tsv", "w0\tw1\nw1 w2 w3\n");
  corpus = Corpus::load({small.folder / "t.tsv", ""}, *small.coder,
                        *small.coder, {}, "", small.pool);
  EXPECT_EQ(corpus.status().toString(),
            small.folder / "t.tsv" +
                ":2: expected source, tab and target, found no tab");
}

TEST(Corpus, NothingLeft) {
  SmallCorpus small(0);
  EXPECT_EQ(small.load().status().message(),
            "expected at least one pair, found 0 pairs: kept 0 (empty 0, long "
            "0, ratio 0); 0 src + 0 tgt tokens");
}

TEST(Corpus, CacheIsFoundAgainAndGuarded) {
  SmallCorpus small;
  std::string cache = small.folder / "cache";
  Result<Corpus> first = small.load({}, cache);
  ASSERT_TRUE(first.isOk()) << first.status().toString();
  EXPECT_FALSE(first->wasCached());
  Result<Corpus> second = small.load({}, cache);
  ASSERT_TRUE(second.isOk());
  EXPECT_TRUE(second->wasCached());
  ASSERT_EQ(second->size(), first->size());
  for (int64_t i = 0; i < first->size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(first->source(i), second->source(i)));
    EXPECT_TRUE(std::ranges::equal(first->target(i), second->target(i)));
  }
  // A damaged file is made again.
  std::string path = cache + "/" + first->hash() + ".ids";
  std::string bytes = bytesOf(path);
  bytes[bytes.size() / 2] ^= 1;
  writeBytes(path, bytes);
  EXPECT_FALSE(small.load({}, cache)->wasCached());
  EXPECT_TRUE(small.load({}, cache)->wasCached());
  // Other settings, other ids.
  PairFilter filter;
  filter.maxLength = 5;
  EXPECT_FALSE(small.load(filter, cache)->wasCached());
}
