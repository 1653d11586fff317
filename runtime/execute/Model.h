//===- Model.h - A loaded model, shared by its sessions ---------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Model is everything that does not change while it is used: the manifest,
// the entries compiled for quick evaluation, loaded code and mapped weights.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_EXECUTE_MODEL_H
#define DRAGOMAN_RUNTIME_EXECUTE_MODEL_H

#include "runtime/artifact/CommandTable.h"
#include "runtime/artifact/Manifest.h"
#include "runtime/base/Status.h"
#include "runtime/device/cpu/CpuFeatures.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

class Device;
struct Program;

/// Values of named dimensions.
using DimMap = std::map<std::string, int64_t>;

struct LoadOptions {
  std::string level; ///< code level to use; "" = the best the CPU has
  CpuFeatures features = CpuFeatures::host();
  bool copyWeights = false;   ///< see Artifact's OpenOptions
  bool verifyWeights = false; ///< see Artifact's OpenOptions
};

/// Where a model's parts come from: an artifact, or a test's memory.
class ModelSource {
public:
  virtual ~ModelSource() = default;
  /// For messages: the file's name.
  virtual std::string name() const = 0;
  virtual const Manifest &manifest() const = 0;
  virtual Result<EntryTable> entry(std::string_view name) const = 0;
  /// A member's bytes, alive as long as the source.
  virtual Result<std::string_view> member(std::string_view path) const = 0;
  virtual const void *weightData(size_t index) const = 0;
};

/// Immutable and safe to share between threads.
class Model {
public:
  /// Opens an artifact and loads the code of the best level that both it and
  /// the processor have. An artifact without such code is refused, naming both.
  static Result<std::shared_ptr<const Model>>
  load(const std::string &path, const LoadOptions &options = {});

  /// The same from any source.
  static Result<std::shared_ptr<const Model>>
  create(std::unique_ptr<ModelSource> source, const LoadOptions &options = {});

  ~Model();
  Model(const Model &) = delete;
  Model &operator=(const Model &) = delete;

  std::string name() const;
  const Manifest &manifest() const;
  const ModelSource &source() const;
  /// The code level in use.
  const std::string &level() const;
  /// Names of all dimensions in states' shapes, sorted.
  const std::vector<std::string> &stateDims() const;

  /// The table of an entry, or null.
  const EntryTable *entry(std::string_view name) const;

  /// Bytes that a session allocates to run `entries` with `dims` (which holds
  /// every dimension of the entries and of the states): states (those of a fixed
  /// shape if an entry uses them), the largest arena, scratch of `workers` threads, bookkeeping. Nothing is allocated.
  Result<uint64_t> memoryNeeded(std::span<const std::string> entries,
                                const DimMap &dims, int workers) const;

private:
  friend class Session;
  struct Impl;
  explicit Model(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_EXECUTE_MODEL_H
