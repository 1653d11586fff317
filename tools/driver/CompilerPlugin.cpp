//===- CompilerPlugin.cpp - The border of libdragoman-compiler.so -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/driver/CompilerPlugin.h"

#include "tools/driver/Compile.h"

#include <nlohmann/json.hpp>

using namespace dragoman;

/// The request as a job; an error names the key.
static Result<CompileJob> parseRequest(const char *text) {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object())
    return Status(StatusCode::InvalidArgument, "expected a JSON object",
                  "request");
  CompileJob job;
  std::string command;
  std::pair<const char *, std::string *> strings[] = {
      {"command", &command},           {"input", &job.input},
      {"output", &job.output},         {"stopAfter", &job.stopAfter},
      {"dumpDir", &job.dumpDir},       {"schedule", &job.schedule}};
  for (auto [key, field] : strings)
    if (auto found = json.find(key); found != json.end()) {
      if (!found->is_string())
        return Status(StatusCode::InvalidArgument, "expected a string",
                      std::string("request: ") + key);
      *field = found->get<std::string>();
    }
  if (command != "compile")
    return Status(StatusCode::InvalidArgument,
                  "expected command \"compile\", found \"" + command + "\"",
                  "request");
  if (auto cpu = json.find("cpu"); cpu != json.end()) {
    for (const nlohmann::json &level : *cpu)
      if (level.is_string())
        job.levels.push_back(level.get<std::string>());
    if (!cpu->is_array() || job.levels.size() != cpu->size())
      return Status(StatusCode::InvalidArgument, "expected an array of strings",
                    "request: cpu");
  }
  return job;
}

int dragoman_compiler_run(const char *jsonRequest,
                          DragomanMessageFunction message, void *user) {
  auto sink = [&](MessageLevel level, const std::string &text) {
    message(user, static_cast<int>(level), text.c_str());
  };
  try {
    Result<CompileJob> job = parseRequest(jsonRequest);
    if (!job) {
      sink(MessageLevel::Error, job.status().toString());
      return 2;
    }
    Status status = compileModel(*job, sink);
    if (status)
      return 0;
    return status.code() == StatusCode::InvalidArgument ? 2 : 1;
  } catch (const std::exception &failure) {
    sink(MessageLevel::Error,
         std::string("internal error: ") + failure.what());
    return 1;
  }
}
