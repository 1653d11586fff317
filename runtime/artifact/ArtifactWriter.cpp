//===- ArtifactWriter.cpp - Writing .dgm files ----------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/Artifact.h"
#include "runtime/artifact/Safetensors.h"
#include "runtime/artifact/Zip.h"
#include "runtime/base/AtomicFile.h"
#include "runtime/base/Hash.h"

namespace dragoman {

namespace {

/// The weights begin where a huge page can.
constexpr uint64_t weightsFileAlignment = 2u << 20;
constexpr uint32_t memberAlignment = 64;

struct PendingMember {
  std::string path;
  std::string bytes;
};

} // namespace

struct ArtifactWriter::Impl {
  Manifest manifest;
  std::vector<PendingMember> pending;
  WeightSource source;

  Status prepare(std::vector<SafetensorsTensor> &tensors, std::string &header);
  Status write(AtomicFile &file);
  Status writeWeights(ZipWriter &zip,
                      const std::vector<SafetensorsTensor> &tensors,
                      const std::string &header);
  Status writeWeight(ZipWriter &zip, size_t index, Hasher &whole);
  bool hasWeights() const { return !manifest.weights.empty(); }
};

ArtifactWriter::ArtifactWriter(Manifest manifest)
    : impl(std::make_unique<Impl>()) {
  impl->manifest = std::move(manifest);
}

ArtifactWriter::~ArtifactWriter() = default;

Status ArtifactWriter::addMember(std::string path, std::string bytes) {
  if (!isSafeMemberName(path) || path == manifestMember ||
      path == weightsMember || path == weightsPaddingMember)
    return Status(StatusCode::InvalidArgument,
                  "expected a free relative path as member, found '" + path +
                      "'");
  for (const PendingMember &member : impl->pending)
    if (member.path == path)
      return Status(StatusCode::InvalidArgument,
                    "expected each member once, found '" + path + "' again");
  impl->pending.push_back({std::move(path), std::move(bytes)});
  return Status::ok();
}

void ArtifactWriter::setWeightSource(WeightSource source) {
  impl->source = std::move(source);
}

/// Fills the manifest but for the weights' checksums, which get their final
/// width so that the manifest's size is known before the weights are seen.
Status ArtifactWriter::Impl::prepare(std::vector<SafetensorsTensor> &tensors,
                                     std::string &header) {
  const std::string later(checksumDigits, '0');
  manifest.format = manifestFormat;
  manifest.members.clear();
  for (const PendingMember &member : pending)
    manifest.members.push_back(
        {member.path, member.bytes.size(), checksumOf(member.bytes)});
  if (hasWeights()) {
    if (!source)
      return Status(StatusCode::InvalidArgument,
                    "expected a source for " +
                        std::to_string(manifest.weights.size()) +
                        " weights, found none");
    Result<std::vector<SafetensorsTensor>> layout =
        layoutWeights(manifest.weights);
    if (!layout)
      return layout.status();
    tensors = std::move(*layout);
    header = formatSafetensorsHeader(tensors);
    for (WeightDesc &weight : manifest.weights)
      weight.checksum = later;
    manifest.members.push_back(
        {weightsMember, header.size() + tensors.back().end, later});
  }
  return manifest.validate();
}

Status ArtifactWriter::Impl::writeWeight(ZipWriter &zip, size_t index,
                                         Hasher &whole) {
  WeightDesc &weight = manifest.weights[index];
  const std::string where = "weight '" + weight.name + "'";
  Hasher own;
  uint64_t given = 0;
  const Sink sink = [&](const void *data, size_t bytes) {
    if (bytes > weight.bytes - given)
      return Status(StatusCode::InvalidArgument,
                    "expected " + std::to_string(weight.bytes) +
                        " bytes, found more",
                    where);
    given += bytes;
    own.update(data, bytes);
    whole.update(data, bytes);
    return zip.append({static_cast<const char *>(data), bytes});
  };
  DRAGOMAN_RETURN_IF_ERROR(source(index, sink));
  if (given != weight.bytes)
    return Status(StatusCode::InvalidArgument,
                  "expected " + std::to_string(weight.bytes) +
                      " bytes, found " + std::to_string(given),
                  where);
  weight.checksum = own.digest();
  return Status::ok();
}

Status ArtifactWriter::Impl::writeWeights(
    ZipWriter &zip, const std::vector<SafetensorsTensor> &tensors,
    const std::string &header) {
  const uint64_t bytes = header.size() + tensors.back().end;
  const uint64_t unaligned = zip.position() +
                             zip.headerBytes(weightsPaddingMember, 0) +
                             zip.headerBytes(weightsMember, bytes);
  const uint64_t padding =
      (weightsFileAlignment - unaligned % weightsFileAlignment) %
      weightsFileAlignment;
  DRAGOMAN_RETURN_IF_ERROR(zip.begin(weightsPaddingMember, padding, 1));
  DRAGOMAN_RETURN_IF_ERROR(zip.append(std::string(padding, '\0')));
  DRAGOMAN_RETURN_IF_ERROR(zip.end());

  DRAGOMAN_RETURN_IF_ERROR(zip.begin(weightsMember, bytes, 1));
  Hasher whole;
  whole.update(header.data(), header.size());
  DRAGOMAN_RETURN_IF_ERROR(zip.append(header));
  size_t weight = 0;
  for (const SafetensorsTensor &tensor : tensors) {
    if (tensor.name.rfind(padTensorPrefix, 0) != 0) {
      DRAGOMAN_RETURN_IF_ERROR(writeWeight(zip, weight++, whole));
      continue;
    }
    const std::string zeros(tensor.end - tensor.begin, '\0');
    whole.update(zeros.data(), zeros.size());
    DRAGOMAN_RETURN_IF_ERROR(zip.append(zeros));
  }
  manifest.members.back().checksum = whole.digest();
  return zip.end();
}

Status ArtifactWriter::Impl::write(AtomicFile &file) {
  std::vector<SafetensorsTensor> tensors;
  std::string header;
  DRAGOMAN_RETURN_IF_ERROR(prepare(tensors, header));
  ZipWriter zip(file);
  const auto addWhole = [&](const std::string &name,
                            std::string_view bytes) -> Status {
    DRAGOMAN_RETURN_IF_ERROR(zip.begin(name, bytes.size(), memberAlignment));
    DRAGOMAN_RETURN_IF_ERROR(zip.append(bytes));
    return zip.end();
  };
  DRAGOMAN_RETURN_IF_ERROR(addWhole(manifestMember, manifest.toJson()));
  for (const PendingMember &member : pending)
    DRAGOMAN_RETURN_IF_ERROR(addWhole(member.path, member.bytes));
  if (hasWeights())
    DRAGOMAN_RETURN_IF_ERROR(writeWeights(zip, tensors, header));
  DRAGOMAN_RETURN_IF_ERROR(zip.replace(0, manifest.toJson()));
  DRAGOMAN_RETURN_IF_ERROR(zip.finish());
  return file.commit();
}

Status ArtifactWriter::finish(const std::string &path) {
  Result<std::unique_ptr<AtomicFile>> file = AtomicFile::create(path);
  if (!file)
    return file.status();
  Status status = impl->write(**file);
  return status ? status : status.at(path);
}

} // namespace dragoman
