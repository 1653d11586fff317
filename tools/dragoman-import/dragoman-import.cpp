//===- dragoman-import.cpp - Prints the module of an ONNX file -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/OnnxImport.h"
#include "frontends/onnx/hub/HubImport.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

static llvm::cl::opt<std::string>
    inputPath(llvm::cl::Positional, llvm::cl::Required,
              llvm::cl::desc("<model.onnx or folder>"));

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(
      argc, argv,
      "Imports an ONNX file or a translator's folder and prints the module\n");
  mlir::MLIRContext context;
  if (llvm::sys::fs::is_directory(inputPath)) {
    auto hub = dragoman::onnx::importHubFolder(inputPath, context);
    if (failed(hub))
      return 1;
    hub->module->print(llvm::outs());
    return 0;
  }
  auto module = dragoman::onnx::importOnnxFile(inputPath, context);
  if (failed(module))
    return 1;
  (*module)->print(llvm::outs());
  return 0;
}
