//===- Initialize.cpp - Parameters from elsewhere -------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Initialize.h"

#include "runtime/artifact/Safetensors.h"
#include "runtime/base/MappedFile.h"
#include "runtime/train/Checkpoint.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

using namespace dragoman;

static std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? "," : "") + std::to_string(shape[i]);
  return text + "]";
}

static Result<NamedTensors> readSafetensors(const std::string &path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file)
    return file.status();
  Result<SafetensorsHeader> header = parseSafetensors(file->bytes());
  if (!header)
    return header.status().at(path);
  NamedTensors result;
  for (const SafetensorsTensor &tensor : header->tensors) {
    if (tensor.name.starts_with(padTensorPrefix))
      continue;
    if (tensor.type != ElementType::F32)
      return Status(StatusCode::InvalidData,
                    "tensor '" + tensor.name + "': expected f32, found " +
                        elementTypeName(tensor.type),
                    path);
    ParameterDesc desc{tensor.name, tensor.shape,
                       static_cast<int64_t>(result.values.size()), false};
    result.values.resize(result.values.size() +
                         (tensor.end - tensor.begin) / 4);
    if (tensor.end > tensor.begin)
      std::memcpy(result.values.data() + desc.offset,
                  file->bytes().data() + header->dataOffset + tensor.begin,
                  tensor.end - tensor.begin);
    result.descs.push_back(std::move(desc));
  }
  return result;
}

Result<NamedTensors> dragoman::readParameters(const std::string &path,
                                              bool raw) {
  std::error_code failure;
  if (!std::filesystem::is_directory(path, failure))
    return readSafetensors(path);
  Result<Checkpoint> checkpoint = Checkpoint::open(path);
  if (!checkpoint)
    return checkpoint.status();
  std::span<const float> values = checkpoint->stateData(averageState);
  if (raw || values.empty())
    values = checkpoint->stateData(parametersState);
  return NamedTensors{checkpoint->parameters(), {values.begin(), values.end()}};
}

Status dragoman::initializeParameters(TrainModel &model,
                                      const std::string &path) {
  Result<NamedTensors> found = readParameters(path);
  if (!found)
    return found.status();
  std::span<float> parameters = model.state(parametersState);
  for (const ParameterDesc &wanted : model.parameters()) {
    auto given =
        std::ranges::find(found->descs, wanted.name, &ParameterDesc::name);
    if (given == found->descs.end())
      return Status(StatusCode::InvalidData,
                    "expected a tensor '" + wanted.name + "', found none",
                    path);
    if (given->shape != wanted.shape)
      return Status(StatusCode::InvalidData,
                    "tensor '" + wanted.name + "': expected " +
                        shapeText(wanted.shape) + ", found " +
                        shapeText(given->shape),
                    path);
    std::copy_n(found->values.begin() + given->offset, wanted.elements(),
                parameters.begin() + wanted.offset);
  }
  std::span<float> average = model.state(averageState);
  if (!average.empty())
    std::ranges::copy(parameters, average.begin());
  return Status::ok();
}

Result<NamedTensors>
dragoman::averageParameters(const std::vector<std::string> &paths, bool raw) {
  NamedTensors result;
  std::vector<double> sums;
  for (const std::string &path : paths) {
    Result<NamedTensors> found = readParameters(path, raw);
    if (!found)
      return found.status();
    if (sums.empty()) {
      result.descs = found->descs;
      sums.assign(found->values.size(), 0);
    }
    bool isSame = result.descs.size() == found->descs.size();
    for (size_t i = 0; isSame && i < result.descs.size(); ++i)
      isSame = result.descs[i].name == found->descs[i].name &&
               result.descs[i].shape == found->descs[i].shape;
    if (!isSame)
      return Status(StatusCode::InvalidData,
                    "expected the tensors of " + paths[0] + ", found others",
                    path);
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] += found->values[i];
  }
  for (double sum : sums)
    result.values.push_back(
        static_cast<float>(sum / static_cast<double>(paths.size())));
  return result;
}
