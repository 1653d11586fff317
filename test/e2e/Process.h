//===- Process.h - Runs the dragoman program --------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TEST_E2E_PROCESS_H
#define DRAGOMAN_TEST_E2E_PROCESS_H

#include <string>
#include <vector>

namespace dragoman::test {

/// How a process ended. A process that a signal ended has code 128 + signal.
struct ProcessResult {
  int code = -1;
  std::string out;
  std::string err;
};

struct ProcessOptions {
  std::string input;                    ///< what its standard input holds
  std::string folder;                   ///< its working folder; "" = this one
  std::vector<std::string> environment; ///< NAME=VALUE, added to this one's
};

/// Runs a program to its end. Output goes through files, so any amount is fine.
ProcessResult runProcess(const std::string &program,
                         const std::vector<std::string> &arguments,
                         const ProcessOptions &options = {});

/// The same for the program `dragoman` of this build.
ProcessResult dragomanProgram(const std::vector<std::string> &arguments,
                              const ProcessOptions &options = {});

/// Lines without their ends; text behind the last LF counts as a line.
std::vector<std::string> linesOf(const std::string &text);

} // namespace dragoman::test

#endif // DRAGOMAN_TEST_E2E_PROCESS_H
