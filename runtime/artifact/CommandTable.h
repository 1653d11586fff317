//===- CommandTable.h - Serialised entries of a compiled model --*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry (encode, decode, step, ...) is a flat list of commands
// over slots. The compiler's emit stage writes one table per entry into
// `commands/<entry>.bin`; the executor walks it on any device.
//
// All sizes are bytes, all expressions are DimExpr texts in the entry's dims.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_ARTIFACT_COMMANDTABLE_H
#define DRAGOMAN_RUNTIME_ARTIFACT_COMMANDTABLE_H

#include "runtime/artifact/DimExpr.h"
#include "runtime/base/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

/// Element types of tensors at the border of an entry. The values are stored
/// in artifacts: append only.
enum class ElementType : uint8_t {
  F32 = 0, F64 = 1, F16 = 2, BF16 = 3, I64 = 4, I32 = 5, I8 = 6, U8 = 7, I1 = 8,
};

/// Bytes of one element (I1 is one byte, 0 or 1).
int64_t elementSize(ElementType type);
/// "f32", "i64", ... and back.
const char *elementTypeName(ElementType type);
Result<ElementType> parseElementType(std::string_view name);

/// A tensor at the border of an entry, or a state.
struct TensorDesc {
  std::string name;
  ElementType type = ElementType::F32;
  /// One expression per axis; a dynamic axis of an entry input is a plain name,
  /// which the run binds from the given tensor.
  std::vector<DimExpr> shape;
};

/// A state: a tensor that lives in the session between runs (KV caches).
struct StateDesc {
  TensorDesc tensor;      ///< logical shape, for example [R,H,Cap,D]
  std::string layout;     ///< "rows" or "panel16" (see docs/artifact.md)
  int32_t rowAxis = 0;    ///< axis that a beam row indexes
  int32_t appendAxis = 2; ///< axis that grows; its extent is a multiple of 16
};

/// Where a slot's bytes come from.
enum class SlotSpace : uint8_t {
  Input = 0,  ///< index = number of the entry's input
  Output = 1, ///< index = number of the entry's output
  State = 2,  ///< index = number of the model's state
  Weight = 3, ///< index = number of the model's weight (manifest order)
  Arena = 4,  ///< the session's work arena, at `offset`
};

struct SlotDesc {
  SlotSpace space = SlotSpace::Arena;
  uint32_t index = 0;
  DimExpr offset; ///< bytes from the start of the space's buffer
  DimExpr bytes;
};

enum class CommandKind : uint8_t {
  Dispatch = 0, ///< one kernel launch over `tiles` tiles
  Copy = 1,     ///< slot[0] -> slot[1], bytes of slot[1]
  Fill = 2,     ///< slot[0] filled with the byte `value`
  CheckEqual = 3, ///< dims[0] == dims[1], else error site `value`
  LoopBegin = 4,  ///< what follows, up to its LoopEnd, runs dims[0] times; the
                  ///< dimension `name` counts from 0
  LoopEnd = 5,    ///< of the last loop that is open, whose name it repeats
};

struct Command {
  CommandKind kind = CommandKind::Dispatch;
  uint32_t kernel = 0;         ///< Dispatch: index into the model's kernels
  std::vector<uint32_t> slots; ///< indices into EntryTable::slots
  std::vector<DimExpr> dims;   ///< Dispatch: KernelArgs::dim; CheckEqual: both;
                               ///< LoopBegin: the number of iterations
  DimExpr tiles;               ///< Dispatch: number of tiles; 0 = no launch
  int64_t value = 0;
  std::string name;            ///< for traces and inspect: the root op's name
};

struct EntryTable {
  std::string name;
  std::vector<std::string> dims; ///< every dimension name, in binding order
  std::vector<TensorDesc> inputs;
  std::vector<TensorDesc> outputs;
  std::vector<SlotDesc> slots;
  std::vector<Command> commands;
  DimExpr arenaBytes;            ///< size of the work arena for one run
};

/// A compiled kernel: the symbol in every level's code object.
struct KernelDesc {
  std::string symbol;
  std::string root;            ///< "linear", "attention", ...: for inspect
  std::string schedule;        ///< text of #plan.schedule
  std::vector<std::string> dims;
  int64_t scratchBytes = 0;    ///< per thread
};

/// The text of a check: what a failing site says to the user.
struct SiteDesc {
  std::string node;    ///< name of the source node
  std::string message; ///< with {value}, {bound}, {index} place-holders
};

/// Serialises to the little-endian format of docs/artifact.md and back; reading
/// checks every count and index against the tables' sizes, that loops nest, and
/// that an expression names dimensions of the entry and of open loops only.
std::string serializeEntry(const EntryTable &entry);
Result<EntryTable> parseEntry(std::string_view bytes);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_ARTIFACT_COMMANDTABLE_H
