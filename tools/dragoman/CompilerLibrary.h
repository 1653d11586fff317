//===- CompilerLibrary.h - The compiler, opened on demand -------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TOOLS_DRAGOMAN_COMPILERLIBRARY_H
#define DRAGOMAN_TOOLS_DRAGOMAN_COMPILERLIBRARY_H

#include "runtime/base/Status.h"

#include <string>
#include <vector>

namespace dragoman {

class Console;

/// What to compile; see tools/driver/CompilerPlugin.h.
struct CompileRequest {
  std::string input;
  std::string output;
  std::vector<std::string> cpu; ///< feature levels; empty = the portable set
  std::string stopAfter;
  std::string dumpDir;
  std::string schedule;
};

/// Opens the compiler library, once per process, and runs the request. The
/// library's messages go to the console. Returns an exit code.
int compile(const CompileRequest &request, Console &console);

/// A model in compiled form: `path` itself if it is no folder, .onnx or .mlir
/// file, else the artifact in the cache, compiled first if it is missing. The
/// cache is keyed by the contents of the files and the program's version.
Result<std::string> compiledPath(const std::string &path,
                                 const std::string &cacheFolder,
                                 Console &console);

} // namespace dragoman

#endif // DRAGOMAN_TOOLS_DRAGOMAN_COMPILERLIBRARY_H
