//===- CommandTable.cpp - Serialised entries of a compiled model ----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format, little-endian; `str` is u32 length + bytes, `list` is u32 count +
// items, `expr` is a u32 index into the expression list:
//   "DGCT" u32 version=1
//   str name; list<str> dims; list<str> expressions
//   list<tensor> inputs, outputs    tensor  = str name, u8 type, list<expr>
//   list<slot>                      slot    = u8 space, u32 index,
//                                             expr offset, expr bytes
//   list<command>                   command = u8 kind, u32 kernel,
//                                             list<u32> slots, list<expr> dims,
//                                             expr tiles, i64 value, str name
//   expr arenaBytes
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/CommandTable.h"

#include <algorithm>
#include <cstring>
#include <map>

using namespace dragoman;

static constexpr char magic[] = {'D', 'G', 'C', 'T'};
static constexpr uint32_t formatVersion = 1;

namespace {

struct TypeInfo {
  const char *name;
  int64_t size;
};

constexpr TypeInfo typeInfos[] = {{"f32", 4},  {"f64", 8}, {"f16", 2},
                                  {"bf16", 2}, {"i64", 8}, {"i32", 4},
                                  {"i8", 1},   {"u8", 1},  {"i1", 1}};

} // namespace

int64_t dragoman::elementSize(ElementType type) {
  return typeInfos[static_cast<size_t>(type)].size;
}

const char *dragoman::elementTypeName(ElementType type) {
  return typeInfos[static_cast<size_t>(type)].name;
}

Result<ElementType> dragoman::parseElementType(std::string_view name) {
  for (size_t i = 0; i < std::size(typeInfos); ++i)
    if (name == typeInfos[i].name)
      return static_cast<ElementType>(i);
  return Status(StatusCode::InvalidData,
                "expected an element type (f32, f64, f16, bf16, i64, i32, i8, "
                "u8, i1), found '" +
                    std::string(name) + "'");
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {

class Writer {
public:
  void u8(uint8_t value) { bytes.push_back(static_cast<char>(value)); }
  void u32(uint64_t value) { number(value, 4); }
  void i64(int64_t value) { number(static_cast<uint64_t>(value), 8); }
  void str(std::string_view text) {
    u32(text.size());
    bytes.append(text);
  }

  void strs(const std::vector<std::string> &list) {
    u32(list.size());
    for (const std::string &text : list)
      str(text);
  }

  /// Index of the expression in the list; equal ones share an entry.
  uint32_t expr(const DimExpr &value) {
    auto [it, inserted] = numbers.try_emplace(value.str(), numbers.size());
    if (inserted)
      texts.push_back(it->first);
    return it->second;
  }

  void tensors(const std::vector<TensorDesc> &list) {
    u32(list.size());
    for (const TensorDesc &tensor : list) {
      str(tensor.name);
      u8(static_cast<uint8_t>(tensor.type));
      exprs(tensor.shape);
    }
  }

  void exprs(const std::vector<DimExpr> &list) {
    u32(list.size());
    for (const DimExpr &value : list)
      u32(expr(value));
  }

  std::string bytes;
  std::vector<std::string> texts;

private:
  void number(uint64_t value, int size) {
    for (int i = 0; i < size; ++i)
      u8(static_cast<uint8_t>(value >> (8 * i)));
  }

  std::map<std::string, uint32_t> numbers;
};

} // namespace

std::string dragoman::serializeEntry(const EntryTable &entry) {
  Writer body;
  body.tensors(entry.inputs);
  body.tensors(entry.outputs);
  body.u32(entry.slots.size());
  for (const SlotDesc &slot : entry.slots) {
    body.u8(static_cast<uint8_t>(slot.space));
    body.u32(slot.index);
    body.u32(body.expr(slot.offset));
    body.u32(body.expr(slot.bytes));
  }
  body.u32(entry.commands.size());
  for (const Command &command : entry.commands) {
    body.u8(static_cast<uint8_t>(command.kind));
    body.u32(command.kernel);
    body.u32(command.slots.size());
    for (uint32_t slot : command.slots)
      body.u32(slot);
    body.exprs(command.dims);
    body.u32(body.expr(command.tiles));
    body.i64(command.value);
    body.str(command.name);
  }
  body.u32(body.expr(entry.arenaBytes));

  Writer file;
  file.bytes.append(magic, sizeof(magic));
  file.u32(formatVersion);
  file.str(entry.name);
  file.strs(entry.dims);
  file.strs(body.texts);
  return file.bytes + body.bytes;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// Reads with bounds checks. After the first failure every read returns zero
/// and an empty list, and `status` keeps that failure.
class Reader {
public:
  explicit Reader(std::string_view bytes) : bytes(bytes) {}

  Status status;

  bool atEnd() const { return at == bytes.size(); }

  void fail(const std::string &message) {
    if (status.isOk())
      status = Status(StatusCode::InvalidData, message,
                      "byte " + std::to_string(at));
    at = bytes.size();
  }

  std::string_view take(size_t count, const char *what) {
    if (!status)
      return {};
    if (bytes.size() - at < count) {
      fail(std::string("expected ") + what + " (" + std::to_string(count) +
           " bytes), found the end");
      return {};
    }
    at += count;
    return bytes.substr(at - count, count);
  }

  uint64_t number(int size, const char *what) {
    uint64_t value = 0;
    std::string_view field = take(size, what);
    for (size_t i = 0; i < field.size(); ++i)
      value |= static_cast<uint64_t>(static_cast<uint8_t>(field[i])) << (8 * i);
    return value;
  }

  uint8_t u8(const char *what) { return number(1, what); }
  uint32_t u32(const char *what) { return number(4, what); }
  int64_t i64(const char *what) { return number(8, what); }
  std::string str(const char *what) {
    return std::string(take(u32(what), what));
  }

  /// A count of items that take at least `itemBytes` each.
  uint32_t count(size_t itemBytes, const char *what) {
    uint32_t value = u32(what);
    if (status.isOk() && value > (bytes.size() - at) / itemBytes) {
      fail(std::string("expected ") + what + ", found a count of " +
           std::to_string(value) + " beyond the end");
      return 0;
    }
    return value;
  }

  /// A u32 below `limit`.
  uint32_t index(size_t limit, const char *what) {
    uint32_t value = u32(what);
    if (status.isOk() && value >= limit) {
      fail(std::string("expected ") + what + " below " + std::to_string(limit) +
           ", found " + std::to_string(value));
      return 0;
    }
    return value;
  }

private:
  std::string_view bytes;
  size_t at = 0;
};

class EntryReader {
public:
  explicit EntryReader(std::string_view bytes) : reader(bytes) {}

  Result<EntryTable> read() {
    if (reader.take(4, "the magic") != std::string_view(magic, 4))
      reader.fail("expected a command table (DGCT)");
    uint32_t version = reader.u32("a version");
    if (reader.status.isOk() && version != formatVersion)
      return Status(StatusCode::Unsupported, "expected command table version " +
                                                 std::to_string(formatVersion) +
                                                 ", found " +
                                                 std::to_string(version));
    entry.name = reader.str("the entry's name");
    for (uint32_t n = reader.count(4, "dimension names"); n > 0; --n)
      entry.dims.push_back(reader.str("a dimension name"));
    readExpressions();
    readTensors(entry.inputs);
    readTensors(entry.outputs);
    readSlots();
    readCommands();
    entry.arenaBytes = expr();
    if (reader.status.isOk())
      checkNames();
    if (reader.status.isOk() && !reader.atEnd())
      reader.fail("expected the end of the table");
    if (!reader.status)
      return reader.status;
    return std::move(entry);
  }

private:
  void readExpressions() {
    for (uint32_t n = reader.count(4, "expressions"); n > 0; --n) {
      std::string text = reader.str("an expression");
      if (!reader.status)
        return;
      Result<DimExpr> value = DimExpr::parse(text);
      if (!value) {
        reader.fail(value.status().toString());
        return;
      }
      for (const std::string &name : value->names())
        usesLoops |= std::find(entry.dims.begin(), entry.dims.end(), name) ==
                     entry.dims.end();
      exprs.push_back(std::move(*value));
    }
  }

  /// Refuses names that are not of `known`.
  void checkNames(const DimExpr &expr, const std::vector<std::string> &known) {
    if (!usesLoops)
      return;
    for (const std::string &name : expr.names())
      if (std::find(known.begin(), known.end(), name) == known.end())
        reader.fail("'" + expr.str() + "' uses unknown dimension '" + name +
                    "'");
  }

  /// Loops nest, and expressions use the dimensions of the entry and, inside a
  /// loop, the loop's.
  void checkNames() {
    std::vector<std::string> known = entry.dims;
    std::vector<std::string> loops;
    for (const std::vector<TensorDesc> *list : {&entry.inputs, &entry.outputs})
      for (const TensorDesc &tensor : *list)
        for (const DimExpr &extent : tensor.shape)
          checkNames(extent, known);
    checkNames(entry.arenaBytes, known);
    for (const Command &command : entry.commands) {
      if (command.kind == CommandKind::LoopEnd) {
        if (known.size() == entry.dims.size() || known.back() != command.name)
          return reader.fail(
              "expected the end of an open loop, found that of '" +
              command.name + "'");
        known.pop_back();
        continue;
      }
      for (const DimExpr &dim : command.dims)
        checkNames(dim, known);
      checkNames(command.tiles, known);
      for (uint32_t slot : command.slots) {
        checkNames(entry.slots[slot].offset, known);
        checkNames(entry.slots[slot].bytes, known);
      }
      if (command.kind != CommandKind::LoopBegin)
        continue;
      auto isTaken = [&](const std::vector<std::string> &names) {
        return std::find(names.begin(), names.end(), command.name) !=
               names.end();
      };
      if (DimExpr::dim(command.name).dimName().empty() || isTaken(entry.dims) ||
          isTaken(loops))
        return reader.fail("expected a loop's dimension of its own, found '" +
                           command.name + "'");
      known.push_back(command.name);
      loops.push_back(command.name);
    }
    if (known.size() > entry.dims.size())
      reader.fail("expected the end of loop '" + known.back() + "'");
  }

  DimExpr expr() {
    uint32_t index = reader.index(exprs.size(), "an expression number");
    return reader.status.isOk() ? exprs[index] : DimExpr();
  }

  void readExprs(std::vector<DimExpr> &list, const char *what) {
    for (uint32_t n = reader.count(4, what); n > 0; --n)
      list.push_back(expr());
  }

  void readTensors(std::vector<TensorDesc> &list) {
    for (uint32_t n = reader.count(9, "tensors"); n > 0; --n) {
      TensorDesc tensor;
      tensor.name = reader.str("a tensor's name");
      uint8_t type = reader.u8("an element type");
      if (type >= std::size(typeInfos))
        reader.fail("expected an element type, found " + std::to_string(type));
      else
        tensor.type = static_cast<ElementType>(type);
      readExprs(tensor.shape, "a shape");
      list.push_back(std::move(tensor));
    }
  }

  void readSlots() {
    for (uint32_t n = reader.count(13, "slots"); n > 0; --n) {
      SlotDesc slot;
      uint8_t space = reader.u8("a slot's space");
      if (space > static_cast<uint8_t>(SlotSpace::Arena))
        reader.fail("expected a slot space, found " + std::to_string(space));
      else
        slot.space = static_cast<SlotSpace>(space);
      if (slot.space == SlotSpace::Input)
        slot.index = reader.index(entry.inputs.size(), "an input's number");
      else if (slot.space == SlotSpace::Output)
        slot.index = reader.index(entry.outputs.size(), "an output's number");
      else
        slot.index = reader.u32("a slot's index");
      slot.offset = expr();
      slot.bytes = expr();
      entry.slots.push_back(std::move(slot));
    }
  }

  void readCommands() {
    for (uint32_t n = reader.count(29, "commands"); n > 0; --n) {
      Command command;
      uint8_t kind = reader.u8("a command's kind");
      if (kind > static_cast<uint8_t>(CommandKind::LoopEnd))
        reader.fail("expected a command kind, found " + std::to_string(kind));
      else
        command.kind = static_cast<CommandKind>(kind);
      command.kernel = reader.u32("a kernel's number");
      for (uint32_t k = reader.count(4, "slot numbers"); k > 0; --k)
        command.slots.push_back(
            reader.index(entry.slots.size(), "a slot's number"));
      readExprs(command.dims, "dimensions");
      command.tiles = expr();
      command.value = reader.i64("a value");
      command.name = reader.str("a command's name");
      if (reader.status.isOk())
        checkOperands(command);
      entry.commands.push_back(std::move(command));
    }
  }

  void checkOperands(const Command &command) {
    size_t slots = command.slots.size(), dims = command.dims.size();
    switch (command.kind) {
    case CommandKind::Dispatch:
      return;
    case CommandKind::Copy:
      if (slots != 2)
        reader.fail("expected 2 slots of copy, found " + std::to_string(slots));
      return;
    case CommandKind::Fill:
      if (slots != 1)
        reader.fail("expected 1 slot of fill, found " + std::to_string(slots));
      if (command.value < 0 || command.value > 255)
        reader.fail("expected a byte to fill with, found " +
                    std::to_string(command.value));
      return;
    case CommandKind::CheckEqual:
      if (dims != 2)
        reader.fail("expected 2 dimensions of check, found " +
                    std::to_string(dims));
      return;
    case CommandKind::LoopBegin:
      if (dims != 1)
        reader.fail("expected 1 number of iterations of loop, found " +
                    std::to_string(dims));
      return;
    case CommandKind::LoopEnd:
      return;
    }
  }

  Reader reader;
  EntryTable entry;
  std::vector<DimExpr> exprs;
  bool usesLoops = false; ///< some expression names more than the entry's dims
};

} // namespace

Result<EntryTable> dragoman::parseEntry(std::string_view bytes) {
  return EntryReader(bytes).read();
}
