//===- TrainingWeights.h - From parameters to weights -----------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_ARTIFACT_TRAININGWEIGHTS_H
#define DRAGOMAN_RUNTIME_ARTIFACT_TRAININGWEIGHTS_H

#include "runtime/artifact/Artifact.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dragoman {

/// Checks the section `training`: parameters without holes, states [P], recipes
/// whose parameters have the rows of their weight. Nothing without a section.
Status checkTraining(const Manifest &manifest);

/// The initial parameters of a training artifact.
Result<std::span<const float>> initialParameters(const Artifact &artifact);

/// Writes the stored bytes of weight `index` as they follow from `parameters`
/// [P] to `bytes`. A weight without a recipe is refused.
Status rebuildWeight(const Manifest &manifest, size_t index,
                     std::span<const float> parameters, std::string &bytes);

/// What an exported artifact gets beside the entries of inference.
struct ExportExtras {
  /// Replace settings of the same name, or are added.
  std::vector<Setting> settings;
  /// Replaces the text description; its member paths are among `members`, or
  /// are members of the artifact.
  std::optional<TextDesc> text;
  std::vector<std::pair<std::string, std::string>> members; ///< path, bytes
};

/// Writes an artifact of the entries that use no state of training, with the
/// weights that follow from `parameters`. No compiler is needed. The IR is left
/// out: it describes the initial weights.
Status exportInference(const Artifact &artifact,
                       std::span<const float> parameters,
                       const ExportExtras &extras, const std::string &path);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_ARTIFACT_TRAININGWEIGHTS_H
