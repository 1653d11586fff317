//===- CompilerMain.cpp - The compiler as a program -------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/driver/Compile.h"
#include "tools/driver/CompilerBorder.h"
#include "tools/driver/ExportModel.h"

#include <cstdio>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

using namespace dragoman;

namespace {

/// One of the two commands.
struct Request {
  bool exports = false;
  CompileJob compile;
  ExportJob exporting;
};

} // namespace

/// An error names the key.
static Result<Request> parseRequest(const std::string &text) {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object())
    return Status(StatusCode::InvalidArgument, "expected a JSON object",
                  "request");
  Request request;
  CompileJob &job = request.compile;
  std::string command, parameters;
  std::pair<const char *, std::string *> strings[] = {
      {"command", &command},      {"input", &job.input},
      {"output", &job.output},    {"stopAfter", &job.stopAfter},
      {"dumpDir", &job.dumpDir},  {"schedule", &job.schedule},
      {"parameters", &parameters}};
  for (auto [key, field] : strings)
    if (auto found = json.find(key); found != json.end()) {
      if (!found->is_string())
        return Status(StatusCode::InvalidArgument, "expected a string",
                      std::string("request: ") + key);
      *field = found->get<std::string>();
    }
  request.exports = command == "export";
  request.exporting = {job.input, parameters, job.output};
  if (!request.exports && command != "compile")
    return Status(StatusCode::InvalidArgument,
                  "expected command \"compile\" or \"export\", found \"" +
                      command + "\"",
                  "request");
  if (auto cpu = json.find("cpu"); cpu != json.end()) {
    for (const nlohmann::json &level : *cpu)
      if (level.is_string())
        job.levels.push_back(level.get<std::string>());
    if (!cpu->is_array() || job.levels.size() != cpu->size())
      return Status(StatusCode::InvalidArgument, "expected an array of strings",
                    "request: cpu");
  }
  return request;
}

/// One line a message; line ends inside it become spaces.
static void writeMessage(MessageLevel level, std::string text) {
  for (char &character : text)
    if (character == '\n')
      character = ' ';
  std::fprintf(stderr, "%d %s\n", static_cast<int>(level), text.c_str());
}

int main(int argc, char **argv) {
  if (argc > 1) {
    std::fprintf(stderr,
                 "dragoman-compiler reads a request on standard input; use "
                 "'dragoman compile' instead\n");
    return std::string(argv[1]) == "--help" ? 0 : 2;
  }
  std::string text(std::istreambuf_iterator<char>(std::cin), {});
  Result<Request> request = parseRequest(text);
  if (!request) {
    writeMessage(MessageLevel::Error, request.status().toString());
    return 2;
  }
  Status status = request->exports
                      ? exportModel(request->exporting, writeMessage)
                      : compileModel(request->compile, writeMessage);
  if (status)
    return 0;
  return status.code() == StatusCode::InvalidArgument ? 2 : 1;
}
