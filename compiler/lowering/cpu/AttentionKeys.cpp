//===- AttentionKeys.cpp - A block of keys and values for attention -------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/AttentionEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dragoman;

/// The address of element `offset` of `base`, as i64.
static Value addressOf(KernelBuilder &k, Value base, Value offset) {
  Value pointer = memref::ExtractAlignedPointerAsIndexOp::create(k.op(), base);
  return k.fromIndex(k.add(pointer, k.mul(offset, 4)), k.i64());
}

/// True if a lane of the i1 vector is set.
static Value anyLane(KernelBuilder &k, Value lanes) {
  return vector::ReductionOp::create(k.op(), vector::CombiningKind::OR, lanes);
}

void AttentionEmitter::prepareKeys(const Rows &rows, const Keys &keys) {
  bool byKey = spec.source == AttentionSource::RowOfKey;
  if (!spec.panels)
    packKeys(rows, keys);
  else if (byKey)
    findPanels(rows, keys);
  if (!spec.valuesInPlace)
    packValues(rows, keys);
  else if (byKey)
    findValues(rows, keys);
}

/// Element (source row `row`, the query head's key head, 0, 0).
Value AttentionEmitter::keyBase(const AttentionOperand &operand,
                                const Rows &rows, Value row) {
  Value head = k.div(rows.head, spec.heads / spec.keyHeads);
  Value offset = k.add(operand.offset, k.mul(row, operand.strides[0]));
  return k.add(offset, k.mul(head, operand.strides[1]));
}

/// The element where key `key` begins in a tensor of rows.
static Value keyOffset(KernelBuilder &k, const AttentionOperand &operand,
                       Value base, Value key) {
  return k.add(base, k.mul(key, operand.strides[2]));
}

/// keys [count][D] -> panels [ceil(count / 16)][D][16]; lanes past the last key
/// repeat it.
void AttentionEmitter::packKeys(const Rows &rows, const Keys &keys) {
  int64_t size = spec.headSize;
  Value base;
  if (spec.source != AttentionSource::RowOfKey)
    base = keyBase(spec.k, rows,
                   spec.sourceRow ? spec.sourceRow(rows.batch, Value())
                                  : rows.batch);
  Value slot = k.slot(spec.k.slot, k.f32());
  Value packed = scratchF(scratch.keys);
  Value last = k.sub(keys.count, 1);
  k.forLoop(
      k.index(0), k.ceilDiv(keys.count, kernelLanes), 1, [&](Value panel) {
        Values offsets;
        for (int64_t i = 0; i < kernelLanes; ++i) {
          Value local = k.min(k.add(k.mul(panel, kernelLanes), i), last);
          Value key = k.add(keys.start, local);
          Value from =
              base ? base
                   : keyBase(spec.k, rows, spec.sourceRow(rows.batch, key));
          offsets.push_back(keyOffset(k, spec.k, from, key));
        }
        Value target = k.mul(panel, size * kernelLanes);
        auto block = [&](Value d, int64_t columns) {
          Values lines;
          for (Value offset : offsets) {
            Value place = window(slot, k.add(offset, d));
            lines.push_back(columns == kernelLanes
                                ? k.loadV(place, k.index(0))
                                : k.loadMasked(place, k.index(0),
                                               k.tailMask(k.index(columns))));
          }
          Values turned = k.transpose16(lines);
          Value start = k.add(target, k.mul(d, kernelLanes));
          for (int64_t c = 0; c < columns; ++c)
            storeAt(turned[c], packed, k.add(start, c * kernelLanes));
        };
        int64_t whole = size / kernelLanes * kernelLanes;
        k.forLoop(k.index(0), k.index(whole), kernelLanes,
                  [&](Value d) { block(d, kernelLanes); });
        if (whole < size)
          block(k.index(whole), size - whole);
      });
}

/// Notes for each panel of the block where it lies: in the cache if its keys
/// are of one row, else put together in scratch.
void AttentionEmitter::findPanels(const Rows &rows, const Keys &keys) {
  int64_t panelSize = spec.headSize * kernelLanes;
  Value slot = k.slot(spec.k.slot, k.f32());
  k.forLoop(
      k.index(0), k.ceilDiv(keys.count, kernelLanes), 1, [&](Value panel) {
        Value local = k.mul(panel, kernelLanes);
        Value key = k.add(keys.start, local);
        Value valid = k.tailMask(k.min(k.sub(keys.count, local), kernelLanes));
        Value lanes = spec.sourceRows(rows.batch, key, valid);
        Value first = k.extract(lanes, 0);
        Value other = arith::AndIOp::create(
            k.op(), valid,
            k.cmp(arith::CmpIPredicate::ne, lanes, k.broadcast(first)));
        Value cachePanel = k.mul(k.div(key, kernelLanes), panelSize);
        k.ifElse(
            anyLane(k, other),
            [&] {
              blendPanel(lanes, valid, k.mul(panel, panelSize),
                         k.add(keyBase(spec.k, rows, k.index(0)), cachePanel));
              k.store(
                  addressOf(k, scratchF(scratch.keys), k.mul(panel, panelSize)),
                  scratchI(scratch.panels), panel);
            },
            [&] {
              Value base = keyBase(spec.k, rows, k.toIndex(first));
              k.store(addressOf(k, slot, k.add(base, cachePanel)),
                      scratchI(scratch.panels), panel);
            });
      });
}

/// Copies a panel whose lanes come from several rows: each row's lanes at once.
/// `cachePanel` is the panel of row 0.
void AttentionEmitter::blendPanel(Value lanes, Value valid, Value panel,
                                  Value cachePanel) {
  Value slot = k.slot(spec.k.slot, k.f32());
  Value packed = scratchF(scratch.keys);
  k.forLoop(k.index(0), k.index(kernelLanes), 1, {valid},
            [&](Value lane, ValueRange carried) -> Values {
              Value open = carried[0];
              Value row = vector::ExtractOp::create(k.op(), lanes, lane);
              Value same = arith::AndIOp::create(
                  k.op(), open,
                  k.cmp(arith::CmpIPredicate::eq, lanes, k.broadcast(row)));
              k.ifThen(anyLane(k, same), [&] {
                Value source =
                    k.add(cachePanel, k.mul(k.toIndex(row), spec.k.strides[0]));
                k.forLoop(k.index(0), k.index(spec.headSize), 1, [&](Value d) {
                  Value line = k.mul(d, kernelLanes);
                  Value value = k.loadMasked(window(slot, k.add(source, line)),
                                             k.index(0), same);
                  k.storeMasked(value, window(packed, k.add(panel, line)),
                                k.index(0), same);
                });
              });
              return {arith::XOrIOp::create(k.op(), open, same)};
            });
}

/// values [count][Dv] -> dense rows of whole vectors.
void AttentionEmitter::packValues(const Rows &rows, const Keys &keys) {
  Value base;
  if (spec.source != AttentionSource::RowOfKey)
    base = keyBase(spec.v, rows,
                   spec.sourceRow ? spec.sourceRow(rows.batch, Value())
                                  : rows.batch);
  Value slot = k.slot(spec.v.slot, k.f32());
  Value packed = scratchF(scratch.values);
  k.forLoop(k.index(0), keys.count, 1, [&](Value local) {
    Value key = k.add(keys.start, local);
    Value from =
        base ? base : keyBase(spec.v, rows, spec.sourceRow(rows.batch, key));
    Value source = keyOffset(k, spec.v, from, key);
    Value target = k.mul(local, scratch.valueLanes);
    for (int64_t panel = 0; panel < lanesV; ++panel) {
      int64_t column = panel * kernelLanes;
      Value place = window(slot, k.add(source, column));
      Value value =
          column + kernelLanes <= spec.valueSize
              ? k.loadV(place, k.index(0))
              : k.loadMasked(place, k.index(0),
                             k.tailMask(k.index(spec.valueSize - column)));
      storeAt(value, packed, k.add(target, column));
    }
  });
}

/// Notes for each key of the block where its values begin.
void AttentionEmitter::findValues(const Rows &rows, const Keys &keys) {
  k.forLoop(k.index(0), keys.count, 1, [&](Value local) {
    Value key = k.add(keys.start, local);
    Value base = keyBase(spec.v, rows, spec.sourceRow(rows.batch, key));
    storeIndex(scratch.valueRows, local, keyOffset(k, spec.v, base, key));
  });
}
