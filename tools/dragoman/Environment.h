//===- Environment.h - Variables that the program reads ---------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only place that reads the environment. None of these changes a result.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TOOLS_DRAGOMAN_ENVIRONMENT_H
#define DRAGOMAN_TOOLS_DRAGOMAN_ENVIRONMENT_H

#include <string>

namespace dragoman {

struct Environment {
  bool noColor = false;      ///< NO_COLOR set and not empty
  bool forceColor = false;   ///< CLICOLOR_FORCE or FORCE_COLOR set, not "0"
  bool dumbTerminal = false; ///< TERM=dumb
  /// $XDG_CACHE_HOME/dragoman, else $HOME/.cache/dragoman, else empty.
  std::string cacheFolder;

  /// The variables as they are now.
  static Environment read();
};

} // namespace dragoman

#endif // DRAGOMAN_TOOLS_DRAGOMAN_ENVIRONMENT_H
