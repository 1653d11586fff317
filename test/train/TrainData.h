//===- TrainData.h - Small corpora for tests --------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TEST_TRAIN_TRAINDATA_H
#define DRAGOMAN_TEST_TRAIN_TRAINDATA_H

#include "runtime/train/EpochPlan.h"
#include "test/runtime/TestFiles.h"

namespace dragoman::test {

/// A list of `words` words w0, w1, ... behind <unk>, <s> and </s>.
inline void writeWords(const std::string &path, int words) {
  std::string text = "<unk>\n<s>\n</s>\n";
  for (int i = 0; i < words; ++i)
    text += "w" + std::to_string(i) + "\n";
  writeBytes(path, text);
}

/// Pairs of 1 to `longest` words; the target is the source with every word's
/// number raised by one. Line i follows from i alone.
inline void writePairs(const std::string &source, const std::string &target,
                       int pairs, int words, int longest = 9) {
  std::string left, right;
  for (int i = 0; i < pairs; ++i) {
    int length = 1 + i * 7 % longest;
    for (int j = 0; j < length; ++j) {
      int word = (i * 13 + j * 5) % words;
      left += (j ? " w" : "w") + std::to_string(word);
      right += (j ? " w" : "w") + std::to_string((word + 1) % words);
    }
    left += "\n";
    right += "\n";
  }
  writeBytes(source, left);
  writeBytes(target, right);
}

/// A folder with words.txt, s.txt and t.txt, loaded.
struct SmallCorpus {
  TemporaryFolder folder;
  std::unique_ptr<IdCoder> coder;
  InlinePool pool;

  explicit SmallCorpus(int pairs = 200, int words = 12) {
    writeWords(folder / "words.txt", words);
    writePairs(folder / "s.txt", folder / "t.txt", pairs, words);
    auto loaded = loadIdCoder("words", folder / "words.txt");
    EXPECT_TRUE(loaded.isOk()) << loaded.status().toString();
    coder = std::move(*loaded);
  }

  Result<Corpus> load(const PairFilter &filter = {},
                      const std::string &cache = "") {
    return Corpus::load({folder / "s.txt", folder / "t.txt"}, *coder, *coder,
                        filter, cache, pool);
  }
  BatchLayout layout() const { return {coder->special(), coder->special()}; }
};

} // namespace dragoman::test

#endif // DRAGOMAN_TEST_TRAIN_TRAINDATA_H
