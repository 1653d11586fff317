//===- ModelDescription.h - A configuration as the compiler sees it -*- C++
//-*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TRAIN_MODELDESCRIPTION_H
#define DRAGOMAN_RUNTIME_TRAIN_MODELDESCRIPTION_H

#include "runtime/train/IdCoder.h"
#include "runtime/train/TrainConfig.h"

#include <string>
#include <vector>

namespace dragoman {

/// Files that the compiler reads to make a model that can be trained.
struct ModelDescription {
  struct File {
    std::string name;
    std::string bytes;
  };
  /// model.json first, then the vocabularies that it names.
  std::vector<File> files;
};

/// Describes the model of a configuration (docs/training.md lists the keys).
Result<ModelDescription> describeModel(const TrainConfig &config,
                                       const IdCoder &source,
                                       const IdCoder &target);

/// Writes the files into a folder, the description last. False if all of them
/// are there already with the same bytes.
Result<bool> writeModelDescription(const ModelDescription &description,
                                   const std::string &folder);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TRAIN_MODELDESCRIPTION_H
