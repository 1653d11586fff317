//===- Checkpoint.cpp - A run saved whole ---------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Checkpoint.h"

#include "runtime/artifact/Safetensors.h"
#include "runtime/base/AtomicFile.h"
#include "runtime/base/Hash.h"
#include "runtime/base/SystemError.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace dragoman;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

static constexpr const char *checkpointPrefix = "ckpt-";

std::string dragoman::checkpointName(int64_t update) {
  return checkpointPrefix + std::to_string(update);
}

namespace {

/// Waits until a folder's entries are on disk.
Status syncFolder(const std::string &path) {
  int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return systemError("cannot be opened", path);
  int result = fsync(descriptor);
  close(descriptor);
  return result == 0 ? Status::ok() : systemError("cannot be synced", path);
}

std::string_view bytesOf(std::span<const float> values) {
  return {reinterpret_cast<const char *>(values.data()), values.size_bytes()};
}

/// A safetensors header for dense f32 tensors.
std::string headerOf(const std::vector<ParameterDesc> &descs) {
  std::vector<SafetensorsTensor> tensors;
  for (const ParameterDesc &desc : descs)
    tensors.push_back(
        {desc.name, ElementType::F32, desc.shape,
         static_cast<uint64_t>(desc.offset) * 4,
         static_cast<uint64_t>(desc.offset + desc.elements()) * 4});
  return formatSafetensorsHeader(tensors);
}

/// Writes the files of one checkpoint and remembers what it wrote.
class FolderWriter {
public:
  explicit FolderWriter(std::string folder) : folder(std::move(folder)) {}

  Status add(const std::string &name, const std::vector<ParameterDesc> &descs,
             const std::vector<std::span<const float>> &parts) {
    std::string path = folder + "/" + name;
    Result<std::unique_ptr<AtomicFile>> file = AtomicFile::create(path);
    if (!file)
      return file.status();
    Hasher hasher;
    std::string header = headerOf(descs);
    hasher.update(header.data(), header.size());
    DRAGOMAN_RETURN_IF_ERROR((*file)->write(header));
    for (std::span<const float> part : parts) {
      hasher.update(part.data(), part.size_bytes());
      DRAGOMAN_RETURN_IF_ERROR((*file)->write(bytesOf(part)));
    }
    uint64_t bytes = (*file)->position();
    DRAGOMAN_RETURN_IF_ERROR((*file)->commit());
    files[name] = {{"bytes", bytes}, {"xxh3", hasher.digest()}};
    total += bytes;
    return Status::ok();
  }

  std::string folder;
  Json files = Json::object();
  uint64_t total = 0;
};

Status writeContents(FolderWriter &writer, TrainModel &model,
                     const TrainProgress &progress) {
  const std::vector<ParameterDesc> &descs = model.parameters();
  DRAGOMAN_RETURN_IF_ERROR(
      writer.add(parametersFile, descs, {model.state(parametersState)}));
  std::vector<ParameterDesc> optimizer;
  std::vector<std::span<const float>> parts;
  int64_t offset = 0;
  for (const std::string &name : model.stateNames()) {
    if (name == parametersState)
      continue;
    std::span<const float> values = model.state(name);
    if (name == averageState) {
      DRAGOMAN_RETURN_IF_ERROR(writer.add(averageFile, descs, {values}));
      continue;
    }
    int64_t size = static_cast<int64_t>(values.size());
    optimizer.push_back({name, {size}, offset, false});
    parts.push_back(values);
    offset += size;
  }
  DRAGOMAN_RETURN_IF_ERROR(writer.add(optimizerFile, optimizer, parts));
  Json decay = Json::array();
  for (const ParameterDesc &desc : descs)
    if (desc.decay)
      decay.push_back(desc.name);
  Json manifest = {{"format", checkpointFormat},
                   {"update", progress.update},
                   {"files", writer.files},
                   {"decay", decay},
                   {"progress", progress.toJson()}};
  std::string text = manifest.dump(1) + "\n";
  writer.total += text.size();
  return writeFileAtomically(writer.folder + "/" + checkpointManifest, text);
}

} // namespace

Status dragoman::writeTensors(const std::string &path,
                              const std::vector<ParameterDesc> &descs,
                              std::span<const float> values) {
  Result<std::unique_ptr<AtomicFile>> file = AtomicFile::create(path);
  if (!file)
    return file.status();
  DRAGOMAN_RETURN_IF_ERROR((*file)->write(headerOf(descs)));
  DRAGOMAN_RETURN_IF_ERROR((*file)->write(bytesOf(values)));
  return (*file)->commit();
}

Result<uint64_t> dragoman::saveCheckpoint(const std::string &folder,
                                          TrainModel &model,
                                          const TrainProgress &progress) {
  std::string path = folder + "/" + checkpointName(progress.update);
  std::string temporary = path + ".tmp", old = path + ".old";
  std::error_code failure;
  fs::remove_all(temporary, failure);
  fs::create_directories(temporary, failure);
  if (failure)
    return Status(StatusCode::InvalidData,
                  "cannot make the folder: " + failure.message(), temporary);
  FolderWriter writer(temporary);
  Status status = writeContents(writer, model, progress);
  if (status.isOk())
    status = syncFolder(temporary);
  if (status.isOk() && fs::exists(path, failure)) {
    fs::remove_all(old, failure);
    fs::rename(path, old, failure);
  }
  if (status.isOk() && std::rename(temporary.c_str(), path.c_str()) != 0)
    status = systemError("cannot be renamed", temporary);
  if (!status.isOk()) {
    fs::remove_all(temporary, failure);
    return status;
  }
  DRAGOMAN_RETURN_IF_ERROR(syncFolder(folder));
  fs::remove_all(old, failure);
  return writer.total;
}

/// Reads one file whose manifest entry was checked.
Status Checkpoint::addFile(const std::string &name,
                           std::string_view stateName) {
  Result<SafetensorsHeader> header = parseSafetensors(files.back().bytes());
  if (!header)
    return header.status().at(name);
  const float *data = reinterpret_cast<const float *>(
      files.back().bytes().data() + header->dataOffset);
  std::vector<ParameterDesc> found;
  for (const SafetensorsTensor &tensor : header->tensors) {
    if (tensor.type != ElementType::F32 || tensor.begin % 4 != 0)
      return Status(StatusCode::InvalidData,
                    "tensor '" + tensor.name + "': expected f32, found " +
                        elementTypeName(tensor.type),
                    name);
    found.push_back({tensor.name, tensor.shape,
                     static_cast<int64_t>(tensor.begin / 4), false});
    if (stateName.empty())
      states[tensor.name] = {data + tensor.begin / 4,
                             (tensor.end - tensor.begin) / 4};
  }
  if (stateName.empty())
    return Status::ok();
  states[std::string(stateName)] = {data, header->dataBytes / 4};
  if (stateName == parametersState)
    descs = std::move(found);
  return Status::ok();
}

Result<Checkpoint> Checkpoint::open(const std::string &path) {
  Checkpoint result;
  result.folder = path;
  Result<std::string> text = readFile(path + "/" + checkpointManifest);
  if (!text)
    return text.status();
  Json manifest = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  auto refuse = [&](const std::string &what) {
    return Status(StatusCode::InvalidData, what,
                  path + "/" + checkpointManifest);
  };
  if (!manifest.is_object() || !manifest.contains("files") ||
      !manifest["files"].is_object() || !manifest.contains("progress") ||
      !manifest["format"].is_number_integer())
    return refuse("expected the manifest of a checkpoint");
  if (manifest["format"] > checkpointFormat)
    return refuse("expected format " + std::to_string(checkpointFormat) +
                  " or older, found " +
                  std::to_string(manifest["format"].get<int64_t>()));
  Result<TrainProgress> progress =
      TrainProgress::fromJson(manifest["progress"]);
  if (!progress)
    return refuse(progress.status().message());
  result.state = std::move(*progress);
  for (const auto &[name, entry] : manifest["files"].items()) {
    bool isKnown =
        name == parametersFile || name == averageFile || name == optimizerFile;
    if (!isKnown || !entry.contains("bytes") ||
        !entry["bytes"].is_number_unsigned() || !entry.contains("xxh3") ||
        !entry["xxh3"].is_string())
      return refuse("expected files of a checkpoint, found '" + name + "'");
    std::string filePath = path + "/" + name;
    Result<MappedFile> file = MappedFile::open(filePath);
    if (!file)
      return file.status();
    if (file->bytes().size() != entry["bytes"].get<uint64_t>())
      return Status(StatusCode::InvalidData,
                    "expected " +
                        std::to_string(entry["bytes"].get<uint64_t>()) +
                        " bytes, found " + std::to_string(file->bytes().size()),
                    filePath);
    if (checksumOf(file->bytes()) != entry["xxh3"].get<std::string>())
      return Status(StatusCode::InvalidData,
                    "its checksum is not the manifest's", filePath);
    result.files.push_back(std::move(*file));
    DRAGOMAN_RETURN_IF_ERROR(
        result
            .addFile(name, name == parametersFile ? parametersState
                           : name == averageFile  ? averageState
                                                  : "")
            .at(path));
  }
  if (result.descs.empty())
    return refuse("expected parameters, found none");
  if (manifest["decay"].is_array())
    for (const Json &name : manifest["decay"])
      for (ParameterDesc &desc : result.descs)
        desc.decay |= name == desc.name;
  return result;
}

std::span<const float> Checkpoint::stateData(const std::string &name) const {
  auto found = states.find(name);
  return found == states.end() ? std::span<const float>() : found->second;
}

static std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? "," : "") + std::to_string(shape[i]);
  return text + "]";
}

Status Checkpoint::restoreParameters(TrainModel &model) const {
  const std::vector<ParameterDesc> &wanted = model.parameters();
  auto refuse = [&](const std::string &text) {
    return Status(StatusCode::InvalidData, text, folder);
  };
  if (wanted.size() != descs.size())
    return refuse("expected " + std::to_string(wanted.size()) +
                  " parameters, found " + std::to_string(descs.size()));
  for (size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i].name != descs[i].name || wanted[i].shape != descs[i].shape ||
        wanted[i].offset != descs[i].offset)
      return refuse("expected parameter '" + wanted[i].name + "' " +
                    shapeText(wanted[i].shape) + ", found '" + descs[i].name +
                    "' " + shapeText(descs[i].shape));
  for (const char *name : {parametersState, averageState}) {
    std::span<float> state = model.state(name);
    std::span<const float> saved = stateData(name);
    // A run that begins to average begins with the parameters.
    if (saved.empty())
      saved = stateData(parametersState);
    if (!state.empty())
      std::copy(saved.begin(), saved.end(), state.begin());
  }
  return Status::ok();
}

Status Checkpoint::restoreOptimizer(TrainModel &model) const {
  for (const std::string &name : model.stateNames()) {
    if (name == parametersState || name == averageState)
      continue;
    std::span<float> state = model.state(name);
    std::span<const float> saved = stateData(name);
    if (saved.size() != state.size())
      return Status(StatusCode::InvalidData,
                    "state '" + name + "': expected " +
                        std::to_string(state.size()) + " elements, found " +
                        std::to_string(saved.size()),
                    folder);
    std::copy(saved.begin(), saved.end(), state.begin());
  }
  return Status::ok();
}

std::vector<int64_t> dragoman::listCheckpoints(const std::string &folder) {
  std::vector<int64_t> updates;
  std::error_code failure;
  for (const fs::directory_entry &entry :
       fs::directory_iterator(folder, failure)) {
    std::string name = entry.path().filename();
    std::string_view digits = name;
    if (!name.starts_with(checkpointPrefix) || entry.is_symlink(failure))
      continue;
    digits.remove_prefix(std::strlen(checkpointPrefix));
    int64_t update = 0;
    auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), update);
    if (error == std::errc() && end == digits.data() + digits.size())
      updates.push_back(update);
  }
  std::sort(updates.rbegin(), updates.rend());
  return updates;
}

std::optional<Checkpoint>
dragoman::newestCheckpoint(const std::string &folder,
                           std::vector<std::string> &warnings) {
  for (int64_t update : listCheckpoints(folder)) {
    Result<Checkpoint> found =
        Checkpoint::open(folder + "/" + checkpointName(update));
    if (found)
      return std::move(*found);
    warnings.push_back(checkpointName(update) +
                       " is skipped: " + found.status().toString());
  }
  return std::nullopt;
}

void dragoman::pruneCheckpoints(const std::string &folder, int64_t keep,
                                const std::set<int64_t> &kept) {
  std::error_code failure;
  std::vector<int64_t> updates = listCheckpoints(folder);
  for (size_t i = static_cast<size_t>(keep); i < updates.size(); ++i)
    if (!kept.count(updates[i]))
      fs::remove_all(folder + "/" + checkpointName(updates[i]), failure);
  std::vector<fs::path> leftovers;
  for (const fs::directory_entry &entry :
       fs::directory_iterator(folder, failure)) {
    std::string name = entry.path().filename();
    if (name.starts_with(checkpointPrefix) &&
        (name.ends_with(".tmp") || name.ends_with(".old")))
      leftovers.push_back(entry.path());
  }
  for (const fs::path &path : leftovers)
    fs::remove_all(path, failure);
}
