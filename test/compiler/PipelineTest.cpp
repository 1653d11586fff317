//===- PipelineTest.cpp - Tests of the pipeline as the driver calls it ----===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/Pipeline.h"

#include "compiler/autodiff/Passes.h"
#include "dialects/plan/Plan.h"
#include "frontends/dsl/models/Transformer.h"
#include "runtime/artifact/DimExpr.h"

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
  EXPECT_THAT(reported,
              testing::ElementsAre(Stage::Import, Stage::Graph, Stage::Autodiff,
                                   Stage::Fusion, Stage::Tiling));
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

// Less is kept for the backward under a bound, and the planned peak shows it.
TEST(Pipeline, AStashUnderABoundLowersThePeak) {
  int64_t peaks[2];
  for (bool bound : {false, true}) {
    mlir::MLIRContext context;
    dsl::TransformerConfig config = smallConfig();
    config.training = true;
    config.outputBias = false;
    config.vocab = 20;
    config.ffn = 256;
    config.activation = "gelu";
    config.dropout = config.activationDropout = 0.1;
    config.pad = 1;
    config.start = config.end = 2;
    auto module = dsl::makeTransformer(context, config);
    PipelineOptions options;
    options.stopAfter = Stage::Autodiff;
    ASSERT_TRUE(succeeded(runPipeline(*module, options)));
    if (bound) {
      auto passes = mlir::PassManager::on<mlir::ModuleOp>(&context);
      passes.addPass(autodiff::createChooseStashPass(
          {/*memory=*/"1", /*dims=*/{"B=8", "S=32", "T=32"}}));
      ASSERT_TRUE(succeeded(passes.run(*module)));
    }
    options.startFrom = Stage::Autodiff;
    options.stopAfter = Stage::Lowering;
    ASSERT_TRUE(succeeded(runPipeline(*module, options)));
    auto step = module->lookupSymbol<plan::EntryOp>("step");
    Result<DimExpr> arena = DimExpr::parse(step.getArena()->str());
    ASSERT_TRUE(arena) << arena.status().toString();
    Result<int64_t> peak = arena->evaluate({{"B", 8}, {"S", 32}, {"T", 32}});
    ASSERT_TRUE(peak) << peak.status().toString();
    peaks[bound] = *peak;
  }
  EXPECT_LT(peaks[1], peaks[0]);
}
