//===- ResolveSettings.h - From settings files to a search ------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Resolution order: command line, generation_config.json, the generation keys
// of config.json, the default of the scoring mode. Keys carry Hugging Face's
// names in every layer.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_DECODE_RESOLVESETTINGS_H
#define DRAGOMAN_RUNTIME_DECODE_RESOLVESETTINGS_H

#include "runtime/base/Status.h"
#include "runtime/decode/GenerationSettings.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dragoman {

/// The layer whose faults are the user's: they are InvalidArgument and name
/// the option; a fault of any other layer is InvalidData and names the file.
inline constexpr const char *commandLineOrigin = "command line";

/// The settings of one origin, an object keyed by setting name, or null for
/// none. A null value means "not set here".
struct SettingLayer {
  std::string origin;
  nlohmann::json values = nlohmann::json::object();
  /// True for a file that holds other things too (config.json): keys that no
  /// search knows are passed over instead of being listed.
  bool onlyKnownKeys = false;
};

/// Reads `layers`, strongest first. A value outside its range, or a key that
/// would change the output and is not supported, is an error. `notices` gets
/// one line each for unknown keys (all in one), a clamped beam and a length
/// limit that no layer sets.
Result<GenerationSettings>
resolveSettings(const std::vector<SettingLayer> &layers,
                const ModelLimits &limits, std::vector<std::string> &notices);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_DECODE_RESOLVESETTINGS_H
