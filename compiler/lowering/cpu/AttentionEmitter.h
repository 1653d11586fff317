//===- AttentionEmitter.h - The parts of the attention kernel ---*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_ATTENTIONEMITTER_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_ATTENTIONEMITTER_H

#include "compiler/lowering/cpu/AttentionKernel.h"
#include "compiler/lowering/cpu/GemmEmitter.h"

namespace dragoman {

/// Emits one attention kernel. AttentionKernel.cpp walks tiles, rows and
/// blocks, AttentionKeys.cpp prepares a block of keys and values,
/// AttentionTile.cpp computes a tile of queries over one block.
class AttentionEmitter {
public:
  using Value = mlir::Value;
  using Values = KernelBuilder::Values;

  AttentionEmitter(KernelBuilder &k, const AttentionSpec &spec);
  void emit();

private:
  /// The queries of one walk over the keys: rows first .. first + count - 1,
  /// numbered over (b, t) from batch row `batch` on.
  struct Rows {
    Value batch, head, first, count;
  };
  /// A block of keys: the first one, how many, and the rows' last key.
  struct Keys {
    Value start, count;
  };
  /// A tile of the rows: the first, how many, and its keys of the block.
  struct Tile {
    Value row, count, from, to;
  };

  void emitRows(const Rows &rows);
  void emitShared(Value row, Value head);
  Values startRows(const Rows &rows);
  void emitBlock(const Rows &rows, const Keys &keys);
  void finishRows(const Rows &rows);
  AttentionQuery query(const Rows &rows, Value row);
  Value rowOffset(const AttentionOperand &operand, const Rows &rows, Value row);

  void prepareKeys(const Rows &rows, const Keys &keys);
  void packKeys(const Rows &rows, const Keys &keys);
  void findPanels(const Rows &rows, const Keys &keys);
  void blendPanel(Value lanes, Value valid, Value panel, Value cachePanel);
  void packValues(const Rows &rows, const Keys &keys);
  void findValues(const Rows &rows, const Keys &keys);
  Value keyBase(const AttentionOperand &operand, const Rows &rows, Value row);

  void emitTile(const Rows &rows, const Keys &keys, const Tile &tile);
  void emitScores(const Rows &rows, const Keys &keys, const Tile &tile);
  void scoreStrip(const Rows &rows, const Keys &keys, const Tile &tile,
                  Value panel, int64_t width, bool single);
  void scoreTile(const Rows &rows, const Keys &keys, const Tile &tile,
                 Value row, int64_t height, Value panel, int64_t width);
  void maximum(const Rows &rows, const Keys &keys, const Tile &tile, Value row);
  Values rowKeys(const Keys &keys, const Tile &tile, Value row);
  void updateMaxima(const Tile &tile);
  void probabilities(const Rows &rows, const Keys &keys, const Tile &tile,
                     Value row);
  void emitValues(const Rows &rows, const Keys &keys, const Tile &tile);
  void valueTile(const Rows &rows, const Keys &keys, const Tile &tile,
                 Value row, int64_t height, int64_t panel, int64_t width);
  void recomputeTile(const Rows &rows, const Keys &keys, const Tile &tile,
                     Value row, Value height, int64_t panel, int64_t width);
  /// V of the key `key` of the tile's part of the block, 16 columns from
  /// 16 * panel on; `keys` numbers from the tile's first key.
  std::function<Value(int64_t, Value)>
  valueLoader(const Rows &rows, const Keys &keys, const Tile &tile);

  /// Rows of a scratch matrix as a view [count][columns].
  Value scratchF(int64_t offset) { return k.scratch(offset, k.f32()); }
  Value scratchI(int64_t offset) { return k.scratch(offset, k.i64()); }
  Value loadIndex(int64_t part, Value at) {
    return k.toIndex(k.load(scratchI(part), at));
  }
  void storeIndex(int64_t part, Value at, Value index) {
    k.store(k.fromIndex(index, k.i64()), scratchI(part), at);
  }
  Value window(Value base, Value offset) {
    return k.view(base, offset, {kernelLanes}, {int64_t(1)});
  }
  Value loadAt(Value base, Value offset) {
    return k.loadV(window(base, offset), k.index(0));
  }
  void storeAt(Value vector, Value base, Value offset) {
    k.storeV(vector, window(base, offset), k.index(0));
  }
  /// Heights of register tiles `width` panels wide.
  int64_t tileHeight(int64_t width) const;
  bool inPlace() const { return spec.panels; }

  KernelBuilder &k;
  const AttentionSpec &spec;
  AttentionScratch scratch;
  int64_t lanesV; ///< panels of a value row
  int64_t wide;   ///< panels of a full register tile
  double exponentScale;
};

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_ATTENTIONEMITTER_H
