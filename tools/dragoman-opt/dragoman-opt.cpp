//===- dragoman-opt.cpp - Runs passes on textual IR -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/graph/Passes.h"
#include "compiler/interpret/CheckGradients.h"
#include "compiler/interpret/RunFunctions.h"
#include "compiler/interpret/VerifySemantics.h"
#include "runtime/base/MappedFile.h"
#include "test/lib/BreakPasses.h"
#include "tools/driver/Registration.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace dragoman;

namespace {

llvm::cl::opt<interpret::Mode> interpretMode(
    "interpret",
    llvm::cl::desc("After the passes, run every function without arguments and "
                   "report failing check ops; no IR is printed"),
    llvm::cl::ValueOptional, llvm::cl::init(interpret::Mode::Typed),
    llvm::cl::values(clEnumValN(interpret::Mode::Typed, "typed",
                                "each op's result is rounded to its type"),
                     clEnumValN(interpret::Mode::Wide, "wide",
                                "every float in double"),
                     clEnumValN(interpret::Mode::Typed, "", "")));

llvm::cl::opt<bool> checkGradients(
    "check-gradients",
    llvm::cl::desc("After the passes, differentiate every function with "
                   "arguments and compare with finite differences; no IR is "
                   "printed"));

llvm::cl::opt<bool> verifySemantics(
    "verify-semantics",
    llvm::cl::desc("Evaluate every entry on seeded inputs behind each pass and "
                   "name the first pass and value that moved beyond the "
                   "tolerance table"));

llvm::cl::opt<std::string>
    tolerances("tolerances",
               llvm::cl::desc("A tolerance table instead of the built-in one"),
               llvm::cl::value_desc("file"));

llvm::cl::opt<uint64_t> seed("seed", llvm::cl::init(1),
                             llvm::cl::desc("Seed of --verify-semantics and "
                                            "--check-gradients"));

llvm::cl::opt<std::string>
    modelFolder("model-folder",
                llvm::cl::desc("The folder of #plan.file weights"),
                llvm::cl::value_desc("folder"));

/// The options of --verify-semantics, or nothing (with a message) if the table
/// cannot be read.
std::optional<interpret::VerifyOptions> verifyOptions() {
  interpret::VerifyOptions options;
  options.modelFolder = modelFolder;
  options.seed = seed;
  options.decompose = [](mlir::ModuleOp module) {
    auto passes = mlir::PassManager::on<mlir::ModuleOp>(module.getContext());
    passes.addPass(createXfDecompose());
    return passes.run(module);
  };
  if (tolerances.empty())
    return options;
  Result<std::string> text = readFile(tolerances);
  Result<interpret::ToleranceTable> table =
      text ? interpret::ToleranceTable::parse(*text)
           : Result<interpret::ToleranceTable>(text.status());
  if (!table) {
    llvm::errs() << table.status().toString() << "\n";
    return std::nullopt;
  }
  options.tolerances = *table;
  return options;
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerPasses();
  test::registerBreakPasses();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "Dragoman optimizer driver\n", registry);

  mlir::MlirOptMainConfig config =
      mlir::MlirOptMainConfig::createFromCLOptions();
  mlir::MlirOptMainConfig parsed = config;
  bool interpret = interpretMode.getNumOccurrences() != 0;
  bool moved = false;
  std::optional<interpret::VerifyOptions> verification = verifyOptions();
  if (!verification)
    return 1;
  config.setPassPipelineSetupFn([&](mlir::PassManager &passes) {
    if (::verifySemantics)
      interpret::verifySemantics(passes, *verification, moved);
    if (mlir::failed(parsed.setupPassPipeline(passes)))
      return mlir::failure();
    if (interpret)
      passes.addPass(interpret::createRunFunctionsPass(
          {interpretMode, modelFolder, {}, {}}));
    if (checkGradients)
      passes.addPass(interpret::createCheckGradientsPass({seed, modelFolder}));
    return mlir::success();
  });

  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      mlir::openInputFile(input, &error);
  std::unique_ptr<llvm::ToolOutputFile> file =
      buffer ? mlir::openOutputFile(
                   interpret || checkGradients ? "/dev/null" : output, &error)
             : nullptr;
  if (!file) {
    llvm::errs() << error << "\n";
    return 1;
  }
  if (mlir::failed(
          mlir::MlirOptMain(file->os(), std::move(buffer), registry, config)))
    return 1;
  file->keep();
  return moved ? 1 : 0;
}
