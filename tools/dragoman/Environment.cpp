//===- Environment.cpp - Variables that the program reads -----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/dragoman/Environment.h"

#include <cstdlib>

using namespace dragoman;

static std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

Environment Environment::read() {
  Environment environment;
  environment.noColor = !variable("NO_COLOR").empty();
  for (const char *name : {"CLICOLOR_FORCE", "FORCE_COLOR"})
    if (std::string value = variable(name); !value.empty() && value != "0")
      environment.forceColor = true;
  environment.dumbTerminal = variable("TERM") == "dumb";
  // A relative XDG_CACHE_HOME is to be ignored, says its specification.
  if (std::string cache = variable("XDG_CACHE_HOME"); cache.starts_with("/"))
    environment.cacheFolder = cache + "/dragoman";
  else if (std::string home = variable("HOME"); !home.empty())
    environment.cacheFolder = home + "/.cache/dragoman";
  return environment;
}
