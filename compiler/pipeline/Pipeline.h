//===- Pipeline.h - The order of all passes -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_PIPELINE_PIPELINE_H
#define DRAGOMAN_COMPILER_PIPELINE_PIPELINE_H

#include "compiler/pipeline/Stage.h"
#include "compiler/tiling/Schedule.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <functional>
#include <string>

namespace dragoman {

struct PipelineOptions {
  /// What the module holds: the stage that it has reached.
  Stage startFrom = Stage::Import;
  /// The last stage to reach.
  Stage stopAfter = Stage::Lowering;
  /// Check the contract of each stage behind it.
  bool verifyStages = true;
  /// A folder that gets the IR after every stage, "1-graph.mlir"; "" = none.
  std::string dumpDir;
  /// Numbers of schedules that replace what tiling decides.
  ScheduleOverrides schedule;
  /// Called behind each stage with the seconds it took; may be null.
  std::function<void(Stage, double)> progress;
};

/// Adds the passes that bring a module from the stage before to `stage`, in the
/// one order that they run in. Stage::Import has none.
void addStagePasses(mlir::OpPassManager &manager, Stage stage,
                    const ScheduleOverrides &schedule = {});

/// Brings `module` from one stage to another. Failures are diagnostics.
llvm::LogicalResult runPipeline(mlir::ModuleOp module,
                                const PipelineOptions &options);

/// Emits an error and fails unless the module keeps the contract of `stage`.
llvm::LogicalResult verifyStage(mlir::ModuleOp module, Stage stage);

/// Registers verify-stage and the pipeline "dragoman-compile".
void registerPipeline();

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_PIPELINE_PIPELINE_H
