//===- ArtifactSource.cpp - A model out of an artifact ----------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/Artifact.h"
#include "runtime/execute/Model.h"

using namespace dragoman;

namespace {

class ArtifactSource final : public ModelSource {
public:
  explicit ArtifactSource(std::unique_ptr<Artifact> artifact)
      : artifact(std::move(artifact)) {}

  std::string name() const override {
    const std::string &path = artifact->path();
    return path.substr(path.find_last_of('/') + 1);
  }
  const Manifest &manifest() const override { return artifact->manifest(); }
  Result<EntryTable> entry(std::string_view name) const override {
    return artifact->entry(name);
  }
  Result<std::string_view> member(std::string_view path) const override {
    return artifact->member(path);
  }
  const void *weightData(size_t index) const override {
    return artifact->weightData(index);
  }

private:
  std::unique_ptr<Artifact> artifact;
};

} // namespace

Result<std::shared_ptr<const Model>> Model::load(const std::string &path,
                                                 const LoadOptions &options) {
  OpenOptions open;
  open.copyWeights = options.copyWeights;
  open.verifyWeights = options.verifyWeights;
  Result<std::unique_ptr<Artifact>> artifact = Artifact::open(path, open);
  if (!artifact)
    return artifact.status();
  return create(std::make_unique<ArtifactSource>(std::move(*artifact)),
                options);
}
