//===- EmitArtifact.cpp - From a planned module to a .dgm -------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/driver/EmitArtifact.h"

#include "compiler/emit/CodeObject.h"
#include "compiler/emit/ModelImage.h"
#include "compiler/emit/TrainingImage.h"
#include "compiler/emit/WeightWriter.h"
#include "compiler/lowering/cpu/Lowering.h"
#include "runtime/artifact/Artifact.h"
#include "runtime/artifact/KernelAbi.h"
#include "runtime/device/cpu/CpuFeatures.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "llvm/Support/raw_ostream.h"

using namespace dragoman;

mlir::FailureOr<LevelCode> dragoman::emitLevel(mlir::ModuleOp module,
                                               const std::string &level) {
  Result<CpuTarget> target = CpuTarget::parse(level);
  if (!target)
    return module.emitError(target.status().toString());
  mlir::OwningOpRef<mlir::ModuleOp> code = lowerAllKernels(module, *target);
  if (!code)
    return mlir::failure();
  mlir::FailureOr<std::string> bytes = compileKernels(*code, *target);
  if (failed(bytes))
    return mlir::failure();
  return LevelCode{level, std::move(*bytes)};
}

CodeDesc dragoman::describeCode(const std::string &level) {
  CodeDesc desc;
  desc.level = level;
  desc.path = cpuCodeMember(level);
  if (const CpuLevel *known = findCpuLevel(level))
    desc.features = known->features;
  desc.abiVersion = kernelAbiVersion;
  return desc;
}

Status dragoman::writeArtifact(mlir::ModuleOp module,
                               const std::vector<LevelCode> &code,
                               const ArtifactExtras &extras,
                               const std::string &path) {
  mlir::FailureOr<ModelImage> image = buildModelImage(module);
  if (failed(image))
    return Status(StatusCode::Internal, "the module has no tables", path);
  std::vector<std::pair<std::string, std::string>> members;
  for (const EntryTable &entry : image->entries)
    members.emplace_back(commandsMember(entry.name), serializeEntry(entry));
  Manifest manifest;
  if (!extras.parameters.empty()) {
    mlir::FailureOr<TrainingDesc> training =
        describeTraining(module, extras.parameters, *image);
    if (failed(training))
      return Status(StatusCode::Internal, "the weights have no recipes", path);
    training->options = extras.trainingOptions;
    manifest.training = std::move(*training);
  }
  std::vector<std::string> names;
  for (const WeightDesc &weight : image->weights)
    names.push_back(weight.name);

  manifest.producer = std::string("dragoman ") + DRAGOMAN_VERSION;
  manifest.family = extras.family;
  manifest.sourceHash = extras.sourceHash;
  manifest.settings = extras.settings;
  manifest.text = extras.text;
  for (const LevelCode &level : code)
    manifest.code.push_back(describeCode(level.level));
  std::move(*image).describe(manifest);

  ArtifactWriter writer(std::move(manifest));
  for (auto &[name, bytes] : members)
    DRAGOMAN_RETURN_IF_ERROR(writer.addMember(name, std::move(bytes)));
  for (const LevelCode &level : code)
    DRAGOMAN_RETURN_IF_ERROR(
        writer.addMember(cpuCodeMember(level.level), level.bytes));
  for (const auto &[name, bytes] : extras.members)
    DRAGOMAN_RETURN_IF_ERROR(writer.addMember(name, bytes));
  std::string bytecode;
  llvm::raw_string_ostream stream(bytecode);
  if (failed(mlir::writeBytecodeToFile(module, stream)))
    return Status(StatusCode::Internal, "the IR cannot be written", path);
  DRAGOMAN_RETURN_IF_ERROR(writer.addMember(irMember, std::move(bytecode)));

  mlir::SymbolTable symbols(module);
  WeightWriter weights(module, extras.modelFolder);
  writer.setWeightSource([&](size_t index,
                             const ArtifactWriter::Sink &sink) -> Status {
    if (!extras.parameters.empty() && index + 1 == names.size())
      return writeParameters(module, extras.parameters, weights, sink);
    return weights.write(symbols.lookup<plan::WeightOp>(names[index]), sink);
  });
  return writer.finish(path);
}

Status dragoman::rewriteArtifact(const Artifact &artifact,
                                 const std::vector<LevelCode> &code,
                                 const std::string &path) {
  Manifest manifest = artifact.manifest();
  std::vector<MemberDesc> members = std::move(manifest.members);
  std::vector<CodeDesc> old = std::move(manifest.code);
  manifest.members.clear();
  manifest.code.clear();
  for (const LevelCode &level : code)
    manifest.code.push_back(describeCode(level.level));
  std::vector<uint64_t> sizes;
  for (const WeightDesc &weight : manifest.weights)
    sizes.push_back(weight.bytes);

  ArtifactWriter writer(std::move(manifest));
  for (const MemberDesc &member : members) {
    bool replaced = member.path == weightsMember ||
                    llvm::any_of(old, [&](const CodeDesc &desc) {
                      return desc.path == member.path;
                    });
    if (replaced)
      continue;
    Result<std::string_view> bytes = artifact.member(member.path);
    if (!bytes)
      return bytes.status();
    DRAGOMAN_RETURN_IF_ERROR(
        writer.addMember(member.path, std::string(*bytes)));
  }
  for (const LevelCode &level : code)
    DRAGOMAN_RETURN_IF_ERROR(
        writer.addMember(cpuCodeMember(level.level), level.bytes));
  writer.setWeightSource(
      [&](size_t index, const ArtifactWriter::Sink &sink) -> Status {
        return sink(artifact.weightData(index), sizes[index]);
      });
  return writer.finish(path);
}
