//===- RowTable.cpp - Which cache row holds which key ---------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/decode/RowTable.h"

#include <algorithm>
#include <cassert>
#include <numeric>

using namespace dragoman;

RowTable::RowTable(int64_t rows) : freeList(size_t(rows)) {
  std::iota(freeList.begin(), freeList.end(), 0);
}

size_t RowTable::open(int64_t width) {
  assert(width >= 1 && width <= freeRows() && "the caller checks freeRows");
  auto slot = std::find_if(
      sentences.begin(), sentences.end(),
      [](const Sentence &sentence) { return sentence.rows.empty(); });
  if (slot == sentences.end())
    slot = sentences.insert(sentences.end(), Sentence());
  slot->rows.assign(freeList.begin(), freeList.begin() + width);
  freeList.erase(freeList.begin(), freeList.begin() + width);
  slot->lines.assign(1, Line{slot->rows.front(), {}});
  return size_t(slot - sentences.begin());
}

void RowTable::close(size_t sentence) {
  std::vector<int32_t> &rows = sentences[sentence].rows;
  size_t middle = freeList.size();
  freeList.insert(freeList.end(), rows.begin(), rows.end());
  std::inplace_merge(freeList.begin(), freeList.begin() + middle,
                     freeList.end());
  sentences[sentence] = Sentence();
}

int32_t RowTable::writeRow(size_t sentence, size_t i) const {
  return sentences[sentence].lines[i].writeRow;
}

std::span<const int32_t> RowTable::cellRows(size_t sentence, size_t i) const {
  return sentences[sentence].lines[i].cells;
}

void RowTable::advance(size_t sentence, std::span<const int32_t> parents) {
  Sentence &owner = sentences[sentence];
  assert(parents.size() <= owner.rows.size() && "a beam wider than its rows");
  std::vector<Line> next(parents.size());
  std::vector<int32_t> spare = owner.rows;
  // The first child of a hypothesis goes on in its parent's row, so that the
  // cells of a surviving line tend to lie in one row; the others take the rows
  // that are left. Which row it is does not matter otherwise: the cells of the
  // next position are all unwritten.
  for (size_t i = 0; i < parents.size(); ++i) {
    const Line &parent = owner.lines[size_t(parents[i])];
    next[i].cells = parent.cells;
    next[i].cells.push_back(parent.writeRow);
    auto it = std::find(spare.begin(), spare.end(), parent.writeRow);
    next[i].writeRow = it == spare.end() ? -1 : *it;
    if (it != spare.end())
      spare.erase(it);
  }
  size_t taken = 0;
  for (Line &line : next)
    if (line.writeRow < 0)
      line.writeRow = spare[taken++];
  owner.lines = std::move(next);
}
