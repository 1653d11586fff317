//===- TrainingWeights.cpp - From parameters to weights -------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/TrainingWeights.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <set>

namespace dragoman {

//===----------------------------------------------------------------------===//
// Validation
//===----------------------------------------------------------------------===//

namespace {

Status invalid(const std::string &key, const std::string &expected,
               const std::string &found) {
  return Status(StatusCode::InvalidData, "training." + key + ": expected " +
                                             expected + ", found " + found);
}

std::string item(const char *list, size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

Status checkParameters(const TrainingDesc &training) {
  std::set<std::string> names;
  int64_t end = 0;
  for (size_t i = 0; i < training.parameters.size(); ++i) {
    const ParameterDesc &parameter = training.parameters[i];
    const std::string key = item("parameters", i);
    if (parameter.name.empty() || !names.insert(parameter.name).second)
      return invalid(key + ".name", "each name once",
                     "'" + parameter.name + "'");
    if (parameter.offset != end)
      return invalid(key + ".offset", std::to_string(end),
                     std::to_string(parameter.offset));
    int64_t count = 1;
    for (int64_t extent : parameter.shape)
      if (extent < 1 || __builtin_mul_overflow(count, extent, &count))
        return invalid(key + ".shape", "extents >= 1 below 2^63 together",
                       std::to_string(extent));
    if (__builtin_add_overflow(end, count, &end))
      return invalid(key + ".shape", "an end below 2^63", "more");
  }
  return Status::ok();
}

Status checkStates(const Manifest &manifest) {
  const TrainingDesc &training = *manifest.training;
  const DimExpr size = DimExpr(training.elements());
  for (size_t i = 0; i < training.states.size(); ++i) {
    const auto found =
        std::find_if(manifest.states.begin(), manifest.states.end(),
                     [&](const StateDesc &state) {
                       return state.tensor.name == training.states[i];
                     });
    if (found == manifest.states.end() || found->tensor.shape.size() != 1 ||
        found->tensor.shape[0] != size ||
        found->tensor.type != ElementType::F32)
      return invalid(item("states", i),
                     "an f32 state of " + std::to_string(training.elements()) +
                         " elements",
                     "'" + training.states[i] + "'");
  }
  return Status::ok();
}

/// The parameters of a recipe have the weight's shape but for the rows, which
/// add up to the weight's.
Status checkRecipe(const Manifest &manifest, size_t index) {
  const WeightRecipe &recipe = manifest.training->recipes[index];
  const std::string key = item("recipes", index);
  const std::optional<size_t> weight = manifest.weightIndex(recipe.weight);
  if (!weight || manifest.weights[*weight].type != ElementType::F32)
    return invalid(key + ".weight", "the name of an f32 weight",
                   "'" + recipe.weight + "'");
  const std::vector<int64_t> &shape = manifest.weights[*weight].shape;
  int64_t rows = 0;
  for (const std::string &name : recipe.parameters) {
    const ParameterDesc *parameter = manifest.training->parameter(name);
    if (!parameter)
      return invalid(key + ".parameters", "names of parameters",
                     "'" + name + "'");
    if (parameter->shape.size() != shape.size() || shape.empty() ||
        !std::equal(shape.begin() + 1, shape.end(),
                    parameter->shape.begin() + 1))
      return invalid(key + ".parameters",
                     "rows of weight '" + recipe.weight + "'",
                     "'" + name + "' of another shape");
    rows += parameter->shape[0];
  }
  if (rows != (shape.empty() ? 0 : shape[0]))
    return invalid(key + ".parameters",
                   std::to_string(shape.empty() ? 0 : shape[0]) + " rows",
                   std::to_string(rows));
  return Status::ok();
}

} // namespace

Status checkTraining(const Manifest &manifest) {
  if (!manifest.training)
    return Status::ok();
  const TrainingDesc &training = *manifest.training;
  DRAGOMAN_RETURN_IF_ERROR(checkParameters(training));
  DRAGOMAN_RETURN_IF_ERROR(checkStates(manifest));
  std::set<std::string> weights;
  for (size_t i = 0; i < training.recipes.size(); ++i) {
    DRAGOMAN_RETURN_IF_ERROR(checkRecipe(manifest, i));
    if (!weights.insert(training.recipes[i].weight).second)
      return invalid(item("recipes", i) + ".weight", "each weight once",
                     "'" + training.recipes[i].weight + "' again");
  }
  const std::optional<size_t> initial = manifest.weightIndex(parametersWeight);
  if (!initial || manifest.weights[*initial].layout != "rows" ||
      manifest.weights[*initial].type != ElementType::F32 ||
      manifest.weights[*initial].shape !=
          std::vector<int64_t>{training.elements()})
    return invalid("parameters",
                   "an f32 weight '" + std::string(parametersWeight) + "' of " +
                       std::to_string(training.elements()) + " elements",
                   initial ? "one of another form" : "none");
  if (!nlohmann::json::parse(training.options, nullptr, false).is_object())
    return invalid("options", "a JSON object", "'" + training.options + "'");
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

Result<std::span<const float>> initialParameters(const Artifact &artifact) {
  const Manifest &manifest = artifact.manifest();
  if (!manifest.training)
    return Status(StatusCode::InvalidData,
                  "expected an artifact of a model to train, found one for "
                  "inference only",
                  artifact.path());
  const size_t index = *manifest.weightIndex(parametersWeight);
  return std::span<const float>(
      static_cast<const float *>(artifact.weightData(index)),
      static_cast<size_t>(manifest.training->elements()));
}

/// values [N,K] as [ceil(N/16)][K][16], the columns past N zero.
static void packPanels(const std::vector<float> &values, int64_t rows,
                       int64_t columns, std::string &bytes) {
  constexpr int64_t panel = 16;
  std::vector<float> packed((rows + panel - 1) / panel * columns * panel, 0.0f);
  for (int64_t n = 0; n < rows; ++n)
    for (int64_t k = 0; k < columns; ++k)
      packed[((n / panel) * columns + k) * panel + n % panel] =
          values[n * columns + k];
  bytes.assign(reinterpret_cast<const char *>(packed.data()),
               packed.size() * sizeof(float));
}

Status rebuildWeight(const Manifest &manifest, size_t index,
                     std::span<const float> parameters, std::string &bytes) {
  bytes.clear();
  const WeightDesc &weight = manifest.weights[index];
  const WeightRecipe *recipe =
      manifest.training ? manifest.training->recipe(weight.name) : nullptr;
  if (!recipe)
    return Status(StatusCode::InvalidArgument,
                  "expected a weight that follows from parameters",
                  "weight '" + weight.name + "'");
  if (static_cast<int64_t>(parameters.size()) != manifest.training->elements())
    return Status(StatusCode::InvalidArgument,
                  "expected " + std::to_string(manifest.training->elements()) +
                      " parameters, found " +
                      std::to_string(parameters.size()));
  std::vector<float> values;
  for (const std::string &name : recipe->parameters) {
    const ParameterDesc *parameter = manifest.training->parameter(name);
    const float *first = parameters.data() + parameter->offset;
    values.insert(values.end(), first, first + parameter->elements());
  }
  if (weight.layout == "panel16")
    packPanels(values, weight.shape[0], weight.shape[1], bytes);
  else
    bytes.assign(reinterpret_cast<const char *>(values.data()),
                 values.size() * sizeof(float));
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Export
//===----------------------------------------------------------------------===//

namespace {

/// Numbers of a list's items that are used, in order of first use.
class Renumbering {
public:
  uint32_t use(uint32_t old) {
    auto [found, isNew] = numbers.try_emplace(old, order.size());
    if (isNew)
      order.push_back(old);
    return found->second;
  }
  template <typename T> std::vector<T> pick(const std::vector<T> &list) const {
    std::vector<T> picked;
    for (uint32_t old : order)
      picked.push_back(list[old]);
    return picked;
  }
  const std::vector<uint32_t> &olds() const { return order; }

private:
  std::map<uint32_t, uint32_t> numbers;
  std::vector<uint32_t> order;
};

/// The entries of inference over the kernels, states and weights they use.
class InferenceExport {
public:
  explicit InferenceExport(const Artifact &artifact) : artifact(artifact) {}

  Status write(std::span<const float> parameters, const ExportExtras &extras,
               const std::string &path);

private:
  Status takeEntries();
  bool trains(const EntryTable &entry) const;
  void renumber(EntryTable &entry);
  Manifest describe(const ExportExtras &extras) const;
  Status addMembers(const Manifest &manifest, const ExportExtras &extras,
                    ArtifactWriter &writer) const;

  const Artifact &artifact;
  std::vector<EntryTable> entries;
  Renumbering kernels, states, weights;
};

} // namespace

/// True if the entry touches a state of training.
bool InferenceExport::trains(const EntryTable &entry) const {
  const Manifest &manifest = artifact.manifest();
  const std::vector<std::string> &states = manifest.training->states;
  return std::any_of(
      entry.slots.begin(), entry.slots.end(), [&](const SlotDesc &slot) {
        return slot.space == SlotSpace::State &&
               std::count(states.begin(), states.end(),
                          manifest.states[slot.index].tensor.name);
      });
}

void InferenceExport::renumber(EntryTable &entry) {
  for (SlotDesc &slot : entry.slots)
    if (slot.space == SlotSpace::State)
      slot.index = states.use(slot.index);
    else if (slot.space == SlotSpace::Weight)
      slot.index = weights.use(slot.index);
  for (Command &command : entry.commands)
    if (command.kind == CommandKind::Dispatch)
      command.kernel = kernels.use(command.kernel);
}

Status InferenceExport::takeEntries() {
  for (const std::string &name : artifact.manifest().entries) {
    Result<EntryTable> entry = artifact.entry(name);
    if (!entry)
      return entry.status();
    if (trains(*entry))
      continue;
    renumber(*entry);
    entries.push_back(std::move(*entry));
  }
  return Status::ok();
}

Manifest InferenceExport::describe(const ExportExtras &extras) const {
  Manifest manifest = artifact.manifest();
  manifest.members.clear();
  manifest.training.reset();
  manifest.kernels = kernels.pick(manifest.kernels);
  manifest.states = states.pick(manifest.states);
  manifest.weights = weights.pick(manifest.weights);
  manifest.entries.clear();
  manifest.peak.clear();
  for (const EntryTable &entry : entries) {
    manifest.entries.push_back(entry.name);
    manifest.peak[entry.name] = entry.arenaBytes;
  }
  for (const Setting &setting : extras.settings) {
    auto same = std::find_if(
        manifest.settings.begin(), manifest.settings.end(),
        [&](const Setting &old) { return old.name == setting.name; });
    if (same == manifest.settings.end())
      manifest.settings.push_back(setting);
    else
      *same = setting;
  }
  if (extras.text)
    manifest.text = extras.text;
  return manifest;
}

Status InferenceExport::addMembers(const Manifest &manifest,
                                   const ExportExtras &extras,
                                   ArtifactWriter &writer) const {
  std::set<std::string> added;
  auto add = [&](const std::string &path, std::string bytes) {
    added.insert(path);
    return writer.addMember(path, std::move(bytes));
  };
  for (const EntryTable &entry : entries)
    DRAGOMAN_RETURN_IF_ERROR(
        add(commandsMember(entry.name), serializeEntry(entry)));
  for (const auto &[path, bytes] : extras.members)
    DRAGOMAN_RETURN_IF_ERROR(add(path, bytes));
  std::vector<std::string> kept;
  for (const CodeDesc &code : manifest.code)
    kept.push_back(code.path);
  if (manifest.text)
    for (const std::string &path :
         {manifest.text->sourceModel, manifest.text->targetModel,
          manifest.text->sourceVocab, manifest.text->targetVocab})
      kept.push_back(path);
  for (const std::string &path : kept) {
    if (added.count(path))
      continue;
    Result<std::string_view> bytes = artifact.member(path);
    if (!bytes)
      return bytes.status();
    DRAGOMAN_RETURN_IF_ERROR(add(path, std::string(*bytes)));
  }
  return Status::ok();
}

Status InferenceExport::write(std::span<const float> parameters,
                              const ExportExtras &extras,
                              const std::string &path) {
  DRAGOMAN_RETURN_IF_ERROR(takeEntries());
  const Manifest &old = artifact.manifest();
  Manifest manifest = describe(extras);
  ArtifactWriter writer(manifest);
  DRAGOMAN_RETURN_IF_ERROR(addMembers(manifest, extras, writer));
  writer.setWeightSource(
      [&](size_t index, const ArtifactWriter::Sink &sink) -> Status {
        const size_t from = weights.olds()[index];
        if (!old.training->recipe(old.weights[from].name))
          return sink(artifact.weightData(from), old.weights[from].bytes);
        std::string bytes;
        DRAGOMAN_RETURN_IF_ERROR(rebuildWeight(old, from, parameters, bytes));
        return sink(bytes.data(), bytes.size());
      });
  return writer.finish(path);
}

Status exportInference(const Artifact &artifact,
                       std::span<const float> parameters,
                       const ExportExtras &extras, const std::string &path) {
  Result<std::span<const float>> initial = initialParameters(artifact);
  if (!initial)
    return initial.status();
  if (parameters.size() != initial->size())
    return Status(StatusCode::InvalidArgument,
                  "expected " + std::to_string(initial->size()) +
                      " parameters, found " + std::to_string(parameters.size()),
                  path);
  return InferenceExport(artifact).write(parameters, extras, path);
}

} // namespace dragoman
