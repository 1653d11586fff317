//===- Artifact.h - Reading and writing .dgm files --------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An artifact is one stored-only zip file (docs/artifact.md). Reading maps it;
// weights are used where they lie. Checksums guard against damage, not malice:
// loading an artifact is running a program.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_ARTIFACT_ARTIFACT_H
#define DRAGOMAN_RUNTIME_ARTIFACT_ARTIFACT_H

#include "runtime/artifact/Manifest.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

struct OpenOptions {
  /// Copy the weights to anonymous memory (huge pages where the system gives
  /// them) instead of using the mapped file.
  bool copyWeights = false;
  /// Also verify the weights' checksums.
  bool verifyWeights = false;
};

/// A compiled model on disk, open for reading. Immutable and thread-safe after
/// open. Views and pointers it hands out live as long as the object.
class Artifact {
public:
  /// Opens `path` and verifies everything but the weights' bytes: the zip
  /// directory, the manifest, the checksum of every other member, and that the
  /// safetensors header agrees with the manifest.
  static Result<std::unique_ptr<Artifact>>
  open(const std::string &path, const OpenOptions &options = {});
  ~Artifact();
  Artifact(const Artifact &) = delete;
  Artifact &operator=(const Artifact &) = delete;

  const std::string &path() const;
  const Manifest &manifest() const;

  /// The bytes of a member, by path.
  Result<std::string_view> member(std::string_view name) const;

  /// The command table of an entry; its indices into kernels, states and
  /// weights are checked against the manifest.
  Result<EntryTable> entry(std::string_view name) const;

  /// The stored bytes of weight i of the manifest, 64-byte aligned. At least
  /// 256 KiB of readable bytes follow the last weight.
  const void *weightData(size_t index) const;

  /// Recomputes the weights' checksums; an error names the first tensor that
  /// differs.
  Status verifyWeights() const;

  /// What open noticed but could live with ("weights lost their alignment, ...
  /// copied"), one text each.
  const std::vector<std::string> &warnings() const;

private:
  Artifact();
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// Collects the parts of an artifact and writes them in one go, so that the
/// path holds either what it held before or the whole new file.
class ArtifactWriter {
public:
  /// Takes bytes of one weight, in order, in pieces of any size.
  using Sink = std::function<Status(const void *data, size_t bytes)>;
  /// Hands all stored bytes of weight `index` to the sink.
  using WeightSource = std::function<Status(size_t index, const Sink &sink)>;

  /// `manifest` describes the model; `members`, and of each weight offset,
  /// bytes and checksum, are filled in by finish().
  explicit ArtifactWriter(Manifest manifest);
  ~ArtifactWriter();
  ArtifactWriter(const ArtifactWriter &) = delete;
  ArtifactWriter &operator=(const ArtifactWriter &) = delete;

  /// Adds a member (not the manifest, not the weights). A repeated or unsafe
  /// path is refused.
  Status addMember(std::string path, std::string bytes);

  /// Where the weights' bytes come from. Called once per weight, in order,
  /// during finish(). Needed if the manifest has weights.
  void setWeightSource(WeightSource source);

  /// Writes `path`: a temporary file in its folder, fsync, rename, fsync of the
  /// folder. Fails if a member that the manifest refers to was not added. On
  /// failure nothing is left behind and an older file stays untouched.
  Status finish(const std::string &path);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_ARTIFACT_ARTIFACT_H
