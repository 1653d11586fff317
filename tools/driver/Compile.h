//===- Compile.h - From a model to an artifact ------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TOOLS_DRIVER_COMPILE_H
#define DRAGOMAN_TOOLS_DRIVER_COMPILE_H

#include "runtime/base/Status.h"

#include <functional>
#include <string>
#include <vector>

namespace dragoman {

/// What to compile, and into what.
struct CompileJob {
  std::string input;               ///< folder, .onnx, .mlir or .dgm
  std::string output;              ///< the artifact, or IR with stopAfter
  std::vector<std::string> levels; ///< feature levels; empty = portable set
  std::string stopAfter;           ///< stage name, or ""
  std::string dumpDir;  ///< folder for the IR after each stage, or ""
  std::string schedule; ///< file of schedule overrides, or ""
};

enum class MessageLevel { Progress, Warning, Error };
using MessageSink = std::function<void(MessageLevel, const std::string &)>;

/// Compiles; progress (one line a step, with seconds) and warnings go to
/// `message`, errors too: the returned Status repeats the first. The output
/// holds the old bytes or the whole new file.
Status compileModel(const CompileJob &job, const MessageSink &message);

} // namespace dragoman

#endif // DRAGOMAN_TOOLS_DRIVER_COMPILE_H
