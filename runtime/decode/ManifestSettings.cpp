//===- ManifestSettings.cpp - Settings that an artifact carries -----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/decode/ManifestSettings.h"

#include <algorithm>

using namespace dragoman;
using nlohmann::json;

Result<std::vector<SettingLayer>>
dragoman::settingLayers(const Manifest &manifest) {
  std::vector<SettingLayer> layers = {
      {"generation_config.json", json::object(), false},
      {"config.json", json::object(), true}};
  for (const Setting &setting : manifest.settings) {
    auto layer = std::find_if(layers.begin(), layers.end(),
                              [&](const SettingLayer &candidate) {
                                return candidate.origin == setting.origin;
                              });
    if (layer == layers.end())
      layer = layers.insert(layers.end(),
                            SettingLayer{setting.origin, json::object(), true});
    json value =
        json::parse(setting.value, nullptr, /*allow_exceptions=*/false);
    if (value.is_discarded())
      return Status(StatusCode::InvalidData,
                    "expected a JSON value, found " + setting.value,
                    "settings: " + setting.name);
    layer->values[setting.name] = std::move(value);
  }
  return layers;
}

Result<ModelLimits> dragoman::modelLimits(const Manifest &manifest,
                                          const EntryTable &decode) {
  std::optional<int64_t> columns;
  if (decode.outputs.size() == 1 && decode.outputs[0].shape.size() == 3)
    columns = decode.outputs[0].shape[2].constant();
  if (!columns)
    return Status(StatusCode::Unsupported,
                  "expected one output logits[R,T,V] with a fixed number of "
                  "columns",
                  "entry " + decode.name);
  ModelLimits limits;
  limits.vocabulary = *columns;
  Result<std::optional<int64_t>> positions =
      manifest.settingInt("max_position_embeddings");
  if (!positions)
    return positions.status();
  // Without a table (relative positions) nothing bounds the lengths.
  constexpr int64_t unbounded = int64_t(1) << 20;
  limits.positions = positions->value_or(unbounded);
  if (limits.positions < 2)
    return Status(StatusCode::InvalidData,
                  "expected at least 2, found " +
                      std::to_string(limits.positions),
                  "settings: max_position_embeddings");
  limits.sourcePositions = limits.positions;
  return limits;
}
