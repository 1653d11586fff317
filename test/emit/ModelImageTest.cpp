//===- ModelImageTest.cpp - Command tables from entries in slots ----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/emit/ModelImage.h"
#include "test/emit/TensorKernel.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace dragoman;
using namespace dragoman::test;

namespace {

const char *const moduleText = R"--(
plan.weight @unused : tensor<4xf32> {source = #plan.normal<1, 0.5>}
plan.weight @w : tensor<20x8xf32> {layout = "panel16",
                                   source = #plan.normal<1, 0.5>}
plan.state @cache : tensor<?x2x?x8xf32> {dims = ["Rows", "2", "Cap", "8"],
                                         layout = "panel16"}
plan.site 1, "decoder.embed", "id {value} of {bound}"
plan.kernel @wide(%x: tensor<?x8xf32> {xf.dims = ["M", "8"]},
                  %w: tensor<20x8xf32> {plan.layout = "panel16",
                                        xf.dims = ["20", "8"]})
    -> (tensor<?x20xf32> {xf.dims = ["M", "20"]})
    attributes {dims = ["M"], scratch = 64 : i64, tiles = "ceildiv(M, 96)",
                schedule = #plan.schedule<"linear", {columns = 64 : i64}>} {
  %y = xf.linear %x, %w : (tensor<?x8xf32>, tensor<20x8xf32>)
      -> tensor<?x20xf32>
  plan.yield %y : tensor<?x20xf32>
}
plan.entry @main(%x: tensor<?x8xf32> {xf.dims = ["2*B", "8"], xf.name = "x"},
                 %c: tensor<?x2x?x8xf32> {xf.dims = ["Rows", "2", "Cap", "8"],
                                          plan.state = @cache})
    -> (tensor<?x20xf32> {xf.name = "y", xf.dims = ["2*B", "20"]},
        tensor<?x2x?x8xf32> {plan.state = @cache,
                             xf.dims = ["Rows", "2", "Cap", "8"]})
    attributes {dims = ["B", "Rows", "Cap"], arena = "128*B"} {
  %s = plan.slot "state" {symbol = @cache, offset = "0",
                          bytes = "64*Rows*Cap"} : !plan.slot
  %0 = plan.slot "input" {offset = "0", bytes = "64*B"} : !plan.slot
  %1 = plan.slot "weight" {symbol = @w, offset = "0", bytes = "1024"}
      : !plan.slot
  %2 = plan.slot "arena" {offset = "64*B", bytes = "160*B"} : !plan.slot
  %3 = plan.slot "output" {offset = "0", bytes = "160*B"} : !plan.slot
  plan.check "B", "Rows" {site = 1 : i64}
  plan.fill %2, 0
  plan.dispatch @wide(%0, %1, %2) dims ["2*B"]
      : (!plan.slot, !plan.slot, !plan.slot) -> ()
  plan.copy %2 to %3
  plan.return
}
)--";

TEST(ModelImageTest, WritesEveryCommandAndWhatItRefersTo) {
  auto context = kernelContext();
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(moduleText, context.get());
  ASSERT_TRUE(module);
  mlir::FailureOr<ModelImage> image = buildModelImage(*module);
  ASSERT_TRUE(succeeded(image));

  ASSERT_EQ(image->weights.size(), 1u);
  EXPECT_EQ(image->weights[0].name, "w");
  EXPECT_EQ(image->weights[0].layout, "panel16");
  EXPECT_EQ(image->weights[0].shape, (std::vector<int64_t>{20, 8}));
  ASSERT_EQ(image->kernels.size(), 1u);
  EXPECT_EQ(image->kernels[0].symbol, "wide");
  EXPECT_EQ(image->kernels[0].root, "linear");
  EXPECT_EQ(image->kernels[0].scratchBytes, 64);
  EXPECT_EQ(image->kernels[0].schedule,
            "#plan.schedule<\"linear\", {columns = 64 : i64}>");
  ASSERT_EQ(image->states.size(), 1u);
  EXPECT_EQ(image->states[0].layout, "panel16");
  EXPECT_EQ(image->states[0].tensor.shape[2].str(), "Cap");
  ASSERT_EQ(image->sites.size(), 2u);
  EXPECT_EQ(image->sites[1].node, "decoder.embed");

  ASSERT_EQ(image->entries.size(), 1u);
  const EntryTable &entry = image->entries[0];
  EXPECT_EQ(entry.dims, (std::vector<std::string>{"B", "Rows", "Cap"}));
  ASSERT_EQ(entry.inputs.size(), 1u);
  EXPECT_EQ(entry.inputs[0].name, "x");
  EXPECT_EQ(entry.inputs[0].shape[0].str(), "2*B");
  ASSERT_EQ(entry.outputs.size(), 1u);
  EXPECT_EQ(entry.arenaBytes.str(), "128*B");
  ASSERT_EQ(entry.slots.size(), 5u);
  EXPECT_EQ(entry.slots[0].space, SlotSpace::State);
  EXPECT_EQ(entry.slots[2].space, SlotSpace::Weight);
  EXPECT_EQ(entry.slots[3].offset.str(), "64*B");
  ASSERT_EQ(entry.commands.size(), 4u);
  EXPECT_EQ(entry.commands[0].kind, CommandKind::CheckEqual);
  EXPECT_EQ(entry.commands[0].value, 1);
  EXPECT_EQ(entry.commands[1].kind, CommandKind::Fill);
  const Command &dispatch = entry.commands[2];
  EXPECT_EQ(dispatch.kind, CommandKind::Dispatch);
  EXPECT_EQ(dispatch.slots, (std::vector<uint32_t>{1, 2, 3}));
  EXPECT_EQ(dispatch.dims[0].str(), "2*B");
  EXPECT_EQ(*dispatch.tiles.evaluate({{"B", 49}}), 2);
  EXPECT_EQ(entry.commands[3].kind, CommandKind::Copy);
  EXPECT_EQ(entry.commands[3].slots, (std::vector<uint32_t>{3, 4}));

  std::string bytes = serializeEntry(entry);
  ASSERT_TRUE(parseEntry(bytes).isOk());
  EXPECT_EQ(serializeEntry(*parseEntry(bytes)), bytes);
}

TEST(ModelImageTest, RefusesEntriesInValues) {
  auto context = kernelContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
plan.entry @main(%x: tensor<?xf32> {xf.dims = ["B"], xf.name = "x"})
    -> (tensor<?xf32> {xf.name = "y", xf.dims = ["B"]})
    attributes {dims = ["B"]} {
  plan.return %x : tensor<?xf32>
})",
                                                        context.get());
  ASSERT_TRUE(module);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(
      context.get(), [&](mlir::Diagnostic &d) { message = d.str(); });
  EXPECT_TRUE(failed(buildModelImage(*module)));
  EXPECT_EQ(message, "'plan.entry' op expected an arena: run "
                     "plan-assign-slots first");
}

} // namespace
