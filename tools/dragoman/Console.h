//===- Console.h - Messages and progress on standard error ------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TOOLS_DRAGOMAN_CONSOLE_H
#define DRAGOMAN_TOOLS_DRAGOMAN_CONSOLE_H

#include <chrono>
#include <string>

namespace dragoman {

struct Environment;

/// Everything that is no result goes through here. A message is one line,
/// "error: ...", "warning: ..." or "note: ...", in colour on a terminal.
class Console {
public:
  explicit Console(const Environment &environment);
  ~Console() { clearProgress(); }

  /// Leaves errors only.
  void setQuiet(bool value) { quiet = value; }

  void error(const std::string &text);
  void warning(const std::string &text);
  void note(const std::string &text);
  /// A line without prefix.
  void info(const std::string &text);

  /// True if progress() shows anything: standard error is a terminal.
  bool showsProgress() const { return terminal && !quiet; }
  /// Rewrites the progress line, at most ten times a second.
  void progress(const std::string &text);
  void clearProgress();

private:
  void print(const char *prefix, const char *color, const std::string &text);

  bool terminal;
  bool colored;
  bool quiet = false;
  bool progressShown = false;
  std::chrono::steady_clock::time_point lastProgress;
};

} // namespace dragoman

#endif // DRAGOMAN_TOOLS_DRAGOMAN_CONSOLE_H
