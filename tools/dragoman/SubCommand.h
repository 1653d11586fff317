//===- SubCommand.h - Sub-commands of the dragoman program ------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file per sub-command. Each adds its options to the program's parser and
// returns what to do when it was chosen.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TOOLS_DRAGOMAN_SUBCOMMAND_H
#define DRAGOMAN_TOOLS_DRAGOMAN_SUBCOMMAND_H

#include <functional>

namespace CLI {
class App;
}

namespace dragoman {

class Console;
class Status;

/// What the process ends with.
enum ExitCode {
  exitOk = 0,
  exitData = 1,   ///< a model, a file or a result is wrong
  exitUsage = 2,  ///< the command line is wrong
  exitDamage = 3, ///< finished, but some lines have no translation
  exitInterrupted = 130,
};

/// A sub-command and its body, to be called after parsing.
struct SubCommand {
  CLI::App *parser = nullptr;
  std::function<int()> run;
};

SubCommand addCompile(CLI::App &program, Console &console);
SubCommand addTranslate(CLI::App &program, Console &console);
SubCommand addRun(CLI::App &program, Console &console);
SubCommand addInspect(CLI::App &program, Console &console);
SubCommand addEval(CLI::App &program, Console &console);
SubCommand addTrain(CLI::App &program, Console &console);

/// Prints the failure and returns the code it ends the process with.
int reportFailure(Console &console, const Status &status);

} // namespace dragoman

#endif // DRAGOMAN_TOOLS_DRAGOMAN_SUBCOMMAND_H
