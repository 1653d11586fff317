//===- Manifest.cpp - Checks and settings of a manifest -------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/Manifest.h"

#include "runtime/artifact/Safetensors.h"
#include "runtime/artifact/TrainingWeights.h"
#include "runtime/artifact/Zip.h"
#include "runtime/base/Hash.h"

#include <nlohmann/json.hpp>

#include <set>

namespace dragoman {

using Json = nlohmann::json;

std::string commandsMember(std::string_view entry) {
  return "commands/" + std::string(entry) + ".bin";
}

std::string cpuCodeMember(std::string_view level) {
  return "code/cpu/" + std::string(level) + ".so";
}

//===----------------------------------------------------------------------===//
// Validation
//===----------------------------------------------------------------------===//

namespace {

Status invalid(const std::string &key, const std::string &expected,
               const std::string &found) {
  return Status(StatusCode::InvalidData,
                key + ": expected " + expected + ", found " + found);
}

std::string item(const char *list, size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

std::string quoted(const std::string &text) { return "'" + text + "'"; }

/// Refuses an empty or repeated name.
Status checkName(std::set<std::string> &known, const std::string &key,
                 const std::string &name) {
  if (name.empty())
    return invalid(key, "a name", "an empty text");
  if (!known.insert(name).second)
    return invalid(key, "each name once", quoted(name) + " again");
  return Status::ok();
}

bool isChecksum(const std::string &text) {
  return text.size() == checksumDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Status checkChecksum(const std::string &key, const std::string &text) {
  if (isChecksum(text))
    return Status::ok();
  return invalid(key, std::to_string(checksumDigits) + " lower-case hex digits",
                 quoted(text));
}

Status checkMembers(const Manifest &manifest, std::set<std::string> &paths) {
  for (size_t i = 0; i < manifest.members.size(); ++i) {
    const MemberDesc &member = manifest.members[i];
    const std::string key = item("members", i);
    DRAGOMAN_RETURN_IF_ERROR(checkName(paths, key + ".path", member.path));
    if (member.path == manifestMember || !isSafeMemberName(member.path))
      return invalid(key + ".path", "a relative path without '..'",
                     quoted(member.path));
    DRAGOMAN_RETURN_IF_ERROR(checkChecksum(key + ".checksum", member.checksum));
  }
  return Status::ok();
}

/// Every member that the manifest refers to must be listed.
Status checkReferences(const Manifest &manifest,
                       const std::set<std::string> &paths) {
  const auto listed = [&](const std::string &key, const std::string &path) {
    return paths.count(path) ? Status::ok()
                             : invalid(key, "a listed member", quoted(path));
  };
  for (size_t i = 0; i < manifest.entries.size(); ++i)
    DRAGOMAN_RETURN_IF_ERROR(
        listed(item("entries", i), commandsMember(manifest.entries[i])));
  for (size_t i = 0; i < manifest.code.size(); ++i)
    DRAGOMAN_RETURN_IF_ERROR(
        listed(item("code", i) + ".path", manifest.code[i].path));
  if (!manifest.weights.empty())
    DRAGOMAN_RETURN_IF_ERROR(listed("weights", weightsMember));
  if (!manifest.text)
    return Status::ok();
  DRAGOMAN_RETURN_IF_ERROR(
      listed("text.source_model", manifest.text->sourceModel));
  DRAGOMAN_RETURN_IF_ERROR(
      listed("text.target_model", manifest.text->targetModel));
  DRAGOMAN_RETURN_IF_ERROR(
      listed("text.source_vocab", manifest.text->sourceVocab));
  return listed("text.target_vocab", manifest.text->targetVocab);
}

Status checkWeights(const std::vector<WeightDesc> &weights) {
  std::set<std::string> names;
  uint64_t end = 0; // of the weight before
  for (size_t i = 0; i < weights.size(); ++i) {
    const WeightDesc &weight = weights[i];
    const std::string key = item("weights", i);
    DRAGOMAN_RETURN_IF_ERROR(checkName(names, key + ".name", weight.name));
    if (weight.name.rfind(padTensorPrefix, 0) == 0)
      return invalid(key + ".name",
                     std::string("a name without prefix ") + padTensorPrefix,
                     quoted(weight.name));
    Result<uint64_t> bytes = storedBytes(weight);
    if (!bytes)
      return bytes.status();
    if (weight.bytes != *bytes)
      return invalid(key + ".bytes",
                     std::to_string(*bytes) + " by type, shape and layout",
                     std::to_string(weight.bytes));
    if (weight.offset < end || weight.offset % weightAlignment != 0)
      return invalid(key + ".offset",
                     "a multiple of " + std::to_string(weightAlignment) +
                         " from " + std::to_string(end) + " on",
                     std::to_string(weight.offset));
    if (__builtin_add_overflow(weight.offset, weight.bytes, &end))
      return invalid(key + ".offset", "an end below 2^64",
                     std::to_string(weight.offset));
    DRAGOMAN_RETURN_IF_ERROR(checkChecksum(key + ".checksum", weight.checksum));
  }
  return Status::ok();
}

Status checkStates(const std::vector<StateDesc> &states) {
  std::set<std::string> names;
  for (size_t i = 0; i < states.size(); ++i) {
    const StateDesc &state = states[i];
    const std::string key = item("states", i);
    DRAGOMAN_RETURN_IF_ERROR(
        checkName(names, key + ".name", state.tensor.name));
    if (state.layout != "rows" && state.layout != "panel16")
      return invalid(key + ".layout", "rows or panel16", quoted(state.layout));
    const auto rank = static_cast<int32_t>(state.tensor.shape.size());
    if (state.rowAxis < 0 || state.rowAxis >= rank)
      return invalid(key + ".row_axis",
                     "an axis of rank " + std::to_string(rank),
                     std::to_string(state.rowAxis));
    if (state.appendAxis < 0 || state.appendAxis >= rank)
      return invalid(key + ".append_axis",
                     "an axis of rank " + std::to_string(rank),
                     std::to_string(state.appendAxis));
  }
  return Status::ok();
}

Status checkNames(const Manifest &manifest) {
  std::set<std::string> entries, kernels, levels, settings;
  for (size_t i = 0; i < manifest.entries.size(); ++i)
    DRAGOMAN_RETURN_IF_ERROR(
        checkName(entries, item("entries", i), manifest.entries[i]));
  for (const auto &[entry, peak] : manifest.peak)
    if (!entries.count(entry))
      return invalid("peak", "names of entries", quoted(entry));
  for (size_t i = 0; i < manifest.kernels.size(); ++i) {
    const std::string key = item("kernels", i);
    DRAGOMAN_RETURN_IF_ERROR(
        checkName(kernels, key + ".symbol", manifest.kernels[i].symbol));
    if (manifest.kernels[i].scratchBytes < 0)
      return invalid(key + ".scratch_bytes", "a size >= 0",
                     std::to_string(manifest.kernels[i].scratchBytes));
  }
  for (size_t i = 0; i < manifest.code.size(); ++i)
    DRAGOMAN_RETURN_IF_ERROR(
        checkName(levels, item("code", i) + ".level", manifest.code[i].level));
  for (size_t i = 0; i < manifest.settings.size(); ++i) {
    const Setting &setting = manifest.settings[i];
    const std::string key = item("settings", i);
    DRAGOMAN_RETURN_IF_ERROR(checkName(settings, key + ".name", setting.name));
    if (!Json::accept(setting.value))
      return invalid(key + ".value", "a JSON value", quoted(setting.value));
  }
  return Status::ok();
}

} // namespace

Status Manifest::validate() const {
  if (format != manifestFormat)
    return invalid("format", std::to_string(manifestFormat),
                   std::to_string(format));
  std::set<std::string> paths;
  DRAGOMAN_RETURN_IF_ERROR(checkNames(*this));
  DRAGOMAN_RETURN_IF_ERROR(checkStates(states));
  DRAGOMAN_RETURN_IF_ERROR(checkWeights(weights));
  DRAGOMAN_RETURN_IF_ERROR(checkTraining(*this));
  DRAGOMAN_RETURN_IF_ERROR(checkMembers(*this, paths));
  return checkReferences(*this, paths);
}

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

const Setting *Manifest::setting(std::string_view name) const {
  for (const Setting &candidate : settings)
    if (candidate.name == name)
      return &candidate;
  return nullptr;
}

namespace {

/// The setting's value; null if there is no such setting.
Json valueOf(const Setting *setting) {
  if (!setting)
    return Json();
  return Json::parse(setting->value, nullptr, /*allow_exceptions=*/false);
}

Status wrongKind(const Setting &setting, const char *expected) {
  return Status(StatusCode::InvalidData,
                "expected " + std::string(expected) + ", found " +
                    setting.value,
                "setting '" + setting.name + "' from " + setting.origin);
}

} // namespace

Result<std::optional<int64_t>>
Manifest::settingInt(std::string_view name) const {
  const Setting *found = setting(name);
  const Json value = valueOf(found);
  if (value.is_null())
    return std::optional<int64_t>();
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() &&
       value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)))
    return wrongKind(*found, "an integer");
  return std::optional<int64_t>(value.get<int64_t>());
}

Result<std::optional<double>>
Manifest::settingNumber(std::string_view name) const {
  const Setting *found = setting(name);
  const Json value = valueOf(found);
  if (value.is_null())
    return std::optional<double>();
  if (!value.is_number())
    return wrongKind(*found, "a number");
  return std::optional<double>(value.get<double>());
}

Result<std::optional<bool>> Manifest::settingBool(std::string_view name) const {
  const Setting *found = setting(name);
  const Json value = valueOf(found);
  if (value.is_null())
    return std::optional<bool>();
  if (!value.is_boolean())
    return wrongKind(*found, "true or false");
  return std::optional<bool>(value.get<bool>());
}

Result<std::optional<std::string>>
Manifest::settingString(std::string_view name) const {
  const Setting *found = setting(name);
  const Json value = valueOf(found);
  if (value.is_null())
    return std::optional<std::string>();
  if (!value.is_string())
    return wrongKind(*found, "a text");
  return std::optional<std::string>(value.get<std::string>());
}

Result<std::vector<std::vector<int64_t>>>
Manifest::settingIds(std::string_view name) const {
  constexpr const char *expected =
      "an id, a list of ids or a list of such lists";
  std::vector<std::vector<int64_t>> lists;
  const Setting *found = setting(name);
  const Json value = valueOf(found);
  if (value.is_null())
    return lists;
  const Json outer = value.is_array() ? value : Json::array({value});
  for (const Json &element : outer) {
    const Json inner = element.is_array() ? element : Json::array({element});
    std::vector<int64_t> list;
    for (const Json &id : inner) {
      if (!id.is_number_integer())
        return wrongKind(*found, expected);
      list.push_back(id.get<int64_t>());
    }
    lists.push_back(std::move(list));
  }
  return lists;
}

std::optional<size_t> Manifest::weightIndex(std::string_view name) const {
  for (size_t i = 0; i < weights.size(); ++i)
    if (weights[i].name == name)
      return i;
  return std::nullopt;
}

} // namespace dragoman
