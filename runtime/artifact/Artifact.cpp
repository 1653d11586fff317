//===- Artifact.cpp - Reading .dgm files ----------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/Artifact.h"

#include "runtime/artifact/Safetensors.h"
#include "runtime/artifact/Zip.h"
#include "runtime/base/Hash.h"
#include "runtime/base/HugeBuffer.h"
#include "runtime/base/MappedFile.h"

#include <cstring>
#include <unordered_map>

namespace dragoman {

struct Artifact::Impl {
  std::string path;
  MappedFile file;
  Manifest manifest;
  std::unordered_map<std::string, std::string_view> members;
  std::string_view weights;       ///< data of the safetensors member
  uint64_t weightsFileOffset = 0; ///< of the member
  HugeBuffer copy;                ///< the weights' copy, if one was made
  const char *weightBase = nullptr;
  std::vector<std::string> warnings;

  Status openFile(const std::string &name);
  Status checkMembers() const;
  Status openWeights(const OpenOptions &options);
  Status checkIndices(const EntryTable &table) const;
  std::string_view find(const std::string &name) const;
};

namespace {

Status damaged(std::string message) {
  return Status(StatusCode::InvalidData, std::move(message));
}

Status checkSums(std::string_view bytes, const std::string &expected) {
  const std::string found = checksumOf(bytes);
  if (found == expected)
    return Status::ok();
  return damaged("expected checksum " + expected + ", found " + found +
                 "; the file is damaged, compile or copy it again");
}

/// Compares what the weights' own header says with the manifest.
Status checkTensor(const WeightDesc &weight, const SafetensorsTensor *tensor) {
  const std::string where = "weight '" + weight.name + "'";
  if (!tensor)
    return damaged("expected a tensor of that name, found none").at(where);
  Result<std::vector<int64_t>> shape = storedShape(weight);
  if (!shape)
    return shape.status();
  if (tensor->type != weight.type)
    return damaged("expected type " +
                   std::string(elementTypeName(weight.type)) + ", found " +
                   elementTypeName(tensor->type))
        .at(where);
  if (tensor->shape != *shape)
    return damaged("expected the stored shape of the manifest, found another")
        .at(where);
  if (tensor->begin != weight.offset)
    return damaged("expected offset " + std::to_string(weight.offset) +
                   ", found " + std::to_string(tensor->begin))
        .at(where);
  return Status::ok();
}

Status checkTensors(const std::vector<WeightDesc> &weights,
                    const SafetensorsHeader &header) {
  std::unordered_map<std::string_view, const SafetensorsTensor *> byName;
  for (const SafetensorsTensor &tensor : header.tensors)
    byName.emplace(tensor.name, &tensor);
  uint64_t end = 0;
  for (const WeightDesc &weight : weights) {
    const auto found = byName.find(weight.name);
    DRAGOMAN_RETURN_IF_ERROR(
        checkTensor(weight, found == byName.end() ? nullptr : found->second));
    end = weight.offset + weight.bytes;
  }
  if (header.dataBytes - end < weightTailBytes)
    return damaged("expected " + std::to_string(weightTailBytes) +
                   " bytes behind the last weight, found " +
                   std::to_string(header.dataBytes - end));
  return Status::ok();
}

} // namespace

std::string_view Artifact::Impl::find(const std::string &name) const {
  const auto found = members.find(name);
  return found == members.end() ? std::string_view() : found->second;
}

/// Maps the file and reads directory and manifest.
Status Artifact::Impl::openFile(const std::string &name) {
  path = name;
  Result<MappedFile> mapped = MappedFile::open(name);
  if (!mapped)
    return mapped.status();
  file = std::move(*mapped);
  const std::string_view bytes = file.bytes();
  if (bytes.empty())
    return damaged("expected a compiled model, found an empty file").at(path);
  Result<std::vector<ZipMember>> listed = readZip(bytes);
  if (!listed)
    return listed.status().at(path);
  const ZipMember *own = nullptr;
  for (const ZipMember &member : *listed) {
    members.emplace(member.name, bytes.substr(member.offset, member.bytes));
    if (member.name == manifestMember)
      own = &member;
    if (member.name == weightsMember)
      weightsFileOffset = member.offset;
  }
  if (!own)
    return damaged("expected a compiled model with " +
                   std::string(manifestMember) +
                   ", found a zip file without it")
        .at(path);
  const std::string_view text = find(manifestMember);
  if (crc32Of(text) != own->crc)
    return damaged("expected the CRC-32 of the zip directory, found another; "
                   "the file is damaged, compile or copy it again")
        .at(path + ": " + manifestMember);
  Result<Manifest> parsed = Manifest::fromJson(text);
  if (!parsed)
    return parsed.status().at(path + ": " + manifestMember);
  manifest = std::move(*parsed);
  return Status::ok();
}

/// Every member is listed, present and, but for the weights, undamaged.
Status Artifact::Impl::checkMembers() const {
  size_t expected = 1; // the manifest
  for (const MemberDesc &member : manifest.members) {
    const auto found = members.find(member.path);
    if (found == members.end())
      return damaged("expected this member, found none")
          .at(path + ": " + member.path);
    if (found->second.size() != member.bytes)
      return damaged("expected " + std::to_string(member.bytes) +
                     " bytes, found " + std::to_string(found->second.size()))
          .at(path + ": " + member.path);
    if (member.path != weightsMember)
      if (Status sums = checkSums(found->second, member.checksum); !sums)
        return sums.at(path + ": " + member.path);
    ++expected;
  }
  expected += members.count(weightsPaddingMember);
  if (members.size() == expected)
    return Status::ok();
  for (const auto &[name, bytes] : members) {
    bool known = name == manifestMember || name == weightsPaddingMember;
    for (const MemberDesc &member : manifest.members)
      known = known || member.path == name;
    if (!known)
      return damaged("expected members of the manifest only, found '" + name +
                     "'")
          .at(path);
  }
  return Status::ok();
}

Status Artifact::Impl::openWeights(const OpenOptions &options) {
  const std::string_view bytes = find(weightsMember);
  if (manifest.weights.empty() && bytes.empty())
    return Status::ok();
  Result<SafetensorsHeader> header = parseSafetensors(bytes);
  if (!header)
    return header.status().at(path + ": " + weightsMember);
  if (Status agree = checkTensors(manifest.weights, *header); !agree)
    return agree.at(path + ": " + weightsMember);
  weights = bytes.substr(header->dataOffset);
  weightBase = weights.data();
  const bool aligned =
      (weightsFileOffset + header->dataOffset) % weightAlignment == 0;
  if (!aligned)
    warnings.push_back(path + ": weights are not aligned to " +
                       std::to_string(weightAlignment) +
                       " bytes (another zip tool wrote the file?); they are "
                       "copied to memory");
  if (!aligned || options.copyWeights) {
    Result<HugeBuffer> buffer = HugeBuffer::allocate(weights.size());
    if (!buffer)
      return buffer.status().at(path);
    std::memcpy(buffer->data(), weights.data(), weights.size());
    copy = std::move(*buffer);
    weightBase = copy.data();
  } else {
    file.adviseHugePages(weightsFileOffset);
  }
  return Status::ok();
}

Artifact::Artifact() : impl(std::make_unique<Impl>()) {}
Artifact::~Artifact() = default;

Result<std::unique_ptr<Artifact>> Artifact::open(const std::string &path,
                                                 const OpenOptions &options) {
  std::unique_ptr<Artifact> artifact(new Artifact());
  Impl &impl = *artifact->impl;
  DRAGOMAN_RETURN_IF_ERROR(impl.openFile(path));
  DRAGOMAN_RETURN_IF_ERROR(impl.checkMembers());
  DRAGOMAN_RETURN_IF_ERROR(impl.openWeights(options));
  if (options.verifyWeights)
    DRAGOMAN_RETURN_IF_ERROR(artifact->verifyWeights());
  return artifact;
}

const std::string &Artifact::path() const { return impl->path; }
const Manifest &Artifact::manifest() const { return impl->manifest; }

const std::vector<std::string> &Artifact::warnings() const {
  return impl->warnings;
}

Result<std::string_view> Artifact::member(std::string_view name) const {
  const auto found = impl->members.find(std::string(name));
  if (found == impl->members.end())
    return Status(StatusCode::NotFound, "no member '" + std::string(name) + "'",
                  impl->path);
  return found->second;
}

/// Indices of the table that point outside it.
Status Artifact::Impl::checkIndices(const EntryTable &table) const {
  const auto beyond = [](const char *what, uint64_t index, uint64_t size) {
    return damaged("expected one of " + std::to_string(size) + " " + what +
                   ", found index " + std::to_string(index));
  };
  for (const SlotDesc &slot : table.slots) {
    if (slot.space == SlotSpace::State && slot.index >= manifest.states.size())
      return beyond("states", slot.index, manifest.states.size());
    if (slot.space == SlotSpace::Weight &&
        slot.index >= manifest.weights.size())
      return beyond("weights", slot.index, manifest.weights.size());
  }
  for (const Command &command : table.commands)
    if (command.kind == CommandKind::Dispatch &&
        command.kernel >= manifest.kernels.size())
      return beyond("kernels", command.kernel, manifest.kernels.size());
  return Status::ok();
}

Result<EntryTable> Artifact::entry(std::string_view name) const {
  const std::string path = commandsMember(name);
  const std::string where = impl->path + ": " + path;
  Result<std::string_view> bytes = member(path);
  if (!bytes) {
    std::string known;
    for (const std::string &entry : impl->manifest.entries)
      known += (known.empty() ? "" : ", ") + entry;
    return Status(StatusCode::NotFound,
                  "expected one of the entries " + known + ", found '" +
                      std::string(name) + "'",
                  impl->path);
  }
  Result<EntryTable> table = parseEntry(*bytes);
  if (!table)
    return table.status().at(where);
  if (table->name != name)
    return damaged("expected entry '" + std::string(name) + "', found '" +
                   table->name + "'")
        .at(where);
  if (Status indices = impl->checkIndices(*table); !indices)
    return indices.at(where);
  return table;
}

const void *Artifact::weightData(size_t index) const {
  assert(index < impl->manifest.weights.size() && "no such weight");
  return impl->weightBase + impl->manifest.weights[index].offset;
}

Status Artifact::verifyWeights() const {
  const std::string where = impl->path + ": " + weightsMember;
  for (const WeightDesc &weight : impl->manifest.weights) {
    Status sums = checkSums(impl->weights.substr(weight.offset, weight.bytes),
                            weight.checksum);
    if (!sums)
      return sums.at(where + ": weight '" + weight.name + "'");
  }
  // What is left is the header and the padding.
  for (const MemberDesc &member : impl->manifest.members)
    if (member.path == weightsMember)
      if (Status sums = checkSums(impl->find(weightsMember), member.checksum);
          !sums)
        return sums.at(where);
  return Status::ok();
}

} // namespace dragoman
