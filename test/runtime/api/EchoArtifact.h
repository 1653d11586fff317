//===- EchoArtifact.h - A translator that repeats its input -----*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A whole .dgm of the four translator entries, written by hand, with the text
// files of models/multi30k-en-de (source and target share one vocabulary). Its
// translation of a line is the line, so tests of everything behind the compiler
// know what must come out.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TEST_RUNTIME_API_ECHOARTIFACT_H
#define DRAGOMAN_TEST_RUNTIME_API_ECHOARTIFACT_H

#include "runtime/artifact/Artifact.h"
#include "runtime/artifact/KernelAbi.h"
#include "runtime/base/MappedFile.h"
#include "runtime/device/cpu/CpuFeatures.h"

#include "gtest/gtest.h"

namespace dragoman::testing_support {

inline constexpr int64_t echoVocabulary = 4000;

inline EntryTable echoEntry(const std::string &name,
                            std::vector<std::string> dims,
                            std::vector<TensorDesc> inputs,
                            std::vector<TensorDesc> outputs) {
  EntryTable entry;
  entry.name = name;
  entry.dims = std::move(dims);
  entry.inputs = std::move(inputs);
  entry.outputs = std::move(outputs);
  auto addSlots = [&](const std::vector<TensorDesc> &tensors, SlotSpace space) {
    for (uint32_t i = 0; i < tensors.size(); ++i) {
      DimExpr bytes = elementSize(tensors[i].type);
      for (const DimExpr &extent : tensors[i].shape)
        bytes *= extent;
      entry.slots.push_back({space, i, 0, bytes});
    }
  };
  addSlots(entry.inputs, SlotSpace::Input);
  addSlots(entry.outputs, SlotSpace::Output);
  return entry;
}

inline std::vector<EntryTable> echoEntries() {
  using enum ElementType;
  auto d = [](const char *name) { return DimExpr::dim(name); };
  DimExpr b = d("B"), s = d("S"), r = d("R"), t = d("T"), k = d("K"),
          n = d("N"), e = d("E"), v = echoVocabulary;
  DimExpr selfBytes = d("Rows") * d("Cap") * 4,
          crossBytes = d("SrcRows") * d("SrcCap") * 4;
  EntryTable encode =
      echoEntry("encode", {"B", "S"},
                {{"input_ids", I64, {b, s}}, {"source_length", I64, {b}}},
                {{"last_hidden_state", F32, {b, s, 1}}});
  encode.commands = {
      {CommandKind::Dispatch, 0, {0, 2}, {b, s}, b, 0, "encode"}};

  EntryTable prepare = echoEntry(
      "prepare", {"B", "S", "SrcRows", "SrcCap"},
      {{"encoder_hidden_states", F32, {b, s, 1}}, {"source_row", I32, {b}}},
      {});
  prepare.slots.push_back({SlotSpace::State, 1, 0, crossBytes});
  prepare.commands = {{CommandKind::Dispatch,
                       1,
                       {0, 1, 2},
                       {b, s, d("SrcCap")},
                       b,
                       0,
                       "prepare"}};

  EntryTable decode =
      echoEntry("decode", {"R", "T", "K", "Rows", "Cap", "SrcRows", "SrcCap"},
                {{"input_ids", I64, {r, t}},
                 {"position", I64, {r}},
                 {"cache_row", I32, {r}},
                 {"rows", I32, {r, k}},
                 {"source_row", I32, {r, 1}},
                 {"source_length", I64, {r}}},
                {{"logits", F32, {r, t, v}}});
  decode.slots.push_back({SlotSpace::State, 0, 0, selfBytes});
  decode.slots.push_back({SlotSpace::State, 1, 0, crossBytes});
  decode.commands = {{CommandKind::CheckEqual, 0, {}, {t, 1}, 0, 0, "one"},
                     {CommandKind::Dispatch,
                      2,
                      {0, 1, 2, 3, 4, 5, 7, 8, 6},
                      {r, k, v, d("Cap"), d("SrcCap")},
                      r,
                      0,
                      "decode"}};

  EntryTable select = echoEntry(
      "select", {"N", "E"},
      {{"logits", F32, {n, v}},
       {"count", I64, {}},
       {"normalize", I64, {}},
       {"edit_id", I32, {n, e}},
       {"edit_kind", I32, {n, e}},
       {"edit_value", F32, {n, e}}},
      {{"values", F32, {n, 128}}, {"ids", I32, {n, 128}}, {"lse", F32, {n}}});
  select.commands = {{CommandKind::Dispatch,
                      3,
                      {0, 1, 2, 3, 4, 5, 6, 7, 8},
                      {n, v, e},
                      n,
                      0,
                      "select"}};
  return {encode, prepare, decode, select};
}

inline Manifest echoManifest() {
  Manifest manifest;
  manifest.producer = "test";
  manifest.family = "marian";
  auto d = [](const char *name) { return DimExpr::dim(name); };
  manifest.states = {
      {{"self_k.0", ElementType::F32, {d("Rows"), 1, d("Cap"), 1}},
       "rows",
       0,
       2},
      {{"cross_k.0", ElementType::F32, {d("SrcRows"), 1, d("SrcCap"), 1}},
       "rows",
       0,
       2}};
  manifest.kernels = {
      {"echo_encode", "embedding", "", {"B", "S"}, 0},
      {"echo_prepare", "cache_append", "", {"B", "S", "SrcCap"}, 0},
      {"echo_decode", "linear", "", {"R", "K", "V", "Cap", "SrcCap"}, 0},
      {"echo_select", "select", "", {"N", "V", "E"}, echoVocabulary * 4}};
  manifest.sites = {{"decode", "expected one token a row, found {value}"}};
  manifest.code = {{"x86-64-v3", "code/cpu/x86-64-v3.so",
                    findCpuLevel("x86-64-v3")->features, kernelAbiVersion}};
  const std::pair<const char *, const char *> settings[] = {
      {"decoder_start_token_id", "3999"},
      {"eos_token_id", "0"},
      {"pad_token_id", "3999"},
      {"forced_eos_token_id", "0"},
      {"bad_words_ids", "[[3999]]"},
      {"num_beams", "2"},
      {"max_length", "64"}};
  for (const auto &[name, value] : settings)
    manifest.settings.push_back({name, value, "generation_config.json"});
  manifest.settings.push_back({"max_position_embeddings", "64", "config.json"});
  manifest.text.emplace();
  manifest.text->sourceModel = "text/source.spm";
  manifest.text->targetModel = "text/target.spm";
  manifest.text->sourceVocab = manifest.text->targetVocab = "text/vocab.json";
  return manifest;
}

/// Writes the artifact below the test's temporary folder; returns its path.
inline std::string writeEchoArtifact(const std::string &name) {
  std::string path = testing::TempDir() + name;
  Manifest manifest = echoManifest();
  std::vector<EntryTable> entries = echoEntries();
  for (const EntryTable &entry : entries) {
    manifest.entries.push_back(entry.name);
    manifest.peak[entry.name] = entry.arenaBytes;
  }
  ArtifactWriter writer(manifest);
  auto add = [&](const std::string &member, Result<std::string> bytes) {
    ASSERT_TRUE(bytes.isOk()) << bytes.status().toString();
    Status status = writer.addMember(member, std::move(*bytes));
    ASSERT_TRUE(status.isOk()) << status.toString();
  };
  for (const EntryTable &entry : entries)
    add(commandsMember(entry.name), serializeEntry(entry));
  add(manifest.code[0].path, readFile(DRAGOMAN_TEST_KERNELS));
  const std::string folder =
      std::string(DRAGOMAN_SOURCE_DIR) + "/models/multi30k-en-de/";
  for (const char *file : {"source.spm", "target.spm", "vocab.json"})
    add(std::string("text/") + file, readFile(folder + file));
  Status status = writer.finish(path);
  EXPECT_TRUE(status.isOk()) << status.toString();
  return path;
}

} // namespace dragoman::testing_support

#endif // DRAGOMAN_TEST_RUNTIME_API_ECHOARTIFACT_H
