//===- RowTableTest.cpp - Shared caches against copied ones ---------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/decode/RowTable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

using namespace dragoman;
using testing::ElementsAre;

namespace {

TEST(RowTable, FirstChildStaysInItsParentsRow) {
  RowTable table(4);
  size_t sentence = table.open(3);
  EXPECT_EQ(table.writeRow(sentence, 0), 0);
  table.advance(sentence, std::vector<int32_t>{0, 0, 0});
  EXPECT_EQ(table.writeRow(sentence, 0), 0);
  EXPECT_EQ(table.writeRow(sentence, 1), 1);
  EXPECT_EQ(table.writeRow(sentence, 2), 2);
  EXPECT_THAT(table.cellRows(sentence, 2), ElementsAre(0));
  table.advance(sentence, std::vector<int32_t>{2, 2, 0});
  EXPECT_EQ(table.writeRow(sentence, 0), 2);
  EXPECT_EQ(table.writeRow(sentence, 1), 1);
  EXPECT_EQ(table.writeRow(sentence, 2), 0);
  EXPECT_THAT(table.cellRows(sentence, 0), ElementsAre(0, 2));
  EXPECT_THAT(table.cellRows(sentence, 2), ElementsAre(0, 0));
}

TEST(RowTable, ClosedRowsAreGivenAgainLowestFirst) {
  RowTable table(6);
  size_t first = table.open(2), second = table.open(2);
  table.close(first);
  EXPECT_EQ(table.freeRows(), 4);
  size_t third = table.open(3);
  EXPECT_EQ(table.writeRow(third, 0), 0);
  table.advance(third, std::vector<int32_t>{0, 0, 0});
  EXPECT_EQ(table.writeRow(third, 2), 4);
  EXPECT_EQ(table.writeRow(second, 0), 2);
}

/// The naive model: every hypothesis has a cache of its own and copies it.
struct Copied {
  size_t handle;
  size_t width;
  std::vector<std::vector<int>> caches;
};

// Random beams that open, move and close: what is read through the table is
// what each hypothesis's own copy would hold.
TEST(RowTable, ReadsWhatACopiedCacheWouldHold) {
  constexpr int64_t rows = 24, capacity = 40;
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    RowTable table(rows);
    std::vector<std::vector<int>> cells(rows, std::vector<int>(capacity, -1));
    std::vector<Copied> open;
    int token = 0;
    for (int step = 0; step < 200; ++step) {
      size_t width = 1 + random() % 5;
      if (random() % 4 == 0 && table.freeRows() >= int64_t(width))
        open.push_back({table.open(int64_t(width)), width, {{}}});
      for (Copied &sentence : open) {
        // 1. Every hypothesis writes its cell.
        for (size_t i = 0; i < sentence.caches.size(); ++i) {
          std::vector<int> &own = sentence.caches[i];
          cells[size_t(table.writeRow(sentence.handle, i))][own.size()] = token;
          own.push_back(token++);
        }
        // 2. Random parents, some twice, some not at all; beams may shrink.
        std::vector<int32_t> parents(1 + random() % sentence.width);
        std::vector<std::vector<int>> next;
        for (int32_t &parent : parents) {
          parent = int32_t(random() % sentence.caches.size());
          next.push_back(sentence.caches[size_t(parent)]);
        }
        table.advance(sentence.handle, parents);
        sentence.caches = std::move(next);
      }
      // 3. Everything reads back.
      for (const Copied &sentence : open)
        for (size_t i = 0; i < sentence.caches.size(); ++i) {
          std::span<const int32_t> lines = table.cellRows(sentence.handle, i);
          ASSERT_EQ(lines.size(), sentence.caches[i].size());
          for (size_t j = 0; j < lines.size(); ++j)
            ASSERT_EQ(cells[size_t(lines[j])][j], sentence.caches[i][j]);
        }
      std::erase_if(open, [&](const Copied &sentence) {
        bool leaves = random() % 16 == 0 ||
                      sentence.caches.front().size() + 1 == capacity;
        if (leaves)
          table.close(sentence.handle);
        return leaves;
      });
    }
  }
}

} // namespace
