//===- CommandTableTest.cpp - Serialised entries ----------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/CommandTable.h"

#include "gtest/gtest.h"

#include <random>

using namespace dragoman;

namespace {

EntryTable sampleEntry() {
  DimExpr b = DimExpr::dim("B"), s = DimExpr::dim("S");
  EntryTable entry;
  entry.name = "encode";
  entry.dims = {"B", "S"};
  entry.inputs = {{"input_ids", ElementType::I64, {b, s}},
                  {"source_length", ElementType::I64, {b}}};
  entry.outputs = {{"last_hidden_state", ElementType::F32, {b, s, 32}}};
  entry.slots = {
      {SlotSpace::Input, 0, 0, b * s * 8},
      {SlotSpace::Weight, 3, 0, 4096},
      {SlotSpace::State, 1, 0, 64},
      {SlotSpace::Arena, 0, DimExpr::alignTo(b * 4, 64), b * s * 128},
      {SlotSpace::Output, 0, 0, b * s * 128}};
  entry.commands = {
      {CommandKind::CheckEqual, 0, {}, {b, s}, 0, 7, "same extent"},
      {CommandKind::Fill, 0, {3}, {}, 0, 255, "fill"},
      {CommandKind::Dispatch,
       2,
       {0, 1, 3},
       {b, s},
       DimExpr::ceilDiv(b * s, 6),
       0,
       "encoder/layer.0/linear"},
      {CommandKind::Copy, 0, {3, 4}, {}, 0, 0, "copy"}};
  entry.arenaBytes = DimExpr::alignTo(b * 4, 64) + b * s * 128;
  return entry;
}

void expectSame(const EntryTable &x, const EntryTable &y) {
  EXPECT_EQ(x.name, y.name);
  EXPECT_EQ(x.dims, y.dims);
  EXPECT_EQ(x.arenaBytes, y.arenaBytes);
  for (auto list : {&EntryTable::inputs, &EntryTable::outputs}) {
    ASSERT_EQ((x.*list).size(), (y.*list).size());
    for (size_t i = 0; i < (x.*list).size(); ++i) {
      EXPECT_EQ((x.*list)[i].name, (y.*list)[i].name);
      EXPECT_EQ((x.*list)[i].type, (y.*list)[i].type);
      EXPECT_EQ((x.*list)[i].shape, (y.*list)[i].shape);
    }
  }
  ASSERT_EQ(x.slots.size(), y.slots.size());
  for (size_t i = 0; i < x.slots.size(); ++i) {
    EXPECT_EQ(x.slots[i].space, y.slots[i].space);
    EXPECT_EQ(x.slots[i].index, y.slots[i].index);
    EXPECT_EQ(x.slots[i].offset, y.slots[i].offset);
    EXPECT_EQ(x.slots[i].bytes, y.slots[i].bytes);
  }
  ASSERT_EQ(x.commands.size(), y.commands.size());
  for (size_t i = 0; i < x.commands.size(); ++i) {
    EXPECT_EQ(x.commands[i].kind, y.commands[i].kind);
    EXPECT_EQ(x.commands[i].kernel, y.commands[i].kernel);
    EXPECT_EQ(x.commands[i].slots, y.commands[i].slots);
    EXPECT_EQ(x.commands[i].dims, y.commands[i].dims);
    EXPECT_EQ(x.commands[i].tiles, y.commands[i].tiles);
    EXPECT_EQ(x.commands[i].value, y.commands[i].value);
    EXPECT_EQ(x.commands[i].name, y.commands[i].name);
  }
}

TEST(CommandTable, roundTrip) {
  std::string bytes = serializeEntry(sampleEntry());
  Result<EntryTable> read = parseEntry(bytes);
  ASSERT_TRUE(read.isOk()) << read.status().toString();
  expectSame(*read, sampleEntry());
  EXPECT_EQ(serializeEntry(*read), bytes);
}

TEST(CommandTable, everyCutIsRefused) {
  std::string bytes = serializeEntry(sampleEntry());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_EQ(
        parseEntry(std::string_view(bytes).substr(0, size)).status().code(),
        StatusCode::InvalidData)
        << "cut at " << size;
  EXPECT_EQ(parseEntry(bytes + "x").status().message(),
            "expected the end of the table");
}

// A flipped byte either is refused or gives a table whose indices all hold.
TEST(CommandTable, flippedBytesNeverEscapeTheTable) {
  const std::string bytes = serializeEntry(sampleEntry());
  std::mt19937 random(7);
  for (int round = 0; round < 4000; ++round) {
    std::string damaged = bytes;
    for (uint32_t i = 0; i < 1 + random() % 3; ++i)
      damaged[random() % damaged.size()] ^= 1 << (random() % 8);
    Result<EntryTable> read = parseEntry(damaged);
    if (!read)
      continue;
    for (const Command &command : read->commands)
      for (uint32_t slot : command.slots)
        ASSERT_LT(slot, read->slots.size());
    for (const SlotDesc &slot : read->slots) {
      if (slot.space == SlotSpace::Input)
        ASSERT_LT(slot.index, read->inputs.size());
      if (slot.space == SlotSpace::Output)
        ASSERT_LT(slot.index, read->outputs.size());
    }
  }
}

TEST(CommandTable, refusalsSayExpectedAndFound) {
  auto message = [](const EntryTable &entry) {
    return parseEntry(serializeEntry(entry)).status().message();
  };
  EntryTable entry = sampleEntry();
  entry.commands[2].slots[0] = 9;
  EXPECT_EQ(message(entry), "expected a slot's number below 5, found 9");
  entry = sampleEntry();
  entry.slots[0].index = 2;
  EXPECT_EQ(message(entry), "expected an input's number below 2, found 2");
  entry = sampleEntry();
  entry.commands[3].slots.pop_back();
  EXPECT_EQ(message(entry), "expected 2 slots of copy, found 1");
  entry = sampleEntry();
  entry.commands[1].value = 256;
  EXPECT_EQ(message(entry), "expected a byte to fill with, found 256");
  entry = sampleEntry();
  entry.commands[0].dims.pop_back();
  EXPECT_EQ(message(entry), "expected 2 dimensions of check, found 1");
  entry = sampleEntry();
  entry.arenaBytes = DimExpr::dim("Q");
  EXPECT_EQ(message(entry), "'Q' uses unknown dimension 'Q'");
  std::string newer = serializeEntry(sampleEntry());
  newer[4] = 2;
  EXPECT_EQ(parseEntry(newer).status().message(),
            "expected command table version 1, found 2");
}

/// The sample with a loop over the rows around its dispatch.
EntryTable loopEntry() {
  EntryTable entry = sampleEntry();
  DimExpr i = DimExpr::dim("i");
  entry.slots[3].offset += i * 64;
  entry.commands[2].dims[0] = DimExpr::min(DimExpr::dim("B") - i, 16);
  entry.commands[3].slots = {4, 4};
  entry.commands[1].slots = {4};
  Command begin, end;
  begin.kind = CommandKind::LoopBegin;
  end.kind = CommandKind::LoopEnd;
  begin.name = end.name = "i";
  begin.dims = {DimExpr::dim("B")};
  entry.commands.insert(entry.commands.begin() + 2, begin);
  entry.commands.insert(entry.commands.begin() + 4, end);
  return entry;
}

TEST(CommandTable, loopsRoundTrip) {
  Result<EntryTable> read = parseEntry(serializeEntry(loopEntry()));
  ASSERT_TRUE(read.isOk()) << read.status().toString();
  expectSame(*read, loopEntry());
}

TEST(CommandTable, loopsMustNest) {
  auto message = [](auto &&change) {
    EntryTable entry = loopEntry();
    change(entry);
    return parseEntry(serializeEntry(entry)).status().message();
  };
  EXPECT_EQ(message([](EntryTable &e) {
              e.commands.pop_back(), e.commands.pop_back();
            }),
            "expected the end of loop 'i'");
  EXPECT_EQ(message([](EntryTable &e) { e.commands[4].name = "j"; }),
            "expected the end of an open loop, found that of 'j'");
  EXPECT_EQ(message([](EntryTable &e) { e.commands.push_back(e.commands[4]); }),
            "expected the end of an open loop, found that of 'i'");
  EXPECT_EQ(message([](EntryTable &e) {
              e.commands[2].name = e.commands[4].name = "B";
            }),
            "expected a loop's dimension of its own, found 'B'");
  EXPECT_EQ(message([](EntryTable &e) {
              e.commands.push_back(e.commands[2]);
              e.commands.push_back(e.commands[4]);
            }),
            "expected a loop's dimension of its own, found 'i'");
  EXPECT_EQ(message([](EntryTable &e) { e.commands[2].dims.clear(); }),
            "expected 1 number of iterations of loop, found 0");
  // The loop's dimension is unknown outside.
  EXPECT_EQ(message([](EntryTable &e) { e.commands[1].slots = {3}; }),
            "'64*ceildiv(B,16) + 64*i' uses unknown dimension 'i'");
  EXPECT_EQ(message([](EntryTable &e) { e.arenaBytes = DimExpr::dim("i"); }),
            "'i' uses unknown dimension 'i'");
}

TEST(CommandTable, elementTypesHaveNamesAndSizes) {
  for (int i = 0; i <= static_cast<int>(ElementType::I1); ++i) {
    ElementType type = static_cast<ElementType>(i);
    Result<ElementType> again = parseElementType(elementTypeName(type));
    ASSERT_TRUE(again.isOk());
    EXPECT_EQ(*again, type);
  }
  EXPECT_EQ(elementSize(ElementType::BF16), 2);
  EXPECT_EQ(elementSize(ElementType::I1), 1);
  EXPECT_FALSE(parseElementType("f33").isOk());
}

} // namespace
