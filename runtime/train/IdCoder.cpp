//===- IdCoder.cpp - Lines to ids for training ----------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/IdCoder.h"

#include "runtime/base/Hash.h"
#include "runtime/base/MappedFile.h"
#include "runtime/text/LineReader.h"
#include "runtime/text/SentencePiece.h"
#include "runtime/text/SentencePieceFile.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

using namespace dragoman;

namespace {

constexpr const char *startToken = "<s>";
constexpr const char *endToken = "</s>";
constexpr const char *unknownToken = "<unk>";
constexpr const char *padToken = "<pad>";

bool isSeparator(char c) {
  return c == ' ' || c == '\t' || c == '\0' || c == '\r' || c == '\v' ||
         c == '\f';
}

/// What both kinds of vocabularies share: tokens, their ids, the special ones.
class TableCoder : public IdCoder {
protected:
  /// Indexes the tokens and finds the special ones.
  Status index() {
    if (std::find(allTokens.begin(), allTokens.end(), padToken) ==
        allTokens.end())
      allTokens.push_back(padToken);
    for (size_t id = 0; id < allTokens.size(); ++id)
      ids.emplace(allTokens[id], static_cast<int32_t>(id));
    for (const char *needed : {endToken, unknownToken})
      if (!ids.count(needed))
        return Status(StatusCode::InvalidData,
                      "expected token '" + std::string(needed) + "', found " +
                          std::to_string(allTokens.size()) +
                          " tokens without it");
    specialIds.end = ids.at(endToken);
    specialIds.unknown = ids.at(unknownToken);
    specialIds.pad = ids.at(padToken);
    auto start = ids.find(startToken);
    specialIds.start = start == ids.end() ? specialIds.end : start->second;
    return Status::ok();
  }

  /// The id of a piece of text, never a special one.
  int32_t idOf(std::string_view piece) const {
    auto found = ids.find(piece);
    if (found == ids.end())
      return specialIds.unknown;
    int32_t id = found->second;
    bool isSpecial =
        id == specialIds.start || id == specialIds.end || id == specialIds.pad;
    return isSpecial ? specialIds.unknown : id;
  }

private:
  std::unordered_map<std::string_view, int32_t> ids; // views into allTokens
};

class PieceCoder final : public TableCoder {
public:
  Status load(std::string_view file) {
    Result<std::vector<SentencePieceEntry>> pieces =
        readSentencePieceFile(file);
    if (!pieces)
      return pieces.status();
    for (const SentencePieceEntry &piece : *pieces)
      allTokens.push_back(piece.text);
    fileHash = checksumOf(file);
    DRAGOMAN_RETURN_IF_ERROR(index());
    Result<std::unique_ptr<SentencePiece>> loaded = SentencePiece::load(file);
    if (!loaded)
      return loaded.status();
    model = std::move(*loaded);
    return Status::ok();
  }

  Result<std::vector<int32_t>> encode(std::string_view line) const override {
    std::string clean(line);
    std::replace(clean.begin(), clean.end(), '\0', ' ');
    Result<std::vector<std::string>> pieces = model->encode(clean);
    if (!pieces)
      return pieces.status();
    std::vector<int32_t> result;
    for (const std::string &piece : *pieces)
      result.push_back(idOf(piece));
    return result;
  }

private:
  std::unique_ptr<SentencePiece> model;
};

class WordCoder final : public TableCoder {
public:
  Status load(const std::string &path, std::string_view file) {
    fileHash = checksumOf(file);
    Result<std::unique_ptr<LineReader>> reader = LineReader::open(path);
    if (!reader)
      return reader.status();
    std::unordered_map<std::string, int64_t> seen;
    LineReader::Line line;
    for (;;) {
      Result<bool> more = (*reader)->next(line);
      if (!more)
        return more.status();
      if (!*more)
        break;
      auto refuse = [&](const std::string &text) {
        return Status(StatusCode::InvalidData, text,
                      "line " + std::to_string(line.number));
      };
      if (line.text.empty() ||
          std::any_of(line.text.begin(), line.text.end(), isSeparator))
        return refuse("expected one word without spaces, found '" + line.text +
                      "'");
      auto [first, isNew] = seen.emplace(line.text, line.number);
      if (!isNew)
        return refuse("expected every word once, found '" + line.text +
                      "' also in line " + std::to_string(first->second));
      allTokens.push_back(line.text);
    }
    return index();
  }

  Result<std::vector<int32_t>> encode(std::string_view line) const override {
    std::vector<int32_t> result;
    for (size_t at = 0; at < line.size();) {
      size_t end = at;
      while (end < line.size() && !isSeparator(line[end]))
        ++end;
      if (end > at)
        result.push_back(idOf(line.substr(at, end - at)));
      at = end + 1;
    }
    return result;
  }
};

} // namespace

std::string IdCoder::vocabularyJson() const {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (size_t id = 0; id < allTokens.size(); ++id)
    object[allTokens[id]] = id;
  return object.dump(0) + "\n";
}

Result<std::unique_ptr<IdCoder>>
dragoman::loadIdCoder(const std::string &type, const std::string &path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file)
    return file.status();
  if (type == "sentencepiece") {
    auto coder = std::make_unique<PieceCoder>();
    if (Status status = coder->load(file->bytes()); !status.isOk())
      return status.at(path);
    return std::unique_ptr<IdCoder>(std::move(coder));
  }
  if (type == "words") {
    auto coder = std::make_unique<WordCoder>();
    if (Status status = coder->load(path, file->bytes()); !status.isOk())
      return status.at(path);
    return std::unique_ptr<IdCoder>(std::move(coder));
  }
  return Status(
      StatusCode::InvalidArgument,
      "expected a vocabulary of type sentencepiece or words, found '" + type +
          "'");
}
