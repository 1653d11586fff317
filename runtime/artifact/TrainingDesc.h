//===- TrainingDesc.h - What an artifact says about training ----*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A training artifact keeps all parameters, and likewise gradients, moments and
// the average, as one flat array of P floats per state. The weights that the
// entries of inference read follow from the parameters by recipes, so a trained
// model needs no compiler.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_ARTIFACT_TRAININGDESC_H
#define DRAGOMAN_RUNTIME_ARTIFACT_TRAININGDESC_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// The weight [P] that holds the initial parameters.
inline constexpr const char *parametersWeight = "parameters";

/// One trainable tensor: elements [offset, offset + elements()) of the states,
/// row-major.
struct ParameterDesc {
  std::string name;
  std::vector<int64_t> shape;
  int64_t offset = 0;
  bool decay = false; ///< weight decay applies

  int64_t elements() const {
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= extent;
    return count;
  }
};

/// A weight of the blob is the concatenation of parameters along their first
/// axis, in the weight's layout.
struct WeightRecipe {
  std::string weight;
  std::vector<std::string> parameters;
};

struct TrainingDesc {
  std::vector<ParameterDesc> parameters; ///< by offset, without holes
  std::vector<std::string> states;       ///< of shape [P]
  std::vector<WeightRecipe> recipes;
  std::string options = "{}"; ///< JSON object: what the code was made for

  /// P.
  int64_t elements() const {
    return parameters.empty()
               ? 0
               : parameters.back().offset + parameters.back().elements();
  }
  const ParameterDesc *parameter(std::string_view name) const {
    for (const ParameterDesc &candidate : parameters)
      if (candidate.name == name)
        return &candidate;
    return nullptr;
  }
  const WeightRecipe *recipe(std::string_view weight) const {
    for (const WeightRecipe &candidate : recipes)
      if (candidate.weight == weight)
        return &candidate;
    return nullptr;
  }
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_ARTIFACT_TRAININGDESC_H
