//===- Safetensors.cpp - Headers of safetensors files ---------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/Safetensors.h"

#include "runtime/artifact/ZipFormat.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace dragoman {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

namespace {

constexpr uint64_t lengthBytes = 8;
constexpr uint64_t maxHeaderBytes = 100'000'000;
constexpr const char *metadataKey = "__metadata__";

struct TypeName {
  ElementType type;
  const char *name;
};

constexpr TypeName typeNames[] = {
    {ElementType::F32, "F32"}, {ElementType::F64, "F64"},
    {ElementType::F16, "F16"}, {ElementType::BF16, "BF16"},
    {ElementType::I64, "I64"}, {ElementType::I32, "I32"},
    {ElementType::I8, "I8"},   {ElementType::U8, "U8"},
    {ElementType::I1, "BOOL"},
};

Status damaged(std::string message) {
  return Status(StatusCode::InvalidData, std::move(message));
}

Status damagedTensor(const std::string &name, std::string message) {
  return damaged(std::move(message)).at("tensor '" + name + "'");
}

bool isCount(const Json &value) {
  return value.is_number_unsigned() &&
         value.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX);
}

bool isCountList(const Json &value) {
  return value.is_array() && std::all_of(value.begin(), value.end(), isCount);
}

/// The member of that name; null if absent.
Json memberOf(const Json &object, const char *key) {
  const auto found = object.find(key);
  return found == object.end() ? Json() : *found;
}

Result<SafetensorsTensor> parseTensor(const std::string &name,
                                      const Json &value) {
  if (!value.is_object())
    return damagedTensor(name, "expected an object with dtype, shape and "
                               "data_offsets, found another value");
  const Json dtype = memberOf(value, "dtype");
  const Json shape = memberOf(value, "shape");
  const Json offsets = memberOf(value, "data_offsets");
  SafetensorsTensor tensor;
  tensor.name = name;
  const auto *known =
      std::find_if(std::begin(typeNames), std::end(typeNames),
                   [&](const TypeName &one) { return dtype == one.name; });
  if (known == std::end(typeNames))
    return damagedTensor(
        name, "expected dtype F32, F64, F16, BF16, I64, I32, I8, U8 or BOOL, "
              "found " +
                  dtype.dump(-1, ' ', true, Json::error_handler_t::replace));
  tensor.type = known->type;
  if (!isCountList(shape))
    return damagedTensor(name, "expected shape to be a list of extents >= 0");
  if (!isCountList(offsets) || offsets.size() != 2)
    return damagedTensor(name, "expected data_offsets to be two offsets >= 0");
  tensor.shape = shape.get<std::vector<int64_t>>();
  tensor.begin = offsets[0].get<uint64_t>();
  tensor.end = offsets[1].get<uint64_t>();

  int64_t bytes = elementSize(tensor.type);
  for (int64_t extent : tensor.shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      return damagedTensor(name, "expected a size below 2^63 bytes, found a "
                                 "shape beyond it");
  if (tensor.end < tensor.begin ||
      tensor.end - tensor.begin != static_cast<uint64_t>(bytes))
    return damagedTensor(name, "expected " + std::to_string(bytes) +
                                   " bytes by dtype and shape, found offsets " +
                                   std::to_string(tensor.begin) + " to " +
                                   std::to_string(tensor.end));
  return tensor;
}

Status checkMetadata(const Json &value) {
  const bool good = value.is_object() &&
                    std::all_of(value.begin(), value.end(),
                                [](const Json &v) { return v.is_string(); });
  return good ? Status::ok()
              : damaged("expected __metadata__ to map texts to texts");
}

} // namespace

Result<SafetensorsHeader> parseSafetensors(std::string_view file) {
  if (file.size() < lengthBytes)
    return damaged("expected a header length of 8 bytes, found " +
                   std::to_string(file.size()) + " bytes");
  const uint64_t length = zip::load<uint64_t>(file, 0);
  if (length > maxHeaderBytes)
    return damaged("expected a header of at most " +
                   std::to_string(maxHeaderBytes) + " bytes, found length " +
                   std::to_string(length));
  if (length > file.size() - lengthBytes)
    return damaged("expected a header of " + std::to_string(length) +
                   " bytes, found " +
                   std::to_string(file.size() - lengthBytes));
  const std::string_view text = file.substr(lengthBytes, length);
  if (text.empty() || text[0] != '{')
    return damaged("expected a header that begins with '{'");
  const Json root = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object())
    return damaged("expected a JSON object as header, found invalid JSON");

  SafetensorsHeader header;
  header.dataOffset = lengthBytes + length;
  header.dataBytes = file.size() - header.dataOffset;
  for (const auto &[name, value] : root.items()) {
    if (name == metadataKey) {
      DRAGOMAN_RETURN_IF_ERROR(checkMetadata(value));
      continue;
    }
    Result<SafetensorsTensor> tensor = parseTensor(name, value);
    if (!tensor)
      return tensor.status();
    header.tensors.push_back(std::move(*tensor));
  }
  std::sort(header.tensors.begin(), header.tensors.end(),
            [](const SafetensorsTensor &a, const SafetensorsTensor &b) {
              return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
            });
  uint64_t end = 0;
  for (const SafetensorsTensor &tensor : header.tensors) {
    if (tensor.begin != end)
      return damagedTensor(
          tensor.name, "expected data from byte " + std::to_string(end) +
                           " on, found offset " + std::to_string(tensor.begin));
    end = tensor.end;
  }
  if (end != header.dataBytes)
    return damaged("expected " + std::to_string(end) +
                   " bytes of data, found " + std::to_string(header.dataBytes));
  return header;
}

std::string
formatSafetensorsHeader(const std::vector<SafetensorsTensor> &tensors) {
  OrderedJson root = OrderedJson::object();
  for (const SafetensorsTensor &tensor : tensors) {
    const auto *known = std::find_if(
        std::begin(typeNames), std::end(typeNames),
        [&](const TypeName &one) { return one.type == tensor.type; });
    root[tensor.name] = {{"dtype", known->name},
                         {"shape", tensor.shape},
                         {"data_offsets", {tensor.begin, tensor.end}}};
  }
  std::string json = root.dump(-1, ' ', /*ensure_ascii=*/false,
                               OrderedJson::error_handler_t::replace);
  const uint64_t used = lengthBytes + json.size();
  json.append((weightAlignment - used % weightAlignment) % weightAlignment,
              ' ');
  std::string text;
  zip::store<uint64_t>(text, json.size());
  return text + json;
}

Result<std::vector<SafetensorsTensor>>
layoutWeights(std::vector<WeightDesc> &weights) {
  std::vector<SafetensorsTensor> tensors;
  uint64_t end = 0;
  size_t pads = 0;
  const auto addPadding = [&](uint64_t bytes) {
    if (bytes == 0)
      return;
    tensors.push_back({padTensorPrefix + std::to_string(pads++),
                       ElementType::U8,
                       {static_cast<int64_t>(bytes)},
                       end,
                       end + bytes});
    end += bytes;
  };
  for (WeightDesc &weight : weights) {
    Result<uint64_t> bytes = storedBytes(weight);
    if (!bytes)
      return bytes.status();
    Result<std::vector<int64_t>> shape = storedShape(weight);
    if (!shape)
      return shape.status();
    addPadding((weightAlignment - end % weightAlignment) % weightAlignment);
    weight.offset = end;
    weight.bytes = *bytes;
    tensors.push_back(
        {weight.name, weight.type, std::move(*shape), end, end + *bytes});
    if (__builtin_add_overflow(end, *bytes, &end) || end > INT64_MAX / 2)
      return damaged("expected weights below 2^62 bytes, found more");
  }
  addPadding((weightAlignment - end % weightAlignment) % weightAlignment +
             weightTailBytes);
  return tensors;
}

} // namespace dragoman
