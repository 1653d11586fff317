//===- Output.h - Where results go ------------------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TOOLS_DRAGOMAN_OUTPUT_H
#define DRAGOMAN_TOOLS_DRAGOMAN_OUTPUT_H

#include "runtime/base/AtomicFile.h"
#include "runtime/base/Status.h"

#include <memory>
#include <string>
#include <string_view>

namespace dragoman {

/// Standard output ("-"), a device or pipe that exists, or a file that appears
/// whole with finish().
class Output {
public:
  ~Output();
  Output(const Output &) = delete;
  Output &operator=(const Output &) = delete;

  static Result<std::unique_ptr<Output>> open(const std::string &path);

  Status write(std::string_view text);
  /// Hands on what is buffered; a reader downstream sees it.
  Status flush();
  /// Call once, last. Without it a file is left as it was.
  Status finish();

private:
  Output() = default;

  Status writeToDescriptor();

  std::unique_ptr<AtomicFile> file; ///< null = `descriptor` is written
  int descriptor = -1;              ///< ours unless it is standard output
  std::string name;
  std::string buffer;
};

} // namespace dragoman

#endif // DRAGOMAN_TOOLS_DRAGOMAN_OUTPUT_H
