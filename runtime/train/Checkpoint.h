//===- Checkpoint.h - A run saved whole -------------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A checkpoint is a folder ckpt-N of update N: safetensors files of the
// parameters, the averages and the optimiser's state, and manifest.json, which
// names size and checksum of each. The folder appears under its name only when
// everything in it is on disk.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TRAIN_CHECKPOINT_H
#define DRAGOMAN_RUNTIME_TRAIN_CHECKPOINT_H

#include "runtime/base/MappedFile.h"
#include "runtime/train/TrainModel.h"
#include "runtime/train/TrainProgress.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dragoman {

/// The format this build writes, and the newest one it reads.
inline constexpr int64_t checkpointFormat = 1;

/// Members of a checkpoint's folder.
inline constexpr const char *parametersFile = "parameters.safetensors";
inline constexpr const char *averageFile = "average.safetensors";
inline constexpr const char *optimizerFile = "optimizer.safetensors";
inline constexpr const char *checkpointManifest = "manifest.json";

/// "ckpt-1200".
std::string checkpointName(int64_t update);

/// Writes `folder`/ckpt-N from the model's states. Returns its bytes. After a
/// failure, which names the path, every older checkpoint is as it was.
Result<uint64_t> saveCheckpoint(const std::string &folder, TrainModel &model,
                                const TrainProgress &progress);

/// A checkpoint that was checked: manifest, sizes, checksums.
class Checkpoint {
public:
  /// `path` is the checkpoint's folder.
  static Result<Checkpoint> open(const std::string &path);

  const TrainProgress &progress() const { return state; }
  const std::string &path() const { return folder; }
  /// The tensors, in order; empty if there is no such file.
  const std::vector<ParameterDesc> &parameters() const { return descs; }
  /// The elements of a state, by name; empty if there is none.
  std::span<const float> stateData(const std::string &name) const;

  /// Copies states into the model. Refused, naming both sides, if the model's
  /// parameters are others.
  Status restoreParameters(TrainModel &model) const;
  Status restoreOptimizer(TrainModel &model) const;

private:
  Checkpoint() = default;
  Status addFile(const std::string &name, std::string_view stateName);

  std::string folder;
  TrainProgress state;
  std::vector<ParameterDesc> descs;
  std::vector<MappedFile> files;
  std::map<std::string, std::span<const float>> states;
};

/// Updates of the checkpoints in a folder, newest first.
std::vector<int64_t> listCheckpoints(const std::string &folder);

/// The newest checkpoint that is whole, or nothing. Each damaged one on the way
/// becomes one text in `warnings`.
std::optional<Checkpoint> newestCheckpoint(const std::string &folder,
                                           std::vector<std::string> &warnings);

/// Removes all but the newest `keep` checkpoints and those in `kept`, and what
/// a killed process left half-written.
void pruneCheckpoints(const std::string &folder, int64_t keep,
                      const std::set<int64_t> &kept);

/// Writes the tensors of `values` as a safetensors file.
Status writeTensors(const std::string &path,
                    const std::vector<ParameterDesc> &descs,
                    std::span<const float> values);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TRAIN_CHECKPOINT_H
