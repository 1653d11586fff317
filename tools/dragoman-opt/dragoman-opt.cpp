//===- dragoman-opt.cpp - Runs passes on textual IR -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/interpret/RunFunctions.h"
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

llvm::cl::opt<std::string>
    modelFolder("model-folder",
                llvm::cl::desc("The folder of #plan.file weights"),
                llvm::cl::value_desc("folder"));

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerPasses();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "Dragoman optimizer driver\n", registry);

  mlir::MlirOptMainConfig config =
      mlir::MlirOptMainConfig::createFromCLOptions();
  mlir::MlirOptMainConfig parsed = config;
  bool interpret = interpretMode.getNumOccurrences() != 0;
  config.setPassPipelineSetupFn([&](mlir::PassManager &passes) {
    if (mlir::failed(parsed.setupPassPipeline(passes)))
      return mlir::failure();
    if (interpret)
      passes.addPass(interpret::createRunFunctionsPass(
          {interpretMode, modelFolder, {}, {}}));
    return mlir::success();
  });

  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      mlir::openInputFile(input, &error);
  std::unique_ptr<llvm::ToolOutputFile> file =
      buffer ? mlir::openOutputFile(interpret ? "/dev/null" : output, &error)
             : nullptr;
  if (!file) {
    llvm::errs() << error << "\n";
    return 1;
  }
  if (mlir::failed(
          mlir::MlirOptMain(file->os(), std::move(buffer), registry, config)))
    return 1;
  file->keep();
  return 0;
}
