//===- TrainConfig.cpp - The settings of a training run -------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/TrainConfig.h"

#include "runtime/base/Hash.h"
#include "runtime/base/MappedFile.h"
#include "runtime/train/ConfigFields.h"

#include <algorithm>
#include <set>

using namespace dragoman;

namespace {

/// A value as it stands in the file, shortened.
std::string shown(const YAML::Node &node) {
  std::string text = node.IsNull() ? "null" : YAML::Dump(node);
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.size() > 60)
    text = text.substr(0, 57) + "...";
  return node.IsScalar() ? "'" + text + "'" : text;
}

class ConfigReader {
public:
  explicit ConfigReader(TrainConfig &config) : fields(configFields(config)) {
    for (const ConfigField &field : fields) {
      paths.push_back(field.path);
      for (size_t dot = field.path.find('.'); dot != std::string::npos;
           dot = field.path.find('.', dot + 1))
        sections.insert(field.path.substr(0, dot));
    }
  }

  Status readFile(const YAML::Node &root, const std::string &name) {
    if (root.IsNull())
      return Status::ok();
    if (!root.IsMap())
      return Status(StatusCode::InvalidArgument,
                    "expected sections such as model and data, found " +
                        shown(root),
                    name);
    return readSection(root, "", name);
  }

  Status readOverride(const std::string &text) {
    size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return Status(StatusCode::InvalidArgument,
                    "expected KEY=VALUE such as optim.lr=1e-3, found '" + text +
                        "'");
    std::string value = text.substr(equals + 1);
    YAML::Node node;
    try {
      node = YAML::Load(value);
    } catch (const YAML::Exception &failure) {
      return Status(StatusCode::InvalidArgument,
                    "expected a YAML value: " + failure.msg, text);
    }
    return readField(node, text.substr(0, equals), text);
  }

private:
  Status readSection(const YAML::Node &map, const std::string &prefix,
                     const std::string &name) {
    std::set<std::string> seen;
    for (const auto &item : map) {
      std::string place =
          name + ":" + std::to_string(item.first.Mark().line + 1);
      std::string path = prefix + item.first.Scalar();
      if (!seen.insert(path).second)
        return Status(StatusCode::InvalidArgument,
                      "expected every key once, found '" + path + "' again",
                      place);
      bool isSection = sections.count(path) > 0;
      if (isSection && item.second.IsNull())
        continue;
      if (isSection && !item.second.IsMap())
        return Status(StatusCode::InvalidArgument,
                      path + ": expected keys of a section, found " +
                          shown(item.second),
                      place);
      DRAGOMAN_RETURN_IF_ERROR(isSection
                                   ? readSection(item.second, path + ".", name)
                                   : readField(item.second, path, place));
    }
    return Status::ok();
  }

  Status readField(const YAML::Node &node, const std::string &path,
                   const std::string &place) {
    auto field = std::find_if(
        fields.begin(), fields.end(),
        [&](const ConfigField &field) { return field.path == path; });
    if (field == fields.end()) {
      std::string nearest = nearestName(path, paths);
      return Status(
          StatusCode::InvalidArgument,
          "unknown key '" + path + "'" +
              (nearest.empty() ? "" : "; did you mean " + nearest + "?"),
          place);
    }
    if (field->read(node))
      return Status::ok();
    return Status(StatusCode::InvalidArgument,
                  path + ": expected " + field->expected + ", found " +
                      shown(node),
                  place);
  }

  std::vector<ConfigField> fields;
  std::vector<std::string> paths;
  std::set<std::string> sections;
};

std::string written(const ConfigField &field) {
  YAML::Emitter out;
  field.write(out);
  return out.c_str();
}

/// "a.b.c" as its parts.
std::vector<std::string> partsOf(const std::string &path) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= path.size();) {
    size_t end = std::min(path.find('.', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

} // namespace

Result<TrainConfig>
dragoman::parseTrainConfig(const std::string &text, const std::string &name,
                           const std::vector<std::string> &overrides) {
  TrainConfig config;
  ConfigReader reader(config);
  YAML::Node root;
  try {
    root = YAML::Load(text);
    DRAGOMAN_RETURN_IF_ERROR(reader.readFile(root, name));
    for (const std::string &item : overrides)
      DRAGOMAN_RETURN_IF_ERROR(reader.readOverride(item));
  } catch (const YAML::Exception &failure) {
    return Status(StatusCode::InvalidArgument, "expected YAML: " + failure.msg,
                  name + ":" + std::to_string(failure.mark.line + 1));
  }
  if (config.data.targetVocabulary.empty())
    config.data.targetVocabulary = config.data.sourceVocabulary;
  return config;
}

Result<TrainConfig>
dragoman::readTrainConfig(const std::string &path,
                          const std::vector<std::string> &overrides) {
  Result<std::string> text = readFile(path);
  if (!text)
    return text.status();
  return parseTrainConfig(*text, path, overrides);
}

Status dragoman::checkTrainConfig(const TrainConfig &config) {
  auto refuse = [](const std::string &text) {
    return Status(StatusCode::InvalidArgument, text);
  };
  if (config.run.out.empty())
    return refuse("run.out: expected a folder, found none");
  if (config.data.train.empty())
    return refuse("data.train: expected at least one corpus, found none");
  if (config.data.sourceVocabulary.empty())
    return refuse("data.vocab.src: expected a file, found none");
  if (config.model.dModel % config.model.heads != 0)
    return refuse("model.heads: expected a divisor of d_model (" +
                  std::to_string(config.model.dModel) + "), found " +
                  std::to_string(config.model.heads));
  if (config.model.tieEmbeddings == "all" &&
      config.data.sourceVocabulary != config.data.targetVocabulary)
    return refuse("model.tie_embeddings: expected target or none for two "
                  "vocabularies (" +
                  config.data.sourceVocabulary + ", " +
                  config.data.targetVocabulary + "), found all");
  bool needsEnd =
      config.optim.schedule == "linear" || config.optim.schedule == "cosine";
  if (needsEnd && config.run.stopUpdates.count == 0)
    return refuse("optim.schedule: " + config.optim.schedule +
                  " needs run.stop.updates, found 0u");
  return Status::ok();
}

std::string dragoman::dumpTrainConfig(const TrainConfig &config, bool full) {
  TrainConfig values = config, defaults;
  std::vector<ConfigField> fields = configFields(values);
  std::vector<ConfigField> plain = configFields(defaults);
  std::vector<std::string> open;
  std::string text;
  for (size_t i = 0; i < fields.size(); ++i) {
    std::string value = written(fields[i]);
    if (!full && value == written(plain[i]))
      continue;
    std::vector<std::string> parts = partsOf(fields[i].path);
    for (size_t depth = 0; depth + 1 < parts.size(); ++depth) {
      if (depth < open.size() && open[depth] == parts[depth])
        continue;
      open.resize(depth);
      open.push_back(parts[depth]);
      text += std::string(2 * depth, ' ') + parts[depth] + ":\n";
    }
    open.resize(parts.size() - 1);
    text +=
        std::string(2 * open.size(), ' ') + parts.back() + ": " + value + "\n";
  }
  return text;
}

std::string dragoman::configHash(const TrainConfig &config,
                                 const std::string &part) {
  // Settings that may change between two parts of a run.
  static const std::set<std::string> free = {"data.cache", "data.valid",
                                             "optim.lr", "model.init_from"};
  TrainConfig values = config;
  std::string text;
  for (const ConfigField &field : configFields(values)) {
    bool isData =
        field.path.rfind("data.vocab", 0) == 0 || field.path == "data.train";
    if (field.path.rfind(part + ".", 0) == 0 && !free.count(field.path) &&
        !isData)
      text += field.path + "=" + written(field) + "\n";
  }
  if (part == "data")
    text += "seed=" + std::to_string(config.run.seed) + "\n";
  return checksumOf(text);
}
