//===- Process.cpp - Runs the dragoman program ----------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/e2e/Process.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace dragoman::test;

namespace {
/// An open file without a name.
class ScratchFile {
public:
  ScratchFile() : file(std::tmpfile()) {}
  ~ScratchFile() { std::fclose(file); }
  int descriptor() const { return fileno(file); }
  void fill(const std::string &text) {
    std::fwrite(text.data(), 1, text.size(), file);
    std::rewind(file);
  }
  std::string read() {
    std::rewind(file);
    std::string text;
    char buffer[1 << 16];
    while (size_t n = std::fread(buffer, 1, sizeof(buffer), file))
      text.append(buffer, n);
    return text;
  }

private:
  std::FILE *file;
};
} // namespace

ProcessResult
dragoman::test::runProcess(const std::string &program,
                           const std::vector<std::string> &arguments,
                           const ProcessOptions &options) {
  ScratchFile in, out, err;
  in.fill(options.input);
  std::vector<char *> argv = {const_cast<char *>(program.c_str())};
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child = fork();
  if (child == 0) {
    dup2(in.descriptor(), STDIN_FILENO);
    dup2(out.descriptor(), STDOUT_FILENO);
    dup2(err.descriptor(), STDERR_FILENO);
    if (!options.folder.empty() && chdir(options.folder.c_str()) != 0)
      _exit(127);
    for (const std::string &variable : options.environment)
      putenv(const_cast<char *>(variable.c_str()));
    execvp(program.c_str(), argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ProcessResult result;
  result.code =
      WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = out.read();
  result.err = err.read();
  return result;
}

ProcessResult
dragoman::test::dragomanProgram(const std::vector<std::string> &arguments,
                                const ProcessOptions &options) {
  return runProcess(std::string(DRAGOMAN_BINARY_DIR) + "/bin/dragoman",
                    arguments, options);
}

std::vector<std::string> dragoman::test::linesOf(const std::string &text) {
  std::vector<std::string> lines;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}
