//===- SampleArtifact.h - A small artifact for tests ------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TEST_RUNTIME_ARTIFACT_SAMPLEARTIFACT_H
#define DRAGOMAN_TEST_RUNTIME_ARTIFACT_SAMPLEARTIFACT_H

#include "runtime/artifact/Artifact.h"

#include <string>
#include <vector>

namespace dragoman::test {

/// A manifest that uses every part; without what ArtifactWriter fills in.
inline Manifest sampleManifest() {
  Manifest manifest;
  manifest.producer = "dragoman 0.1.0";
  manifest.family = "marian";
  manifest.entries = {"main"};
  manifest.peak["main"] = *DimExpr::parse("4*B*S + 64");
  StateDesc state;
  state.tensor = {"self_k.0",
                  ElementType::F32,
                  {DimExpr::dim("Rows"), 4, DimExpr::dim("Cap"), 32}};
  state.layout = "panel16";
  manifest.states = {state};
  manifest.kernels = {{"k_linear_0", "linear", "#plan.schedule<>", {"B"}, 256}};
  manifest.sites = {{"/model/Gather", "index {value} of {bound}"}};
  manifest.weights.resize(2);
  manifest.weights[0] = {"bias", ElementType::F32, {5}};
  manifest.weights[1] = {"linear", ElementType::F32, {17, 3}, "panel16"};
  manifest.code = {
      {"x86-64-v3", cpuCodeMember("x86-64-v3"), {"avx2", "fma"}, 1}};
  manifest.settings = {{"num_beams", "4", "generation_config.json"},
                       {"length_penalty", "1.0", "generation_config.json"},
                       {"renormalize_logits", "true", "generation_config.json"},
                       {"bad_words_ids", "[[3999]]", "generation_config.json"},
                       {"eos_token_id", "0", "config.json"},
                       {"activation", "\"swish\"", "config.json"},
                       {"forced_bos_token_id", "null", "default"}};
  TextDesc text;
  text.sourceModel = "text/source.spm";
  text.targetModel = "text/target.spm";
  text.sourceVocab = text.targetVocab = "text/vocab.json";
  manifest.text = text;
  return manifest;
}

inline EntryTable sampleEntry() {
  EntryTable entry;
  entry.name = "main";
  entry.dims = {"B", "S"};
  entry.inputs = {
      {"x", ElementType::F32, {DimExpr::dim("B"), DimExpr::dim("S")}}};
  entry.outputs = {{"y", ElementType::F32, {DimExpr::dim("B"), 17}}};
  entry.slots = {{SlotSpace::Input, 0, 0, DimExpr::dim("B")},
                 {SlotSpace::Weight, 1, 0, 384},
                 {SlotSpace::Output, 0, 0, DimExpr::dim("B")}};
  Command command;
  command.slots = {0, 1, 2};
  command.dims = {DimExpr::dim("B")};
  command.tiles = DimExpr::dim("B");
  command.name = "linear";
  entry.commands = {command};
  return entry;
}

/// The stored bytes of the weights.
inline std::vector<std::string> sampleWeights() {
  std::vector<std::string> weights = {std::string(20, '\0'),
                                      std::string(384, '\0')};
  for (std::string &weight : weights)
    for (size_t i = 0; i < weight.size(); ++i)
      weight[i] = static_cast<char>(i * 37 + weight.size());
  return weights;
}

/// Hands out `weights` in pieces of 100 bytes.
inline ArtifactWriter::WeightSource
sourceOf(const std::vector<std::string> &weights) {
  return [weights](size_t index, const ArtifactWriter::Sink &sink) -> Status {
    std::string_view rest = weights[index];
    while (!rest.empty()) {
      const std::string_view piece = rest.substr(0, 100);
      DRAGOMAN_RETURN_IF_ERROR(sink(piece.data(), piece.size()));
      rest.remove_prefix(piece.size());
    }
    return Status::ok();
  };
}

inline Status addSampleMembers(ArtifactWriter &writer) {
  DRAGOMAN_RETURN_IF_ERROR(
      writer.addMember(commandsMember("main"), serializeEntry(sampleEntry())));
  DRAGOMAN_RETURN_IF_ERROR(
      writer.addMember("text/source.spm", "source pieces"));
  DRAGOMAN_RETURN_IF_ERROR(
      writer.addMember("text/target.spm", "target pieces"));
  DRAGOMAN_RETURN_IF_ERROR(writer.addMember("text/vocab.json", "{}"));
  DRAGOMAN_RETURN_IF_ERROR(writer.addMember(irMember, "ML\xEFRbytecode"));
  return writer.addMember(cpuCodeMember("x86-64-v3"), "\x7F"
                                                      "ELF code");
}

inline Status writeSample(const std::string &path,
                          Manifest manifest = sampleManifest()) {
  ArtifactWriter writer(std::move(manifest));
  DRAGOMAN_RETURN_IF_ERROR(addSampleMembers(writer));
  writer.setWeightSource(sourceOf(sampleWeights()));
  return writer.finish(path);
}

} // namespace dragoman::test

#endif // DRAGOMAN_TEST_RUNTIME_ARTIFACT_SAMPLEARTIFACT_H
