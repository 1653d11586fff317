//===- main.cpp - The dragoman program ------------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/dragoman/Console.h"
#include "tools/dragoman/Environment.h"
#include "tools/dragoman/SubCommand.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <iterator>

using namespace dragoman;

/// The parser's message in the form of all others: one line, lower case.
static std::string usageText(const CLI::ParseError &failure) {
  std::string text = failure.what();
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.pop_back();
  for (char &c : text)
    if (c == '\n')
      c = ' ';
  if (!text.empty())
    text[0] = char(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

int main(int argc, char **argv) {
  Environment environment = Environment::read();
  Console console(environment);
  CLI::App program("Compiles attention models and translates with them.",
                   "dragoman");
  program.set_version_flag("--version", "dragoman " DRAGOMAN_VERSION);
  program.require_subcommand(1);
  program.footer(
      "Exit codes: 0 fine, 1 bad model or data, 2 bad command line,\n"
      "3 finished but some lines have no translation, 130 "
      "interrupted.");
  const SubCommand commands[] = {
      addCompile(program, console), addTranslate(program, console),
      addRun(program, console), addInspect(program, console),
      addEval(program, console), addTrain(program, console)};

  // The parser would only say that a sub-command is missing.
  bool known = std::any_of(
      std::begin(commands), std::end(commands), [&](const SubCommand &command) {
        return argc > 1 && command.parser->get_name() == argv[1];
      });
  if (argc > 1 && argv[1][0] != '-' && !known) {
    console.error("expected compile, translate, run, inspect, eval or train, found '" +
                  std::string(argv[1]) + "'; see dragoman --help");
    return exitUsage;
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success &asked) { // --help, --version
    return program.exit(asked);
  } catch (const CLI::ParseError &failure) {
    console.error(usageText(failure) + "; see dragoman --help");
    return exitUsage;
  }
  for (const SubCommand &command : commands)
    if (command.parser->parsed())
      return command.run();
  return exitUsage;
}
