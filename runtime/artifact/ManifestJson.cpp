//===- ManifestJson.cpp - manifest.json, both ways ------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/Manifest.h"

#include <nlohmann/json.hpp>

namespace dragoman {

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson toList(const std::vector<DimExpr> &exprs) {
  OrderedJson list = OrderedJson::array();
  for (const DimExpr &expr : exprs)
    list.push_back(expr.str());
  return list;
}

OrderedJson toJsonObject(const StateDesc &state) {
  return {{"name", state.tensor.name},
          {"type", elementTypeName(state.tensor.type)},
          {"shape", toList(state.tensor.shape)},
          {"layout", state.layout},
          {"row_axis", state.rowAxis},
          {"append_axis", state.appendAxis}};
}

OrderedJson toJsonObject(const KernelDesc &kernel) {
  return {{"symbol", kernel.symbol},
          {"root", kernel.root},
          {"schedule", kernel.schedule},
          {"dims", kernel.dims},
          {"scratch_bytes", kernel.scratchBytes}};
}

OrderedJson toJsonObject(const SiteDesc &site) {
  return {{"node", site.node}, {"message", site.message}};
}

OrderedJson toJsonObject(const WeightDesc &weight) {
  return {{"name", weight.name},        {"type", elementTypeName(weight.type)},
          {"shape", weight.shape},      {"layout", weight.layout},
          {"offset", weight.offset},    {"bytes", weight.bytes},
          {"checksum", weight.checksum}};
}

OrderedJson toJsonObject(const CodeDesc &code) {
  return {{"level", code.level},
          {"path", code.path},
          {"features", code.features},
          {"abi_version", code.abiVersion}};
}

OrderedJson toJsonObject(const Setting &setting) {
  OrderedJson value = OrderedJson::parse(setting.value, nullptr, false);
  if (value.is_discarded())
    value = nullptr; // validate() refuses such a setting
  return {{"name", setting.name},
          {"value", std::move(value)},
          {"origin", setting.origin}};
}

OrderedJson toJsonObject(const TextDesc &text) {
  return {{"kind", text.kind},
          {"source_model", text.sourceModel},
          {"target_model", text.targetModel},
          {"source_vocab", text.sourceVocab},
          {"target_vocab", text.targetVocab},
          {"eos_token", text.eosToken},
          {"unk_token", text.unkToken},
          {"pad_token", text.padToken},
          {"clean_up_spaces", text.cleanUpSpaces}};
}

OrderedJson toJsonObject(const ParameterDesc &parameter) {
  return {{"name", parameter.name},
          {"shape", parameter.shape},
          {"offset", parameter.offset},
          {"decay", parameter.decay}};
}

OrderedJson toJsonObject(const WeightRecipe &recipe) {
  return {{"weight", recipe.weight}, {"parameters", recipe.parameters}};
}

OrderedJson toJsonObject(const MemberDesc &member) {
  return {{"path", member.path},
          {"bytes", member.bytes},
          {"checksum", member.checksum}};
}

template <typename T> OrderedJson toObjects(const std::vector<T> &items) {
  OrderedJson list = OrderedJson::array();
  for (const T &one : items)
    list.push_back(toJsonObject(one));
  return list;
}

OrderedJson toJsonObject(const TrainingDesc &training) {
  OrderedJson options = OrderedJson::parse(training.options, nullptr, false);
  if (options.is_discarded())
    options = nullptr; // validate() refuses such options
  return {{"options", std::move(options)},
          {"states", training.states},
          {"parameters", toObjects(training.parameters)},
          {"recipes", toObjects(training.recipes)}};
}

} // namespace

std::string Manifest::toJson() const {
  OrderedJson peaks = OrderedJson::object();
  for (const auto &[entry, expr] : peak)
    peaks[entry] = expr.str();
  OrderedJson root = {{"format", format},   {"producer", producer},
                      {"family", family},   {"source_hash", sourceHash},
                      {"entries", entries}, {"peak", std::move(peaks)}};
  root["text"] = text ? toJsonObject(*text) : OrderedJson(nullptr);
  if (training)
    root["training"] = toJsonObject(*training);
  root["settings"] = toObjects(settings);
  root["states"] = toObjects(states);
  root["code"] = toObjects(code);
  root["kernels"] = toObjects(kernels);
  root["sites"] = toObjects(sites);
  root["members"] = toObjects(members);
  root["weights"] = toObjects(weights);
  return root.dump(1, ' ', /*ensure_ascii=*/false,
                   OrderedJson::error_handler_t::replace) +
         "\n";
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

using Json = nlohmann::json;

/// What a value is, for messages; long texts are cut.
std::string describe(const Json &value) {
  constexpr size_t limit = 60;
  if (value.is_object())
    return "an object";
  if (value.is_array())
    return "a list";
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() <= limit ? text : text.substr(0, limit) + "...";
}

/// Reads typed values and keeps the first problem; after it, every further
/// read does nothing.
class Reader {
public:
  Status status;

  void fail(const std::string &path, const std::string &expected,
            const std::string &found) {
    if (status.isOk())
      status = Status(StatusCode::InvalidData,
                      path + ": expected " + expected + ", found " + found);
  }

  void read(const Json &value, const std::string &path, std::string &out) {
    if (!value.is_string())
      return fail(path, "a text", describe(value));
    out = value.get<std::string>();
  }
  void read(const Json &value, const std::string &path, bool &out) {
    if (!value.is_boolean())
      return fail(path, "true or false", describe(value));
    out = value.get<bool>();
  }
  void read(const Json &value, const std::string &path, int64_t &out) {
    if (!value.is_number_integer() ||
        (value.is_number_unsigned() &&
         value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)))
      return fail(path, "an integer", describe(value));
    out = value.get<int64_t>();
  }
  void read(const Json &value, const std::string &path, int32_t &out) {
    int64_t wide = 0;
    read(value, path, wide);
    if (wide < INT32_MIN || wide > INT32_MAX)
      return fail(path, "a 32-bit integer", describe(value));
    out = static_cast<int32_t>(wide);
  }
  void read(const Json &value, const std::string &path, uint64_t &out) {
    if (!value.is_number_unsigned())
      return fail(path, "an integer >= 0", describe(value));
    out = value.get<uint64_t>();
  }
  void read(const Json &value, const std::string &path, ElementType &out) {
    std::string name;
    read(value, path, name);
    if (!status.isOk())
      return;
    Result<ElementType> type = parseElementType(name);
    if (!type)
      return fail(path, "an element type", describe(value));
    out = *type;
  }
  void read(const Json &value, const std::string &path, DimExpr &out) {
    std::string text;
    read(value, path, text);
    if (!status.isOk())
      return;
    Result<DimExpr> expr = DimExpr::parse(text);
    if (!expr)
      return fail(path, "an expression in dimensions",
                  describe(value) + " (" + expr.status().message() + ")");
    out = *expr;
  }

  void read(const Json &value, const std::string &path, StateDesc &out) {
    field(value, path, "name", out.tensor.name);
    field(value, path, "type", out.tensor.type);
    field(value, path, "shape", out.tensor.shape);
    field(value, path, "layout", out.layout);
    field(value, path, "row_axis", out.rowAxis);
    field(value, path, "append_axis", out.appendAxis);
  }
  void read(const Json &value, const std::string &path, KernelDesc &out) {
    field(value, path, "symbol", out.symbol);
    field(value, path, "root", out.root);
    field(value, path, "schedule", out.schedule);
    field(value, path, "dims", out.dims);
    field(value, path, "scratch_bytes", out.scratchBytes);
  }
  void read(const Json &value, const std::string &path, SiteDesc &out) {
    field(value, path, "node", out.node);
    field(value, path, "message", out.message);
  }
  void read(const Json &value, const std::string &path, WeightDesc &out) {
    field(value, path, "name", out.name);
    field(value, path, "type", out.type);
    field(value, path, "shape", out.shape);
    field(value, path, "layout", out.layout);
    field(value, path, "offset", out.offset);
    field(value, path, "bytes", out.bytes);
    field(value, path, "checksum", out.checksum);
  }
  void read(const Json &value, const std::string &path, CodeDesc &out) {
    field(value, path, "level", out.level);
    field(value, path, "path", out.path);
    field(value, path, "features", out.features);
    field(value, path, "abi_version", out.abiVersion);
  }
  void read(const Json &value, const std::string &path, Setting &out) {
    field(value, path, "name", out.name);
    field(value, path, "origin", out.origin);
    if (const Json *held = find(value, path, "value"))
      out.value = held->dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  void read(const Json &value, const std::string &path, TextDesc &out) {
    field(value, path, "kind", out.kind);
    field(value, path, "source_model", out.sourceModel);
    field(value, path, "target_model", out.targetModel);
    field(value, path, "source_vocab", out.sourceVocab);
    field(value, path, "target_vocab", out.targetVocab);
    field(value, path, "eos_token", out.eosToken);
    field(value, path, "unk_token", out.unkToken);
    field(value, path, "pad_token", out.padToken);
    field(value, path, "clean_up_spaces", out.cleanUpSpaces);
  }
  void read(const Json &value, const std::string &path, ParameterDesc &out) {
    field(value, path, "name", out.name);
    field(value, path, "shape", out.shape);
    field(value, path, "offset", out.offset);
    field(value, path, "decay", out.decay);
  }
  void read(const Json &value, const std::string &path, WeightRecipe &out) {
    field(value, path, "weight", out.weight);
    field(value, path, "parameters", out.parameters);
  }
  void read(const Json &value, const std::string &path, TrainingDesc &out) {
    if (const Json *held = find(value, path, "options"))
      out.options = held->dump(-1, ' ', false, Json::error_handler_t::replace);
    field(value, path, "states", out.states);
    field(value, path, "parameters", out.parameters);
    field(value, path, "recipes", out.recipes);
  }
  void read(const Json &value, const std::string &path, MemberDesc &out) {
    field(value, path, "path", out.path);
    field(value, path, "bytes", out.bytes);
    field(value, path, "checksum", out.checksum);
  }
  template <typename T>
  void read(const Json &value, const std::string &path, std::optional<T> &out) {
    if (value.is_null())
      return;
    read(value, path, out.emplace());
  }
  template <typename T>
  void read(const Json &value, const std::string &path, std::vector<T> &out) {
    if (!value.is_array())
      return fail(path, "a list", describe(value));
    out.resize(value.size());
    for (size_t i = 0; i < value.size() && status.isOk(); ++i)
      read(value[i], path + "[" + std::to_string(i) + "]", out[i]);
  }
  template <typename T>
  void read(const Json &value, const std::string &path,
            std::map<std::string, T> &out) {
    if (!value.is_object())
      return fail(path, "an object", describe(value));
    for (const auto &[key, held] : value.items())
      read(held, path + "." + key, out[key]);
  }

  template <typename T>
  void field(const Json &object, const std::string &path, const char *key,
             T &out) {
    if (const Json *value = find(object, path, key))
      read(*value, path.empty() ? key : path + "." + key, out);
  }

private:
  const Json *find(const Json &object, const std::string &path,
                   const char *key) {
    if (!status.isOk())
      return nullptr;
    if (!object.is_object()) {
      fail(path, "an object", describe(object));
      return nullptr;
    }
    const auto found = object.find(key);
    if (found != object.end())
      return &*found;
    fail(path.empty() ? key : path + "." + key, "a value", "nothing");
    return nullptr;
  }
};

} // namespace

Result<Manifest> Manifest::fromJson(std::string_view text) {
  const Json root = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object())
    return Status(StatusCode::InvalidData,
                  root.is_discarded()
                      ? "expected a JSON object, found invalid JSON"
                      : "expected a JSON object, found " + describe(root));
  Manifest manifest;
  Reader reader;
  reader.field(root, "", "format", manifest.format);
  if (reader.status.isOk() && manifest.format > manifestFormat)
    return Status(StatusCode::Unsupported,
                  "expected format " + std::to_string(manifestFormat) +
                      ", the newest this build reads, found format " +
                      std::to_string(manifest.format) +
                      "; compile the model with this version, or use a newer "
                      "dragoman");
  reader.field(root, "", "producer", manifest.producer);
  reader.field(root, "", "family", manifest.family);
  reader.field(root, "", "source_hash", manifest.sourceHash);
  reader.field(root, "", "entries", manifest.entries);
  reader.field(root, "", "peak", manifest.peak);
  reader.field(root, "", "text", manifest.text);
  if (root.contains("training"))
    reader.field(root, "", "training", manifest.training);
  reader.field(root, "", "settings", manifest.settings);
  reader.field(root, "", "states", manifest.states);
  reader.field(root, "", "code", manifest.code);
  reader.field(root, "", "kernels", manifest.kernels);
  reader.field(root, "", "sites", manifest.sites);
  reader.field(root, "", "members", manifest.members);
  reader.field(root, "", "weights", manifest.weights);
  DRAGOMAN_RETURN_IF_ERROR(reader.status);
  DRAGOMAN_RETURN_IF_ERROR(manifest.validate());
  return manifest;
}

} // namespace dragoman
