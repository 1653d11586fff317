//===- MemorySource.h - A hand-written model for tests ----------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One model of entries over the kernels of test/runtime/kernels:
//   sum(a f32[N], b f32[N]) -> total f32[N]        total = a + b +
//   weight[N<=64] rows(x f32[B,S]) -> sums f32[B]                uses scratch
//   check(ids i64[N]) -> clamped i64[N]            site 1: value below 10
//   append(x f32[N], position i64[])               writes state cache[Rows,Cap]
//   slow(x f32[N]) -> y f32[N]                     many commands
//   chunks(x f32[N]) -> y f32[N]                   y = 2 x, 16 at a time
//   count(x f32[40])                               totals[40] += x, a state
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TEST_RUNTIME_EXECUTE_MEMORYSOURCE_H
#define DRAGOMAN_TEST_RUNTIME_EXECUTE_MEMORYSOURCE_H

#include "runtime/artifact/KernelAbi.h"
#include "runtime/base/MappedFile.h"
#include "runtime/execute/Session.h"

#include "gtest/gtest.h"

namespace dragoman::testing_support {

struct MemorySource final : ModelSource {
  std::string fileName = "toy.dgm";
  Manifest description;
  std::map<std::string, EntryTable, std::less<>> tables;
  std::string code;
  std::vector<std::vector<float>> weights;

  std::string name() const override { return fileName; }
  const Manifest &manifest() const override { return description; }
  Result<EntryTable> entry(std::string_view name) const override {
    auto it = tables.find(name);
    if (it == tables.end())
      return Status(StatusCode::NotFound, "no table");
    // Through its bytes, as an artifact does it.
    return parseEntry(serializeEntry(it->second));
  }
  Result<std::string_view> member(std::string_view) const override {
    return std::string_view(code);
  }
  const void *weightData(size_t index) const override {
    return weights[index].data();
  }

  void add(EntryTable table) {
    description.entries.push_back(table.name);
    tables[table.name] = std::move(table);
  }
};

/// The file header's model, for the lowest level of CPU.
inline std::unique_ptr<MemorySource> toySource() {
  auto source = std::make_unique<MemorySource>();
  Result<std::string> code = readFile(DRAGOMAN_TEST_KERNELS);
  EXPECT_TRUE(code.isOk()) << code.status().toString();
  source->code = code ? *code : std::string();
  DimExpr n = DimExpr::dim("N"), b = DimExpr::dim("B"), s = DimExpr::dim("S"),
          rows = DimExpr::dim("Rows"), cap = DimExpr::dim("Cap");
  Manifest &manifest = source->description;
  manifest.code = {{"x86-64-v3", "code/cpu/x86-64-v3.so",
                    findCpuLevel("x86-64-v3")->features, kernelAbiVersion}};
  manifest.kernels = {{"test_add", "elementwise", "", {"n"}, 0},
                      {"test_row_sum", "reduce", "", {"n", "k"}, 4000},
                      {"test_check", "check", "", {"n", "bound", "site"}, 0},
                      {"test_append", "cache_append", "", {"n"}, 0}};
  manifest.sites = {{"Add_0", "expected equal extents, found {value} and "
                              "{bound}"},
                    {"embed", "expected an id below {bound} at {index}, found "
                              "{value}"}};
  WeightDesc weight;
  weight.name = "offset";
  weight.shape = {64};
  weight.bytes = 256;
  manifest.weights = {weight};
  source->weights = {std::vector<float>(64, 100)};
  manifest.states = {{{"cache", ElementType::F32, {rows, cap}}, "rows", 0, 1},
                     {{"totals", ElementType::F32, {40}}, "rows", 0, 0}};

  DimExpr bytes = n * 4, tiles = DimExpr::ceilDiv(n, 16);
  EntryTable sum;
  sum.name = "sum";
  sum.dims = {"N", "M"};
  sum.inputs = {{"a", ElementType::F32, {n}},
                {"b", ElementType::F32, {DimExpr::dim("M")}}};
  sum.outputs = {{"total", ElementType::F32, {n}}};
  sum.slots = {{SlotSpace::Input, 0, 0, bytes},
               {SlotSpace::Input, 1, 0, DimExpr::dim("M") * 4},
               {SlotSpace::Weight, 0, 0, bytes},
               {SlotSpace::Arena, 0, 64, bytes},
               {SlotSpace::Arena, 0, 0, 64},
               {SlotSpace::Output, 0, 0, bytes}};
  sum.commands = {
      {CommandKind::CheckEqual, 0, {}, {n, DimExpr::dim("M")}, 0, 0, "same"},
      {CommandKind::Dispatch, 0, {0, 1, 3}, {n}, tiles, 0, "first"},
      {CommandKind::Dispatch, 0, {3, 2, 3}, {n}, tiles, 0, "second"},
      {CommandKind::Copy, 0, {3, 5}, {}, 0, 0, "result"},
      {CommandKind::Fill, 0, {4}, {}, 0, 7, "clear"}};
  sum.arenaBytes = DimExpr(64) + bytes;
  source->add(sum);

  EntryTable rowSums;
  rowSums.name = "rows";
  rowSums.dims = {"B", "S"};
  rowSums.inputs = {{"x", ElementType::F32, {b, s}}};
  rowSums.outputs = {{"sums", ElementType::F32, {b}}};
  rowSums.slots = {{SlotSpace::Input, 0, 0, b * s * 4},
                   {SlotSpace::Output, 0, 0, b * 4}};
  rowSums.commands = {
      {CommandKind::Dispatch, 1, {0, 1}, {b, s}, b, 0, "row sum"}};
  source->add(rowSums);

  EntryTable check;
  check.name = "check";
  check.dims = {"N"};
  check.inputs = {{"ids", ElementType::I64, {n}}};
  check.outputs = {{"clamped", ElementType::I64, {n}}};
  check.slots = {{SlotSpace::Input, 0, 0, n * 8},
                 {SlotSpace::Output, 0, 0, n * 8}};
  check.commands = {
      {CommandKind::Dispatch, 2, {0, 1}, {n, 10, 1}, n, 0, "clamp"}};
  source->add(check);

  EntryTable append;
  append.name = "append";
  append.dims = {"N", "Rows", "Cap"};
  append.inputs = {{"x", ElementType::F32, {n}},
                   {"position", ElementType::I64, {}}};
  append.outputs = {{"copy", ElementType::F32, {rows, cap}}};
  append.slots = {{SlotSpace::Input, 0, 0, bytes},
                  {SlotSpace::State, 0, 0, rows * cap * 4},
                  {SlotSpace::Input, 1, 0, 8},
                  {SlotSpace::Output, 0, 0, rows * cap * 4}};
  append.commands = {{CommandKind::Dispatch, 3, {0, 1, 2}, {n}, 1, 0, "append"},
                     {CommandKind::Copy, 0, {1, 3}, {}, 0, 0, "read"}};
  source->add(append);

  EntryTable slow;
  slow.name = "slow";
  slow.dims = {"N"};
  slow.inputs = {{"x", ElementType::F32, {n}}};
  slow.outputs = {{"y", ElementType::F32, {n}}};
  slow.slots = {{SlotSpace::Input, 0, 0, bytes},
                {SlotSpace::Output, 0, 0, bytes}};
  for (int i = 0; i < 200; ++i)
    slow.commands.push_back({CommandKind::Dispatch,
                             0,
                             {0, 0, 1},
                             {n},
                             tiles,
                             0,
                             "step " + std::to_string(i)});
  source->add(slow);

  EntryTable chunks;
  chunks.name = "chunks";
  chunks.dims = {"N"};
  chunks.inputs = {{"x", ElementType::F32, {n}}};
  chunks.outputs = {{"y", ElementType::F32, {n}}};
  DimExpr start = DimExpr::dim("i") * 16, size = DimExpr::min(n - start, 16);
  chunks.slots = {{SlotSpace::Input, 0, start * 4, size * 4},
                  {SlotSpace::Output, 0, start * 4, size * 4}};
  chunks.commands = {
      {CommandKind::LoopBegin, 0, {}, {DimExpr::ceilDiv(n, 16)}, 0, 0, "i"},
      {CommandKind::Dispatch, 0, {0, 0, 1}, {size}, 1, 0, "twice"},
      {CommandKind::LoopEnd, 0, {}, {}, 0, 0, "i"}};
  source->add(chunks);

  EntryTable count;
  count.name = "count";
  count.inputs = {{"x", ElementType::F32, {40}}};
  count.slots = {{SlotSpace::Input, 0, 0, 160}, {SlotSpace::State, 1, 0, 160}};
  count.commands = {{CommandKind::Dispatch, 0, {1, 0, 1}, {40}, 3, 0, "add"}};
  source->add(count);
  return source;
}

inline std::shared_ptr<const Model> toyModel() {
  Result<std::shared_ptr<const Model>> model = Model::create(toySource());
  EXPECT_TRUE(model.isOk()) << model.status().toString();
  return model ? *model : nullptr;
}

template <typename T>
TensorView view(std::vector<T> &values, std::vector<int64_t> shape) {
  ElementType type =
      std::is_same_v<T, float> ? ElementType::F32 : ElementType::I64;
  return {values.data(), type, std::move(shape)};
}

} // namespace dragoman::testing_support

#endif // DRAGOMAN_TEST_RUNTIME_EXECUTE_MEMORYSOURCE_H
