//===- CompilerProcess.h - The compiler, opened on demand -------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TOOLS_DRAGOMAN_COMPILERPROCESS_H
#define DRAGOMAN_TOOLS_DRAGOMAN_COMPILERPROCESS_H

#include "runtime/base/Status.h"

#include <string>
#include <vector>

namespace dragoman {

class Console;

/// What to compile; see tools/driver/CompilerBorder.h.
struct CompileRequest {
  std::string input;
  std::string output;
  std::vector<std::string> cpu; ///< feature levels; empty = the portable set
  std::string stopAfter;
  std::string dumpDir;
  std::string schedule;
};

/// Runs the compiler on the request as a child process. Its messages go to the
/// console, IR that it writes to "-" to standard output. Returns an exit code.
int compile(const CompileRequest &request, Console &console);

/// Writes the model of a training artifact as a folder of ONNX graphs, in the
/// same way. `parameters` is a file of as many floats as the artifact has
/// parameters, in their order.
int exportGraphs(const std::string &artifact, const std::string &parameters,
                 const std::string &folder, Console &console);

/// A model in compiled form: `path` itself if it is no folder, .onnx or .mlir
/// file, else the artifact in the cache, compiled first if it is missing. The
/// cache is keyed by the contents of the files and the program's version.
Result<std::string> compiledPath(const std::string &path,
                                 const std::string &cacheFolder,
                                 Console &console);

} // namespace dragoman

#endif // DRAGOMAN_TOOLS_DRAGOMAN_COMPILERPROCESS_H
