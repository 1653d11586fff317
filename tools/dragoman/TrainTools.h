//===- TrainTools.h - What stands beside a training run ---------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TOOLS_DRAGOMAN_TRAINTOOLS_H
#define DRAGOMAN_TOOLS_DRAGOMAN_TRAINTOOLS_H

#include "tools/dragoman/SubCommand.h"

#include <vector>

namespace dragoman {

/// The verbs of `dragoman train`: vocab, average, export, report.
std::vector<SubCommand> addTrainTools(CLI::App &train, Console &console);

} // namespace dragoman

#endif // DRAGOMAN_TOOLS_DRAGOMAN_TRAINTOOLS_H
