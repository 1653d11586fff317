//===- InspectReport.h - What an artifact holds -----------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TOOLS_DRAGOMAN_INSPECTREPORT_H
#define DRAGOMAN_TOOLS_DRAGOMAN_INSPECTREPORT_H

#include "runtime/artifact/Artifact.h"
#include "runtime/base/Status.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace dragoman {

/// Everything `dragoman inspect` knows, as JSON. `memory` is empty, or holds
/// sentences, source length, target length and beam to evaluate the peak for.
Result<nlohmann::ordered_json>
inspectReport(const Artifact &artifact, const std::vector<int64_t> &memory);

/// The report as text for people.
std::string formatReport(const nlohmann::ordered_json &report);

} // namespace dragoman

#endif // DRAGOMAN_TOOLS_DRAGOMAN_INSPECTREPORT_H
