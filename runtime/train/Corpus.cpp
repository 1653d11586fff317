//===- Corpus.cpp - Sentence pairs as ids ---------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Corpus.h"

#include "runtime/base/AtomicFile.h"
#include "runtime/base/Hash.h"
#include "runtime/base/Quantities.h"
#include "runtime/train/CorpusReader.h"

#include <cstring>
#include <filesystem>
#include <type_traits>

using namespace dragoman;
namespace fs = std::filesystem;

namespace {

/// The first bytes of a cache file. Behind it: ids (i32, padded to 8 bytes),
/// their bounds (u64[2 * kept + 1]: source and target of each pair in turn),
/// line numbers (i64[kept]).
struct CacheHeader {
  char magic[8] = {'D', 'G', 'I', 'D', 'S', '0', '0', '1'};
  char key[checksumDigits] = {};
  char checksum[checksumDigits] = {}; ///< of everything behind the header
  uint64_t ids = 0;
  PairCounts counts;
};
static_assert(std::is_trivially_copyable_v<CacheHeader>);

std::string_view viewOf(const auto &values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(values[0])};
}

/// A corpus while it grows.
struct CorpusBytes {
  std::vector<int32_t> ids;
  std::vector<uint64_t> bounds = {0};
  std::vector<int64_t> lines;

  void add(const CodedPair &pair) {
    ids.insert(ids.end(), pair.source.begin(), pair.source.end());
    bounds.push_back(ids.size());
    ids.insert(ids.end(), pair.target.begin(), pair.target.end());
    bounds.push_back(ids.size());
    lines.push_back(pair.line);
  }

  /// Header and contents as they stand in a cache file.
  std::string finish(const std::string &key, const PairCounts &counts) {
    CacheHeader header;
    header.ids = ids.size();
    header.counts = counts;
    std::memcpy(header.key, key.data(), checksumDigits);
    if (ids.size() % 2 != 0)
      ids.push_back(0);
    Hasher hasher;
    for (std::string_view part : {viewOf(ids), viewOf(bounds), viewOf(lines)})
      hasher.update(part.data(), part.size());
    std::memcpy(header.checksum, hasher.digest().data(), checksumDigits);
    std::string bytes(reinterpret_cast<const char *>(&header), sizeof header);
    for (std::string_view part : {viewOf(ids), viewOf(bounds), viewOf(lines)})
      bytes += part;
    return bytes;
  }
};

/// Everything that decides the ids of a corpus.
Result<std::string> cacheKey(const CorpusFiles &files, const IdCoder &source,
                             const IdCoder &target, const PairFilter &filter) {
  Hasher hasher;
  for (const std::string &path : {files.source, files.target}) {
    if (path.empty())
      continue;
    Result<MappedFile> file = MappedFile::open(path);
    if (!file)
      return file.status();
    std::string size = std::to_string(file->bytes().size()) + "\n";
    hasher.update(size.data(), size.size());
    hasher.update(file->bytes().data(), file->bytes().size());
  }
  std::string settings =
      (files.target.empty() ? "table " : "files ") + source.hash() + " " +
      target.hash() + " " + std::to_string(filter.maxLength) + " " +
      std::to_string(filter.maxRatio) + " " +
      std::to_string(filter.dropCopies) + std::to_string(filter.dropDuplicates);
  hasher.update(settings.data(), settings.size());
  return hasher.digest();
}

} // namespace

PairCounts &PairCounts::operator+=(const PairCounts &other) {
  pairs += other.pairs;
  kept += other.kept;
  empty += other.empty;
  tooLong += other.tooLong;
  ratio += other.ratio;
  copies += other.copies;
  duplicates += other.duplicates;
  repairedLines += other.repairedLines;
  if (firstRepaired == 0)
    firstRepaired = other.firstRepaired;
  sourceTokens += other.sourceTokens;
  targetTokens += other.targetTokens;
  return *this;
}

std::string dragoman::describe(const PairCounts &counts) {
  std::string text =
      formatCount(counts.pairs) + " pairs: kept " + formatCount(counts.kept) +
      " (empty " + formatCount(counts.empty) + ", long " +
      formatCount(counts.tooLong) + ", ratio " + formatCount(counts.ratio);
  if (counts.copies > 0)
    text += ", copies " + formatCount(counts.copies);
  if (counts.duplicates > 0)
    text += ", duplicates " + formatCount(counts.duplicates);
  return text + "); " + formatCount(counts.sourceTokens) + " src + " +
         formatCount(counts.targetTokens) + " tgt tokens";
}

std::span<const int32_t> Corpus::source(int64_t pair) const {
  return {ids + bounds[2 * pair], ids + bounds[2 * pair + 1]};
}

std::span<const int32_t> Corpus::target(int64_t pair) const {
  return {ids + bounds[2 * pair + 1], ids + bounds[2 * pair + 2]};
}

/// Takes over the bytes of a cache file; an error if they are not what the key
/// stands for.
Status Corpus::parse(std::string_view bytes) {
  CacheHeader header, expected;
  Status damaged(StatusCode::InvalidData, "damaged cache file");
  if (bytes.size() < sizeof header)
    return damaged;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::string_view rest = bytes.substr(sizeof header);
  if (std::memcmp(header.magic, expected.magic, sizeof header.magic) != 0 ||
      std::string_view(header.key, checksumDigits) != key ||
      std::string_view(header.checksum, checksumDigits) != checksumOf(rest))
    return damaged;
  uint64_t idBytes = (header.ids + 1) / 2 * 8;
  uint64_t boundBytes = (2 * uint64_t(header.counts.kept) + 1) * 8;
  if (rest.size() != idBytes + boundBytes + uint64_t(header.counts.kept) * 8)
    return damaged;
  counters = header.counts;
  ids = reinterpret_cast<const int32_t *>(rest.data());
  bounds = reinterpret_cast<const uint64_t *>(rest.data() + idBytes);
  lines = reinterpret_cast<const int64_t *>(rest.data() + idBytes + boundBytes);
  return Status::ok();
}

Result<Corpus> Corpus::load(const CorpusFiles &files, const IdCoder &source,
                            const IdCoder &target, const PairFilter &filter,
                            const std::string &cacheFolder, Pool &pool) {
  Corpus corpus;
  corpus.textFiles = files;
  Result<std::string> key = cacheKey(files, source, target, filter);
  if (!key)
    return key.status();
  corpus.key = *key;
  std::string path =
      cacheFolder.empty() ? "" : cacheFolder + "/" + *key + ".ids";
  std::error_code failure;
  if (!path.empty() && fs::exists(path, failure)) {
    Result<MappedFile> mapping = MappedFile::open(path);
    // A damaged cache is made again.
    if (mapping && corpus.parse(mapping->bytes()).isOk()) {
      corpus.mapping = std::move(*mapping);
      corpus.cached = true;
      return corpus;
    }
  }
  CorpusBytes growing;
  Result<PairCounts> counts = readPairs(files, source, target, filter, pool,
                                        [&](const CodedPair &pair) {
                                          growing.add(pair);
                                          return Status::ok();
                                        });
  if (!counts)
    return counts.status();
  if (counts->kept == 0)
    return Status(StatusCode::InvalidData,
                  "expected at least one pair, found " + describe(*counts),
                  files.name());
  auto bytes = std::make_unique<std::string>(growing.finish(*key, *counts));
  if (path.empty()) {
    DRAGOMAN_RETURN_IF_ERROR(corpus.parse(*bytes));
    corpus.memory = std::move(bytes);
    return corpus;
  }
  fs::create_directories(cacheFolder, failure);
  DRAGOMAN_RETURN_IF_ERROR(writeFileAtomically(path, *bytes));
  bytes.reset();
  Result<MappedFile> mapping = MappedFile::open(path);
  if (!mapping)
    return mapping.status();
  DRAGOMAN_RETURN_IF_ERROR(corpus.parse(mapping->bytes()).at(path));
  corpus.mapping = std::move(*mapping);
  return corpus;
}
