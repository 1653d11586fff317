//===- Manifest.h - What an artifact says about itself ----------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `manifest.json` is the first member of every artifact. It names everything
// else in the file: entries, states, kernels, check sites, weights, code
// objects, tokenizer files, generation settings with their origin, the peak
// formula, and a checksum for every member. docs/artifact.md describes it.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_ARTIFACT_MANIFEST_H
#define DRAGOMAN_RUNTIME_ARTIFACT_MANIFEST_H

#include "runtime/artifact/CommandTable.h"
#include "runtime/artifact/DimExpr.h"
#include "runtime/artifact/TrainingDesc.h"
#include "runtime/base/Status.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// The format this build writes, and the newest one it reads.
inline constexpr int32_t manifestFormat = 1;

/// Names of members at fixed places.
inline constexpr const char *manifestMember = "manifest.json";
inline constexpr const char *weightsMember = "weights/model.safetensors";
inline constexpr const char *weightsPaddingMember = "weights/padding";
inline constexpr const char *irMember = "ir/model.mlirbc";

/// Every weight starts at a multiple of this many bytes ...
inline constexpr uint64_t weightAlignment = 64;
/// ... and this many zero bytes follow the last one, so that a kernel's
/// prefetch may run past the end.
inline constexpr uint64_t weightTailBytes = 256u << 10;

/// "commands/<entry>.bin".
std::string commandsMember(std::string_view entry);
/// "code/cpu/<level>.so".
std::string cpuCodeMember(std::string_view level);

/// One constant tensor of the weight blob.
struct WeightDesc {
  std::string name;
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape = {}; ///< logical shape
  /// "rows": dense row-major of `shape`. "panel16": of a [N,K] tensor, bytes
  /// [ceil(N/16)][K][16], tail columns zero.
  std::string layout = "rows";
  /// Bytes from the start of the safetensors data; a multiple of 64. Filled by
  /// ArtifactWriter.
  uint64_t offset = 0;
  /// Stored bytes, without the padding behind them. Filled by ArtifactWriter.
  uint64_t bytes = 0;
  /// xxh3-128 of the stored bytes, 32 hex digits. Filled by ArtifactWriter.
  std::string checksum = {};
};

/// The shape that the stored bytes have: `shape` itself for "rows",
/// [ceil(N/16),K,16] for "panel16". An unknown layout, or one that does not fit
/// the rank, is an error naming the weight.
Result<std::vector<int64_t>> storedShape(const WeightDesc &weight);

/// Stored bytes by shape, layout and type; refuses overflow.
Result<uint64_t> storedBytes(const WeightDesc &weight);

/// One code object.
struct CodeDesc {
  std::string level;                 ///< "x86-64-v3"
  std::string path;                  ///< member that holds it
  std::vector<std::string> features; ///< CPU features it needs, "avx2", ...
  int32_t abiVersion = 1;            ///< kernelAbiVersion it was built for
};

/// A resolved setting (generation defaults, position table, vocabulary size).
struct Setting {
  std::string name;
  std::string value;  ///< JSON text: 4, true, "x", [[3999]]
  std::string origin; ///< "generation_config.json", "config.json", "default"
};

/// How lines become ids and back.
struct TextDesc {
  std::string kind = "marian"; ///< the tokenizer family
  std::string sourceModel;     ///< member paths: text/source.spm
  std::string targetModel;     ///< text/target.spm
  std::string sourceVocab;     ///< text/vocab.json
  std::string targetVocab;     ///< the same path if the vocabulary is shared
  std::string eosToken = "</s>";
  std::string unkToken = "<unk>";
  std::string padToken = "<pad>";
  /// `clean_up_tokenization_spaces` present and true in the tokenizer config.
  bool cleanUpSpaces = false;
};

/// A member of the file and its checksum. The manifest itself is not listed:
/// the zip directory's CRC-32 guards it.
struct MemberDesc {
  std::string path;
  uint64_t bytes = 0;
  std::string checksum = {}; ///< xxh3-128, 32 hex digits
};

struct Manifest {
  int32_t format = manifestFormat;
  std::string producer;   ///< "dragoman 0.1.0"
  std::string family;     ///< "marian"; "" for a plain module
  std::string sourceHash; ///< xxh3-128 over the source files, or ""
  std::vector<std::string> entries;
  /// Work memory of one run by entry, in the entry's dims.
  std::map<std::string, DimExpr> peak;
  std::vector<StateDesc> states;
  std::vector<KernelDesc> kernels;
  std::vector<SiteDesc> sites;
  std::vector<WeightDesc> weights; ///< in order of use
  std::vector<CodeDesc> code;
  std::vector<Setting> settings; ///< names are unique
  std::optional<TextDesc> text;
  std::optional<TrainingDesc> training; ///< of a model that can be trained
  std::vector<MemberDesc> members;      ///< filled by ArtifactWriter

  /// Readable JSON text, ending in a newline; keys in fixed order.
  std::string toJson() const;

  /// Parses and validates. Errors name the key as a path ("weights[3].shape"),
  /// what was expected and what was found. A newer format is refused, naming
  /// both. Unknown keys are ignored.
  static Result<Manifest> fromJson(std::string_view text);

  /// Checks everything that can be checked without the other members: names
  /// are unique, layouts and sizes agree, offsets ascend, paths are safe, and
  /// every member that the manifest refers to is listed.
  Status validate() const;

  /// The setting of that name, or null.
  const Setting *setting(std::string_view name) const;

  /// A typed setting: nothing if absent or null; an error if of another kind.
  Result<std::optional<int64_t>> settingInt(std::string_view name) const;
  Result<std::optional<double>> settingNumber(std::string_view name) const;
  Result<std::optional<bool>> settingBool(std::string_view name) const;
  Result<std::optional<std::string>> settingString(std::string_view name) const;
  /// A list of lists of ids, as bad_words_ids; a plain list or one integer
  /// counts as lists of one (eos_token_id may be either).
  Result<std::vector<std::vector<int64_t>>>
  settingIds(std::string_view name) const;

  /// Position of the weight of that name, or nothing.
  std::optional<size_t> weightIndex(std::string_view name) const;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_ARTIFACT_MANIFEST_H
