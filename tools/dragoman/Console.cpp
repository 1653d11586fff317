//===- Console.cpp - Messages and progress on standard error --------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/dragoman/Console.h"

#include "runtime/base/Status.h"
#include "tools/dragoman/Environment.h"
#include "tools/dragoman/SubCommand.h"

#include <cstdio>
#include <unistd.h>

using namespace dragoman;

Console::Console(const Environment &environment)
    : terminal(isatty(STDERR_FILENO) && !environment.dumbTerminal),
      colored(!environment.noColor && (terminal || environment.forceColor)) {}

void Console::error(const std::string &text) {
  print("error: ", "\033[1;31m", text);
}

void Console::warning(const std::string &text) {
  if (!quiet)
    print("warning: ", "\033[1;33m", text);
}

void Console::note(const std::string &text) {
  if (!quiet)
    print("note: ", "\033[1;36m", text);
}

void Console::info(const std::string &text) {
  if (!quiet)
    print("", "", text);
}

void Console::print(const char *prefix, const char *color,
                    const std::string &text) {
  clearProgress();
  bool paint = colored && *prefix;
  std::string line = std::string(paint ? color : "") + prefix +
                     (paint ? "\033[0m" : "") + text + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void Console::progress(const std::string &text) {
  if (!showsProgress())
    return;
  auto now = std::chrono::steady_clock::now();
  if (progressShown && now - lastProgress < std::chrono::milliseconds(100))
    return;
  lastProgress = now;
  progressShown = true;
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  std::fflush(stderr);
}

void Console::clearProgress() {
  if (!progressShown)
    return;
  progressShown = false;
  std::fputs("\r\033[K", stderr);
}

int dragoman::reportFailure(Console &console, const Status &status) {
  if (status.code() == StatusCode::Cancelled)
    return exitInterrupted;
  console.error(status.toString());
  return status.code() == StatusCode::InvalidArgument ? exitUsage : exitData;
}
