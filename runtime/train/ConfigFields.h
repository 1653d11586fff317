//===- ConfigFields.h - Keys of the configuration file ----------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to runtime/train. One table of keys: how each is read, checked and
// written.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TRAIN_CONFIGFIELDS_H
#define DRAGOMAN_RUNTIME_TRAIN_CONFIGFIELDS_H

#include "runtime/train/TrainConfig.h"

#include <functional>
#include <string_view>
#include <vector>
#include <yaml-cpp/yaml.h>

namespace dragoman {

/// A key such as "optim.lr", bound to a member of one TrainConfig.
struct ConfigField {
  std::string path;
  std::string expected; ///< "a number above 0"
  /// Takes the value over; false if it is not as expected.
  std::function<bool(const YAML::Node &)> read;
  /// Appends the value.
  std::function<void(YAML::Emitter &)> write;
};

/// All keys in the order in which they are written.
std::vector<ConfigField> configFields(TrainConfig &config);

/// The name with the fewest edits from `name`, if that is close enough.
std::string nearestName(std::string_view name,
                        const std::vector<std::string> &names);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TRAIN_CONFIGFIELDS_H
