//===- CodeChoice.cpp - Which code of an artifact to load -------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/KernelAbi.h"
#include "runtime/execute/ModelImpl.h"

#include <algorithm>

using namespace dragoman;

static std::string joined(const std::vector<std::string> &list) {
  std::string text;
  for (const std::string &item : list)
    text += (text.empty() ? "" : ", ") + item;
  return text.empty() ? "none" : text;
}

/// Position in cpuLevels(); unknown levels rank below all.
static int rankOf(const std::string &level) {
  const CpuLevel *known = findCpuLevel(level);
  return known ? known - cpuLevels().data() : -1;
}

static Status refuse(const std::string &name, const std::string &levels,
                     const LoadOptions &options) {
  std::string has = options.features.bestLevelName();
  std::string message =
      "compiled for " + levels + ", this processor has " + has + "; ";
  if (const CpuLevel *best = options.features.bestLevel())
    message +=
        "rebuild with: dragoman compile " + name + " --cpu=" + best->name;
  else
    message += "at least " + cpuLevels().front().name + " is needed, without " +
               joined(options.features.missing(cpuLevels().front().features));
  return Status(StatusCode::Unsupported, message, name);
}

Result<const CodeDesc *> dragoman::chooseCode(const Manifest &manifest,
                                              const std::string &name,
                                              const LoadOptions &options) {
  std::vector<std::string> levels;
  const CodeDesc *best = nullptr;
  for (const CodeDesc &code : manifest.code) {
    levels.push_back(code.level);
    if (!options.level.empty() && code.level != options.level)
      continue;
    if (!options.features.missing(code.features).empty())
      continue;
    if (!best || rankOf(code.level) > rankOf(best->level))
      best = &code;
  }
  bool isThere =
      std::find(levels.begin(), levels.end(), options.level) != levels.end();
  if (!options.level.empty() && !isThere)
    return Status(StatusCode::InvalidArgument,
                  "expected code for " + options.level + ", found " +
                      joined(levels),
                  name);
  if (!best)
    return refuse(name, options.level.empty() ? joined(levels) : options.level,
                  options);
  if (best->abiVersion != kernelAbiVersion)
    return Status(StatusCode::Unsupported,
                  "expected code of kernel ABI " +
                      std::to_string(kernelAbiVersion) + ", found " +
                      std::to_string(best->abiVersion),
                  name);
  return best;
}
