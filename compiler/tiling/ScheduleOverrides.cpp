//===- ScheduleOverrides.cpp - Numbers of schedules from a file -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/Schedule.h"

using namespace dragoman;

namespace {

/// A number that overrides may choose, and its smallest value.
struct Choice {
  llvm::StringLiteral name;
  int64_t least;
};

} // namespace

static constexpr Choice choices[] = {
    {"elementwise.elements", 16}, {"layer_norm.rows", 1},
    {"linear.row_block", 1},      {"log_softmax.rows", 1},
    {"rms_norm.rows", 1},         {"softmax.rows", 1},
};

static std::string choiceNames() {
  std::string names;
  for (const Choice &choice : choices)
    names += (names.empty() ? "" : ", ") + choice.name.str();
  return names;
}

/// Adds one line's override.
static Status parseLine(llvm::StringRef line, ScheduleOverrides &overrides) {
  line = line.split('#').first.trim();
  if (line.empty())
    return Status::ok();
  auto [name, value] = line.split('=');
  name = name.trim();
  value = value.trim();
  const Choice *choice =
      std::find_if(std::begin(choices), std::end(choices),
                   [&](const Choice &known) { return known.name == name; });
  if (choice == std::end(choices))
    return Status(StatusCode::InvalidArgument, "expected one of " +
                                                   choiceNames() + ", found '" +
                                                   name.str() + "'");
  int64_t number;
  if (value.getAsInteger(10, number) || number < choice->least)
    return Status(StatusCode::InvalidArgument,
                  "expected " + name.str() + " of " +
                      std::to_string(choice->least) + " or more, found '" +
                      value.str() + "'");
  if (!overrides.try_emplace(name.str(), number).second)
    return Status(StatusCode::InvalidArgument,
                  "expected " + name.str() + " once, found it again");
  return Status::ok();
}

Result<ScheduleOverrides>
dragoman::parseScheduleOverrides(llvm::StringRef text) {
  ScheduleOverrides overrides;
  for (int64_t number = 1; !text.empty(); ++number) {
    auto [line, rest] = text.split('\n');
    if (Status status = parseLine(line, overrides); !status)
      return status.at("line " + std::to_string(number));
    text = rest;
  }
  return overrides;
}

int64_t TargetInfo::number(plan::KernelOp kernel, llvm::StringRef name,
                           int64_t decided) const {
  auto found = overrides.find((kernelRootName(kernel) + "." + name).str());
  return found == overrides.end() ? decided : found->second;
}
