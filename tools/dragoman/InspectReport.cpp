//===- InspectReport.cpp - What an artifact holds -------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/dragoman/InspectReport.h"

#include "runtime/base/Quantities.h"
#include "runtime/decode/ManifestSettings.h"
#include "tools/dragoman/TensorArguments.h"

#include <algorithm>
#include <map>

using namespace dragoman;
using nlohmann::ordered_json;

namespace {

/// Turns an artifact's tables into JSON, one function per section.
class Report {
public:
  explicit Report(const Artifact &artifact)
      : artifact(artifact), manifest(artifact.manifest()) {}

  Result<ordered_json> make(const std::vector<int64_t> &memory);

private:
  static ordered_json tensors(const std::vector<TensorDesc> &list);
  ordered_json slot(const EntryTable &entry, uint32_t index) const;
  ordered_json command(const EntryTable &entry, const Command &command);
  Status addEntries(ordered_json &report);
  void addKernels(ordered_json &report) const;
  void addWeights(ordered_json &report) const;
  void addCode(ordered_json &report) const;
  void addTraining(ordered_json &report) const;
  Status addSettings(ordered_json &report) const;
  Status addPeak(ordered_json &report, const std::vector<int64_t> &memory);
  Result<int64_t> stateBytes(const std::map<std::string, int64_t> &dims) const;

  const Artifact &artifact;
  const Manifest &manifest;
  std::map<std::string, EntryTable> entries;
  std::map<uint32_t, int64_t> kernelUses;
};

ordered_json Report::tensors(const std::vector<TensorDesc> &list) {
  ordered_json array = ordered_json::array();
  for (const TensorDesc &tensor : list)
    array.push_back({{"name", tensor.name}, {"type", describe(tensor)}});
  return array;
}

/// "input_ids", "arena+4*B*S", "$self_k.0", "@weight".
ordered_json Report::slot(const EntryTable &entry, uint32_t index) const {
  const SlotDesc &slot = entry.slots[index];
  std::string text;
  switch (slot.space) {
  case SlotSpace::Input:
    text = entry.inputs[slot.index].name;
    break;
  case SlotSpace::Output:
    text = entry.outputs[slot.index].name;
    break;
  case SlotSpace::State:
    text = "$" + manifest.states[slot.index].tensor.name;
    break;
  case SlotSpace::Weight:
    text = "@" + manifest.weights[slot.index].name;
    break;
  case SlotSpace::Arena:
    return "arena+" + slot.offset.str();
  }
  return slot.offset.isConstant(0) ? text : text + "+" + slot.offset.str();
}

ordered_json Report::command(const EntryTable &entry, const Command &command) {
  ordered_json json;
  json["name"] = command.name;
  switch (command.kind) {
  case CommandKind::Dispatch:
    json["kind"] = "dispatch";
    json["kernel"] = manifest.kernels[command.kernel].symbol;
    json["tiles"] = command.tiles.str();
    ++kernelUses[command.kernel];
    break;
  case CommandKind::Copy:
    json["kind"] = "copy";
    break;
  case CommandKind::Fill:
    json["kind"] = "fill";
    json["value"] = command.value;
    break;
  case CommandKind::CheckEqual:
    json["kind"] = "check";
    json["equal"] = command.dims[0].str() + " = " + command.dims[1].str();
    break;
  case CommandKind::LoopBegin:
    json["kind"] = "loop";
    break;
  case CommandKind::LoopEnd:
    json["kind"] = "end of loop";
    break;
  }
  json["slots"] = ordered_json::array();
  for (uint32_t index : command.slots)
    json["slots"].push_back(slot(entry, index));
  return json;
}

Status Report::addEntries(ordered_json &report) {
  report["entries"] = ordered_json::array();
  for (const std::string &name : manifest.entries) {
    Result<EntryTable> entry = artifact.entry(name);
    if (!entry)
      return entry.status();
    ordered_json json;
    json["name"] = name;
    json["inputs"] = tensors(entry->inputs);
    json["outputs"] = tensors(entry->outputs);
    json["arena"] = entry->arenaBytes.str();
    json["commands"] = ordered_json::array();
    for (const Command &each : entry->commands)
      json["commands"].push_back(command(*entry, each));
    report["entries"].push_back(std::move(json));
    entries[name] = std::move(*entry);
  }
  return Status::ok();
}

void Report::addKernels(ordered_json &report) const {
  report["kernels"] = ordered_json::array();
  for (uint32_t i = 0; i < manifest.kernels.size(); ++i) {
    const KernelDesc &kernel = manifest.kernels[i];
    auto uses = kernelUses.find(i);
    report["kernels"].push_back(
        {{"symbol", kernel.symbol},
         {"root", kernel.root},
         {"dims", kernel.dims},
         {"uses", uses == kernelUses.end() ? 0 : uses->second},
         {"scratch_bytes", kernel.scratchBytes},
         {"schedule", kernel.schedule}});
  }
}

void Report::addWeights(ordered_json &report) const {
  int64_t parameters = 0;
  uint64_t bytes = 0;
  ordered_json list = ordered_json::array();
  for (const WeightDesc &weight : manifest.weights) {
    int64_t count = 1;
    for (int64_t extent : weight.shape)
      count *= extent;
    parameters += count;
    bytes += weight.bytes;
    list.push_back({{"name", weight.name},
                    {"type", describe(weight.type, weight.shape)},
                    {"layout", weight.layout},
                    {"bytes", weight.bytes}});
  }
  report["parameters"] = parameters;
  report["weight_bytes"] = bytes;
  report["weights"] = std::move(list);
  report["states"] = ordered_json::array();
  for (const StateDesc &state : manifest.states)
    report["states"].push_back({{"name", state.tensor.name},
                                {"type", describe(state.tensor)},
                                {"layout", state.layout}});
}

void Report::addCode(ordered_json &report) const {
  report["code"] = ordered_json::array();
  for (const CodeDesc &code : manifest.code) {
    Result<std::string_view> bytes = artifact.member(code.path);
    report["code"].push_back({{"level", code.level},
                              {"features", code.features},
                              {"bytes", bytes ? bytes->size() : 0}});
  }
  if (!manifest.text)
    return;
  const TextDesc &text = *manifest.text;
  report["text"] = {{"kind", text.kind},
                    {"source_model", text.sourceModel},
                    {"target_model", text.targetModel},
                    {"source_vocabulary", text.sourceVocab},
                    {"target_vocabulary", text.targetVocab}};
}

/// A translator's settings as a search would resolve them; the raw ones of any
/// other model, or if no search could use them.
Status Report::addSettings(ordered_json &report) const {
  ordered_json &list = report["settings"] = ordered_json::array();
  std::vector<std::string> notices;
  auto decode = entries.find("decode");
  if (decode != entries.end()) {
    Result<ModelLimits> limits = modelLimits(manifest, decode->second);
    if (!limits)
      return limits.status();
    Result<std::vector<SettingLayer>> layers = settingLayers(manifest);
    if (!layers)
      return layers.status();
    report["limits"] = {{"vocabulary", limits->vocabulary},
                        {"positions", limits->positions}};
    Result<GenerationSettings> settings =
        resolveSettings(*layers, *limits, notices);
    if (settings)
      for (const GenerationSettings::Row &row : settings->rows())
        list.push_back(
            {{"name", row.name}, {"value", row.value}, {"origin", row.origin}});
    else
      notices.push_back(settings.status().toString());
  }
  report["notices"] = notices;
  if (list.empty())
    for (const Setting &setting : manifest.settings)
      list.push_back({{"name", setting.name},
                      {"value", setting.value},
                      {"origin", setting.origin}});
  return Status::ok();
}

Result<int64_t>
Report::stateBytes(const std::map<std::string, int64_t> &dims) const {
  int64_t total = 0;
  for (const StateDesc &state : manifest.states) {
    DimExpr bytes = elementSize(state.tensor.type);
    for (const DimExpr &extent : state.tensor.shape)
      bytes *= extent;
    Result<int64_t> value = bytes.evaluate(dims);
    if (!value)
      return value.status();
    total += *value;
  }
  return total;
}

/// The peak formula, and its value for one job.
Status Report::addPeak(ordered_json &report,
                       const std::vector<int64_t> &memory) {
  ordered_json peak;
  DimExpr states;
  for (const StateDesc &state : manifest.states) {
    DimExpr bytes = elementSize(state.tensor.type);
    for (const DimExpr &extent : state.tensor.shape)
      bytes *= extent;
    states += bytes;
  }
  peak["states"] = states.str();
  for (const auto &[name, bytes] : manifest.peak)
    peak[name] = bytes.str();
  int64_t scratch = 0;
  for (const KernelDesc &kernel : manifest.kernels)
    scratch = std::max(scratch, kernel.scratchBytes);
  peak["scratch_per_thread"] = scratch;
  report["peak"] = std::move(peak);
  if (memory.empty())
    return Status::ok();

  auto align = [](int64_t value) { return (value + 15) / 16 * 16; };
  int64_t b = memory[0], s = memory[1], t = memory[2], rows = b * memory[3];
  std::map<std::string, int64_t> dims = {
      {"B", b},          {"S", s},       {"R", rows},         {"T", 1},
      {"K", align(t)},   {"N", rows},    {"E", 16},           {"Rows", rows},
      {"Cap", align(t)}, {"SrcRows", b}, {"SrcCap", align(s)}};
  Result<int64_t> stateTotal = stateBytes(dims);
  if (!stateTotal)
    return stateTotal.status().at("--memory");
  int64_t arena = 0;
  for (const auto &[name, bytes] : manifest.peak) {
    Result<int64_t> value = bytes.evaluate(dims);
    if (!value)
      return value.status().at("--memory: entry " + name);
    arena = std::max(arena, *value);
  }
  report["memory"] = {{"sentences", b},
                      {"source_tokens", s},
                      {"target_tokens", t},
                      {"beam", memory[3]},
                      {"state_bytes", *stateTotal},
                      {"arena_bytes", arena},
                      {"scratch_bytes", scratch},
                      {"total_bytes", *stateTotal + arena + scratch}};
  return Status::ok();
}

/// What a model to train is made of; nothing for others.
void Report::addTraining(ordered_json &report) const {
  if (!manifest.training)
    return;
  const TrainingDesc &training = *manifest.training;
  ordered_json json;
  json["parameters"] = training.elements();
  json["tensors"] = training.parameters.size();
  json["states"] = training.states;
  json["options"] = ordered_json::parse(training.options);
  report["training"] = std::move(json);
}

Result<ordered_json> Report::make(const std::vector<int64_t> &memory) {
  ordered_json report;
  report["file"] = artifact.path();
  report["format"] = manifest.format;
  report["producer"] = manifest.producer;
  report["family"] = manifest.family;
  report["source_hash"] = manifest.sourceHash;
  addWeights(report);
  addTraining(report);
  DRAGOMAN_RETURN_IF_ERROR(addEntries(report));
  addKernels(report);
  addCode(report);
  DRAGOMAN_RETURN_IF_ERROR(addSettings(report));
  DRAGOMAN_RETURN_IF_ERROR(addPeak(report, memory));
  report["members"] = ordered_json::array();
  for (const MemberDesc &member : manifest.members)
    report["members"].push_back(
        {{"path", member.path}, {"bytes", member.bytes}});
  return report;
}

} // namespace

Result<ordered_json>
dragoman::inspectReport(const Artifact &artifact,
                        const std::vector<int64_t> &memory) {
  Result<ordered_json> report = Report(artifact).make(memory);
  if (!report)
    return report.status().at(artifact.path());
  return report;
}
