//===- Model.cpp - A loaded model, shared by its sessions -------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/execute/Model.h"

#include "runtime/device/cpu/CpuDevice.h"
#include "runtime/execute/ModelImpl.h"

#include <algorithm>

using namespace dragoman;

Model::Impl::~Impl() {
  if (code) // nothing can be done about a failure here
    (void)device->unloadCode(code);
}

Status Model::Impl::loadCode(const LoadOptions &options) {
  const Manifest &manifest = source->manifest();
  Result<const CodeDesc *> chosen =
      chooseCode(manifest, source->name(), options);
  if (!chosen)
    return chosen.status();
  level = (*chosen)->level;
  Result<std::string_view> bytes = source->member((*chosen)->path);
  if (!bytes)
    return bytes.status();
  device = createCpuDevice();
  return device->loadCode(*bytes, source->name() + ":" + level, code);
}

Status Model::Impl::buildStates() {
  const std::vector<StateDesc> &states = source->manifest().states;
  for (const StateDesc &state : states)
    for (const DimExpr &extent : state.tensor.shape)
      for (std::string &name : extent.names())
        stateDims.push_back(std::move(name));
  std::sort(stateDims.begin(), stateDims.end());
  stateDims.erase(std::unique(stateDims.begin(), stateDims.end()),
                  stateDims.end());
  for (const StateDesc &state : states) {
    DimExpr bytes = elementSize(state.tensor.type);
    for (const DimExpr &extent : state.tensor.shape)
      bytes *= extent;
    size_t append = state.appendAxis;
    if (append >= state.tensor.shape.size())
      return Status(StatusCode::InvalidData,
                    "expected the append axis below " +
                        std::to_string(state.tensor.shape.size()) + ", found " +
                        std::to_string(state.appendAxis),
                    "state '" + state.tensor.name + "'");
    Result<DimProgram> bytesProgram = DimProgram::compile(bytes, stateDims);
    Result<DimProgram> capacityProgram =
        DimProgram::compile(state.tensor.shape[append], stateDims);
    for (const auto *program : {&bytesProgram, &capacityProgram})
      if (!*program)
        return program->status().at("state '" + state.tensor.name + "'");
    isFixedState.push_back(bytes.constant().has_value());
    stateBytes.push_back(std::move(*bytesProgram));
    stateCapacity.push_back(std::move(*capacityProgram));
  }
  return Status::ok();
}

Status Model::Impl::buildPrograms() {
  const Manifest &manifest = source->manifest();
  auto findKernel = [this](const KernelDesc &desc, DeviceKernel &out) {
    return device->findKernel(code, desc.symbol, out);
  };
  for (const std::string &name : manifest.entries) {
    Result<EntryTable> table = source->entry(name);
    if (!table)
      return table.status();
    Result<Program> program =
        Program::build(std::move(*table), manifest, findKernel);
    if (!program)
      return program.status().at(source->name());
    programs.emplace(name, std::move(*program));
  }
  return Status::ok();
}

Result<const Program *> Model::Impl::program(std::string_view name) const {
  auto it = programs.find(name);
  if (it != programs.end())
    return &it->second;
  std::string known;
  for (const auto &[entry, program] : programs)
    known += (known.empty() ? "" : ", ") + entry;
  return Status(StatusCode::NotFound, "expected one of the entries " + known +
                                          ", found '" + std::string(name) +
                                          "'");
}

Result<std::vector<uint64_t>>
Model::Impl::stateSizes(const std::vector<int64_t> &dims) const {
  for (size_t i = 0; i < dims.size(); ++i)
    if (dims[i] < 0)
      return Status(StatusCode::InvalidArgument,
                    "expected dimension '" + stateDims[i] +
                        "' of at least 0, found " + std::to_string(dims[i]));
  std::vector<uint64_t> sizes;
  for (size_t i = 0; i < stateBytes.size(); ++i) {
    std::string place =
        "state '" + source->manifest().states[i].tensor.name + "'";
    int64_t capacity = stateCapacity[i].evaluate(dims.data());
    if (!isFixedState[i] && capacity % 16 != 0)
      return Status(StatusCode::InvalidArgument,
                    "expected a capacity that is a multiple of 16, found " +
                        std::to_string(capacity),
                    place);
    int64_t bytes = stateBytes[i].evaluate(dims.data());
    if (bytes == INT64_MAX || bytes < 0)
      return Status(StatusCode::OutOfMemory,
                    "the size in bytes exceeds 64 bits", place);
    sizes.push_back(bytes);
  }
  return sizes;
}

Model::Model(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Model::~Model() = default;

Result<std::shared_ptr<const Model>>
Model::create(std::unique_ptr<ModelSource> source, const LoadOptions &options) {
  auto impl = std::make_unique<Impl>();
  impl->source = std::move(source);
  DRAGOMAN_RETURN_IF_ERROR(impl->loadCode(options));
  if (Status status = impl->buildStates(); !status)
    return status.at(impl->source->name());
  DRAGOMAN_RETURN_IF_ERROR(impl->buildPrograms());
  return std::shared_ptr<const Model>(new Model(std::move(impl)));
}

const std::string &Model::level() const { return impl->level; }
const ModelSource &Model::source() const { return *impl->source; }
std::string Model::name() const { return impl->source->name(); }
const Manifest &Model::manifest() const { return impl->source->manifest(); }
const std::vector<std::string> &Model::stateDims() const {
  return impl->stateDims;
}

const EntryTable *Model::entry(std::string_view name) const {
  auto it = impl->programs.find(name);
  return it == impl->programs.end() ? nullptr : &it->second.table;
}

Result<uint64_t> Model::memoryNeeded(std::span<const std::string> entries,
                                     const DimMap &dims, int workers) const {
  auto valuesOf = [&](const std::vector<std::string> &names)
      -> Result<std::vector<int64_t>> {
    std::vector<int64_t> values;
    for (const std::string &name : names) {
      auto it = dims.find(name);
      if (it == dims.end())
        return Status(StatusCode::InvalidArgument,
                      "expected a value of dimension '" + name + "'");
      values.push_back(it->second);
    }
    return values;
  };
  Result<std::vector<int64_t>> stateValues = valuesOf(impl->stateDims);
  if (!stateValues)
    return stateValues.status();
  Result<std::vector<uint64_t>> states = impl->stateSizes(*stateValues);
  if (!states)
    return states.status();
  uint64_t total = 0, arena = 0, scratch = 0, bookkeeping = 0;
  bool overflows = false;
  std::vector<bool> isNeeded = impl->isFixedState;
  isNeeded.flip();
  for (const std::string &name : entries) {
    Result<const Program *> program = impl->program(name);
    if (!program)
      return program.status();
    Result<std::vector<int64_t>> values = valuesOf((*program)->table.dims);
    if (!values)
      return values.status().at("entry '" + name + "'");
    int64_t bytes =
        (*program)->exprs[(*program)->arenaBytes].evaluate(values->data());
    overflows |= bytes == INT64_MAX;
    arena = std::max<uint64_t>(arena, std::max<int64_t>(bytes, 0));
    scratch = std::max<uint64_t>(scratch, (*program)->scratchBytes);
    for (uint32_t state : (*program)->states)
      isNeeded[state] = true;
    bookkeeping = std::max(bookkeeping, (*program)->bookkeepingBytes());
  }
  for (size_t i = 0; i < states->size(); ++i)
    if (isNeeded[i])
      overflows |= __builtin_add_overflow(total, (*states)[i], &total);
  overflows |= __builtin_mul_overflow(scratch, workers, &scratch);
  for (uint64_t bytes : {arena, scratch, bookkeeping})
    overflows |= __builtin_add_overflow(total, bytes, &total);
  return overflows ? UINT64_MAX : total;
}
