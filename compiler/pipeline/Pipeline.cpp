//===- Pipeline.cpp - The order of all passes -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/Pipeline.h"

#include "compiler/autodiff/Passes.h"
#include "compiler/fusion/Passes.h"
#include "compiler/graph/Passes.h"
#include "compiler/lowering/Passes.h"
#include "compiler/pipeline/Passes.h"
#include "compiler/tiling/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/ToolOutputFile.h"

#include <chrono>

using namespace dragoman;
using mlir::LogicalResult;

/// Recognise what exporters write in parts, from the inside out: a bias belongs
/// to its linear before attention looks at what it reads, and masks are raised
/// from the bias that attention took. Caches come last: the proof that the two
/// graphs of a decoder are one compares raised forms.
static void addGraphPasses(mlir::OpPassManager &manager) {
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
  mlir::OpPassManager &functions = manager.nest<mlir::func::FuncOp>();
  functions.addPass(createXfRaiseLinear());
  functions.addPass(createXfRaiseNorms());
  functions.addPass(createXfRaiseAttention());
  functions.addPass(createXfAbsorbTransposes());
  functions.addPass(createXfRaiseMasks());
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
  manager.addPass(createXfHoistWeights());
  manager.addPass(createXfRaiseCache());
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
}

/// What a gradient repeats of the forward pass is one with it, before it is
/// decided what is repeated on purpose.
static void addAutodiffPasses(mlir::OpPassManager &manager) {
  manager.addPass(autodiff::createDifferentiatePass());
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
  manager.addPass(autodiff::createChooseStashPass());
}

/// Biases must be weights before layers merge.
static void addFusionPasses(mlir::OpPassManager &manager) {
  manager.addPass(createXfDecompose({/*ops=*/{}, /*withoutKernel=*/true}));
  manager.addPass(fusion::createConstantsToWeightsPass());
  manager.addPass(fusion::createMergeSiblingsPass());
  manager.addPass(mlir::createCSEPass());
  manager.addPass(fusion::createFormKernelsPass());
}

/// Layouts are decided while every kernel has one dispatch, so before equal
/// kernels become one; schedules come first because they are part of identity.
static void addTilingPasses(mlir::OpPassManager &manager,
                            const ScheduleOverrides &schedule) {
  tiling::SchedulePassOptions numbers;
  for (auto &[name, value] : schedule)
    numbers.overrides.push_back(name + "=" + std::to_string(value));
  manager.addPass(tiling::createLayoutWeightsPass());
  manager.addPass(tiling::createSchedulePass(numbers));
  manager.addPass(tiling::createDedupePass());
}

static void addLoweringPasses(mlir::OpPassManager &manager) {
  manager.addPass(lowering::createAssignSlotsPass());
}

void dragoman::addStagePasses(mlir::OpPassManager &manager, Stage stage,
                              const ScheduleOverrides &schedule) {
  switch (stage) {
  case Stage::Import:
    return;
  case Stage::Graph:
    return addGraphPasses(manager);
  case Stage::Autodiff:
    return addAutodiffPasses(manager);
  case Stage::Fusion:
    return addFusionPasses(manager);
  case Stage::Tiling:
    return addTilingPasses(manager, schedule);
  case Stage::Lowering:
    return addLoweringPasses(manager);
  }
}

/// Writes the module's text into the dump folder.
static LogicalResult dump(mlir::ModuleOp module, Stage stage,
                          const std::string &folder) {
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return module.emitError("cannot create ")
           << folder << ": " << error.message();
  std::string path = folder + "/" + std::to_string(static_cast<int>(stage)) +
                     "-" + stageName(stage).str() + ".mlir";
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> file =
      mlir::openOutputFile(path, &message);
  if (!file)
    return module.emitError("cannot write ") << path << ": " << message;
  module.print(file->os());
  file->keep();
  return mlir::success();
}

LogicalResult dragoman::runPipeline(mlir::ModuleOp module,
                                    const PipelineOptions &options) {
  for (Stage stage : allStages()) {
    if (stage < options.startFrom || stage > options.stopAfter)
      continue;
    auto start = std::chrono::steady_clock::now();
    if (stage > options.startFrom) {
      auto manager = mlir::PassManager::on<mlir::ModuleOp>(module.getContext());
      addStagePasses(manager, stage, options.schedule);
      if (failed(manager.run(module)))
        return mlir::failure();
    }
    if (options.verifyStages && failed(verifyStage(module, stage)))
      return mlir::failure();
    if (!options.dumpDir.empty() &&
        failed(dump(module, stage, options.dumpDir)))
      return mlir::failure();
    std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - start;
    if (options.progress)
      options.progress(stage, seconds.count());
  }
  return mlir::success();
}

namespace {

struct CompileOptions : mlir::PassPipelineOptions<CompileOptions> {
  Option<std::string> startFrom{
      *this, "start-from",
      llvm::cl::desc("the stage that the input has reached"),
      llvm::cl::init("import")};
  Option<std::string> stopAfter{*this, "stop-after",
                                llvm::cl::desc("the last stage to reach"),
                                llvm::cl::init("lowering")};
};

} // namespace

void dragoman::registerPipeline() {
  pipeline::registerPipelinePasses();
  mlir::PassPipelineRegistration<CompileOptions>(
      "dragoman-compile", "all passes between two stages, with their contracts",
      [](mlir::OpPassManager &manager, const CompileOptions &options) {
        std::optional<Stage> from = parseStage(options.startFrom),
                             to = parseStage(options.stopAfter);
        if (!from || !to)
          llvm::report_fatal_error(llvm::Twine("expected a stage of ") +
                                       stageNames(),
                                   /*gen_crash_diag=*/false);
        for (Stage stage : allStages()) {
          if (stage < *from || stage > *to)
            continue;
          if (stage > *from)
            addStagePasses(manager, stage);
          manager.addPass(
              pipeline::createVerifyStagePass({stageName(stage).str()}));
        }
      });
}
