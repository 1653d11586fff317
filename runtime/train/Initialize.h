//===- Initialize.h - Parameters from elsewhere -----------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TRAIN_INITIALIZE_H
#define DRAGOMAN_RUNTIME_TRAIN_INITIALIZE_H

#include "runtime/train/TrainModel.h"

#include <string>

namespace dragoman {

/// Named tensors of f32.
struct NamedTensors {
  std::vector<ParameterDesc> descs; ///< by offset, without holes
  std::vector<float> values;
};

/// Reads a checkpoint's folder (the average if it has one, unless `raw`), or a
/// .safetensors file of f32.
Result<NamedTensors> readParameters(const std::string &path, bool raw = false);

/// Sets the model's parameters, and their average, to the tensors of the same
/// names. Refused, naming the tensor: a missing one, another shape.
Status initializeParameters(TrainModel &model, const std::string &path);

/// The mean of several, summed in double in their order.
Result<NamedTensors> averageParameters(const std::vector<std::string> &paths,
                                       bool raw);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TRAIN_INITIALIZE_H
