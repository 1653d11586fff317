//===- dragoman-import.cpp - Prints the module of an ONNX file -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/OnnxImport.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

static llvm::cl::opt<std::string> inputPath(llvm::cl::Positional,
                                            llvm::cl::Required,
                                            llvm::cl::desc("<model.onnx>"));

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(
      argc, argv, "Imports an ONNX file and prints the module\n");
  mlir::MLIRContext context;
  auto module = dragoman::onnx::importOnnxFile(inputPath, context);
  if (failed(module))
    return 1;
  (*module)->print(llvm::outs());
  return 0;
}
