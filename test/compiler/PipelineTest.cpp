//===- PipelineTest.cpp - Tests of the pipeline as the driver calls it ----===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/Pipeline.h"

#include "frontends/dsl/models/Transformer.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

using namespace dragoman;

namespace {

std::string textOf(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

dsl::TransformerConfig smallConfig() {
  dsl::TransformerConfig config;
  config.vocab = 100;
  config.dModel = 32;
  config.heads = 2;
  config.ffn = 64;
  config.encoderLayers = config.decoderLayers = 1;
  return config;
}

} // namespace

TEST(Pipeline, StageNamesRoundTrip) {
  for (Stage stage : allStages())
    EXPECT_EQ(parseStage(stageName(stage)), stage);
  EXPECT_EQ(parseStage("tile"), std::nullopt);
  EXPECT_EQ(stageNames(), "import, graph, autodiff, fusion, tiling, lowering");
}

// Two contexts, so that no order of addresses can hide.
TEST(Pipeline, EqualModelsGiveEqualText) {
  std::string texts[2];
  for (std::string &text : texts) {
    mlir::MLIRContext context;
    auto module = dsl::makeTransformer(context, smallConfig());
    ASSERT_TRUE(succeeded(runPipeline(*module, {})));
    text = textOf(*module);
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST(Pipeline, BaseTransformerTakesLessThanASecond) {
  mlir::MLIRContext context;
  auto module = dsl::makeTransformer(context, {});
  auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(succeeded(runPipeline(*module, {})));
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  EXPECT_LT(seconds.count(), 1.0);
}

TEST(Pipeline, DumpsAndReportsEveryStage) {
  std::string folder = testing::TempDir() + "/dragoman-dump";
  std::filesystem::remove_all(folder);
  mlir::MLIRContext context;
  auto module = dsl::makeTransformer(context, smallConfig());
  PipelineOptions options;
  options.dumpDir = folder;
  options.stopAfter = Stage::Tiling;
  std::vector<Stage> reported;
  options.progress = [&](Stage stage, double) { reported.push_back(stage); };
  ASSERT_TRUE(succeeded(runPipeline(*module, options)));
  EXPECT_THAT(reported, testing::ElementsAre(Stage::Import, Stage::Graph,
                                             Stage::Autodiff, Stage::Fusion,
                                             Stage::Tiling));
  auto last = mlir::parseSourceFile<mlir::ModuleOp>(folder + "/4-tiling.mlir",
                                                    &context);
  ASSERT_TRUE(last);
  EXPECT_EQ(textOf(*last), textOf(*module));
  EXPECT_FALSE(std::filesystem::exists(folder + "/5-lowering.mlir"));
}

TEST(Pipeline, RefusesAModuleThatIsNotWhereItSaysItIs) {
  mlir::MLIRContext context;
  auto module = dsl::makeTransformer(context, smallConfig());
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          message = diagnostic.str();
                                          return mlir::success();
                                        });
  PipelineOptions options;
  options.startFrom = Stage::Fusion;
  EXPECT_TRUE(failed(runPipeline(*module, options)));
  EXPECT_THAT(message, testing::HasSubstr("is not allowed behind the forming "
                                          "of kernels"));
}
