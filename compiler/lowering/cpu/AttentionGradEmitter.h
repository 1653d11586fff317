//===- AttentionGradEmitter.h - The parts of attention's gradient ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_ATTENTIONGRADEMITTER_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_ATTENTIONGRADEMITTER_H

#include "compiler/lowering/cpu/AttentionGradKernel.h"
#include "compiler/lowering/cpu/GemmEmitter.h"

namespace dragoman {

/// Emits one kernel. AttentionGradKernel.cpp walks blocks and tiles and
/// prepares their operands, AttentionGradTile.cpp computes a tile of queries
/// over a block of keys.
class AttentionGradEmitter {
public:
  using Value = mlir::Value;
  using Values = KernelBuilder::Values;

  AttentionGradEmitter(KernelBuilder &k, const AttentionGradSpec &spec);
  void emit();

private:
  /// Rows of whole vectors: row r begins at offset + r * step of `base`.
  struct Lines {
    Value base, offset, step;
    Value poisoned; ///< i1: some element is not finite
  };
  /// A block of keys: where it starts, how many, and their rows.
  struct Block {
    Value batch, keyHead, start, count;
    Lines rows;
  };
  /// A tile of queries: the first, how many, their rows, and the keys of the
  /// block that some of them sees.
  struct Tile {
    Value head, row, count, from, to;
    Lines q, dout;
  };
  /// dst(r) += sum over t of factor(r, t) * lines(t), one chain over t each.
  struct Product {
    Value rows, terms;
    int64_t maxRows; ///< bound of `rows`
    int64_t factor;  ///< part of the scratch
    Value start;     ///< of factor(0, 0) in it
    int64_t rowStep, termStep;
    Lines lines;
    int64_t size; ///< elements of a line
    int64_t slot; ///< of dst
    Value target, targetStep;
  };

  void clear(const AttentionOperand &operand, int64_t size, Value batch,
             Value head, Value rows);
  void emitBlock(Value batch, Value keyHead, Value start, Value limit);
  /// Panels of 16 rows, turned; true if some element is not finite.
  Value packPanels(const AttentionOperand &operand, const Block &block,
                   int64_t size, int64_t panels);
  Lines packRows(const Lines &rows, Value count, int64_t size, int64_t part);
  void emitTile(const Block &block, Value head, Value row);
  Values startTile(const Block &block, Tile &tile);
  Value rowMean(const AttentionQuery &query, const Tile &tile, Value local);

  void emitProducts(const Tile &tile, const Lines &rows, int64_t size,
                    int64_t panels, int64_t target);
  void productTile(const Lines &rows, Value row, int64_t height, Value panel,
                   int64_t width, int64_t size, int64_t panels, int64_t target);
  void gradients(const Block &block, const Tile &tile, Value row);
  void addProduct(const Product &product);
  void addTile(const Product &product, Value row, int64_t height, int64_t panel,
               int64_t width);
  void addCarefully(const Product &product);
  void addKeys(const Block &block, const Tile &tile);
  void addQueries(const Block &block, const Tile &tile);

  AttentionQuery query(const Block &block, const Tile &tile, Value local) {
    return {block.batch, tile.head, k.add(tile.row, local)};
  }
  Value rowOffset(const AttentionOperand &operand, Value batch, Value head,
                  Value row);
  Lines linesOf(const AttentionOperand &operand, Value batch, Value head,
                Value row);
  Value line(const Lines &lines, Value row) {
    return k.add(lines.offset, k.mul(row, lines.step));
  }

  Value scratchF(int64_t part) { return k.scratch(part, k.f32()); }
  Value scratchI(int64_t part) { return k.scratch(part, k.i64()); }
  Value window(Value base, Value offset) {
    return k.view(base, offset, {kernelLanes}, {int64_t(1)});
  }
  Value loadAt(Value base, Value offset) {
    return k.loadV(window(base, offset), k.index(0));
  }
  void storeAt(Value vector, Value base, Value offset) {
    k.storeV(vector, window(base, offset), k.index(0));
  }
  /// The 16 elements from `column` on of a row of `size`: those beyond it read
  /// as zero and are not written.
  Value loadColumns(Value base, Value row, int64_t column, int64_t size);
  void storeColumns(Value vector, Value base, Value row, int64_t column,
                    int64_t size);
  Value anyLane(Value lanes);
  int64_t tileHeight(int64_t width) const;

  KernelBuilder &k;
  const AttentionGradSpec &spec;
  AttentionGradScratch scratch;
  int64_t wide; ///< panels of a full register tile
};

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_ATTENTIONGRADEMITTER_H
