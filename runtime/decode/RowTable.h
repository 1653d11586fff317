//===- RowTable.h - Which cache row holds which key -------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The caches of a decoder have `rows` physical rows of `capacity` cells. A
// sentence owns as many rows as its beam is wide. All its hypotheses stand at
// the same position, so each one writes its next cell into a row of its own,
// and a hypothesis that continues another one keeps pointing at the cells its
// ancestors wrote. Nothing is ever copied.
//
// Law: after any sequence of steps, cellRow(sentence, i, j) is the row in which
// the j-th token of hypothesis i was written, and no later step of any sentence
// writes that cell while the hypothesis lives.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_DECODE_ROWTABLE_H
#define DRAGOMAN_RUNTIME_DECODE_ROWTABLE_H

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

class RowTable {
public:
  /// A table over `rows` physical rows, all free.
  explicit RowTable(int64_t rows);

  int64_t freeRows() const { return int64_t(freeList.size()); }

  /// Gives `width` rows, the lowest free ones, to a new sentence with one
  /// hypothesis and an empty history; freeRows() >= width. Returns its handle.
  size_t open(int64_t width);
  /// Takes the rows of a sentence back.
  void close(size_t sentence);

  /// Row into which hypothesis `i` writes its next cell.
  int32_t writeRow(size_t sentence, size_t i) const;
  /// Row of each cell of hypothesis `i` that is already written, in order.
  std::span<const int32_t> cellRows(size_t sentence, size_t i) const;

  /// Every hypothesis has written its cell; hypothesis i of the next step
  /// continues parents[i]. At most `width` of them.
  void advance(size_t sentence, std::span<const int32_t> parents);

private:
  struct Line {
    int32_t writeRow;
    std::vector<int32_t> cells;
  };
  struct Sentence {
    std::vector<int32_t> rows; ///< empty when the handle is free
    std::vector<Line> lines;   ///< one per hypothesis
  };

  std::vector<int32_t> freeList; ///< ascending
  std::vector<Sentence> sentences;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_DECODE_ROWTABLE_H
