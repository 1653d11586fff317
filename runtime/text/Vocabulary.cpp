//===- Vocabulary.cpp - vocab.json ----------------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/text/Vocabulary.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace dragoman {

namespace {

using Json = nlohmann::json;

/// A logits matrix may be wider than the vocabulary by fewer rows than this and
/// still count as padded.
constexpr int64_t maxPaddingRows = 128;

/// Collects the pairs in file order, so that a token given twice is seen, and
/// stops at the first value that is no integer.
class PairCollector : public nlohmann::json_sax<Json> {
public:
  std::vector<std::pair<std::string, int64_t>> pairs;
  std::string problem;

  bool null() override { return otherValue("null"); }
  bool boolean(bool) override { return otherValue("a boolean"); }
  bool number_float(double, const std::string &text) override {
    return otherValue("number " + text);
  }
  bool string(std::string &) override { return otherValue("a string"); }
  bool binary(Json::binary_t &) override { return otherValue("binary data"); }
  bool start_array(size_t) override { return otherValue("an array"); }
  bool end_array() override { return true; }
  bool end_object() override { return true; }
  bool start_object(size_t) override {
    if (open)
      return otherValue("an object");
    open = true;
    return true;
  }
  bool key(std::string &text) override {
    pairs.emplace_back(std::move(text), -1);
    return true;
  }
  bool number_integer(int64_t value) override {
    if (!open)
      return otherValue("a number");
    pairs.back().second = value;
    return value >= 0 || otherValue("number " + std::to_string(value));
  }
  bool number_unsigned(uint64_t value) override {
    if (value > static_cast<uint64_t>(INT64_MAX))
      return otherValue("number " + std::to_string(value));
    return number_integer(static_cast<int64_t>(value));
  }
  bool parse_error(size_t position, const std::string &,
                   const nlohmann::detail::exception &) override {
    problem =
        "expected a JSON object from token to id, found an error at byte " +
        std::to_string(position);
    return false;
  }

private:
  bool otherValue(const std::string &found) {
    problem = open ? "expected an id >= 0 for token '" + pairs.back().first +
                         "', found " + found
                   : "expected a JSON object from token to id, found " + found;
    return false;
  }
  bool open = false;
};

Status damaged(std::string message) {
  return Status(StatusCode::InvalidData, std::move(message));
}

} // namespace

Result<Vocabulary> Vocabulary::parse(std::string_view json) {
  if (json.empty())
    return damaged("expected a JSON object from token to id, found an empty "
                   "file");
  PairCollector collector;
  if (!Json::sax_parse(json.begin(), json.end(), &collector))
    return damaged(collector.problem);
  const auto count = static_cast<int64_t>(collector.pairs.size());
  if (count == 0)
    return damaged("expected at least one token, found none");

  Vocabulary vocabulary;
  vocabulary.tokens.resize(collector.pairs.size());
  std::vector<bool> taken(collector.pairs.size());
  int64_t beyond = -1; // position of the first id that leaves a gap
  for (size_t i = 0; i < collector.pairs.size(); ++i) {
    auto &[token, id] = collector.pairs[i];
    if (id >= count) {
      if (beyond < 0)
        beyond = static_cast<int64_t>(i);
      continue;
    }
    if (taken[id])
      return damaged("expected one token for id " + std::to_string(id) +
                     ", found '" + vocabulary.tokens[id] + "' and '" + token +
                     "'");
    taken[id] = true;
    vocabulary.tokens[id] = std::move(token);
  }
  if (beyond >= 0) {
    const auto gap = std::find(taken.begin(), taken.end(), false);
    return damaged("expected ids 0 to " + std::to_string(count - 1) + " for " +
                   std::to_string(count) +
                   " tokens, found no token "
                   "with id " +
                   std::to_string(gap - taken.begin()) + ", but '" +
                   collector.pairs[beyond].first + "' with id " +
                   std::to_string(collector.pairs[beyond].second));
  }

  vocabulary.ids.reserve(vocabulary.tokens.size());
  for (int64_t id = 0; id < count; ++id) {
    const std::string &token = vocabulary.tokens[id];
    const auto [known, isNew] = vocabulary.ids.emplace(token, id);
    if (!isNew)
      return damaged("expected each token once, found '" + token +
                     "' with ids " + std::to_string(known->second) + " and " +
                     std::to_string(id));
  }
  return vocabulary;
}

std::optional<int64_t> Vocabulary::id(std::string_view token) const {
  const auto found = ids.find(token);
  if (found == ids.end())
    return std::nullopt;
  return found->second;
}

std::vector<std::string> Vocabulary::languageTags() const {
  std::vector<std::string> tags;
  for (const std::string &token : tokens)
    if (token.size() > 4 && token.compare(0, 2, ">>") == 0 &&
        token.compare(token.size() - 2, 2, "<<") == 0)
      tags.push_back(token);
  return tags;
}

Status checkVocabulary(const Vocabulary &vocabulary,
                       const VocabularyExpectation &expected,
                       std::string &warning) {
  warning.clear();
  const int64_t size = vocabulary.size();
  const std::string tokens = std::to_string(size) + " tokens";
  const int64_t width = expected.logitsWidth;
  if (width > 0 && size > width)
    return damaged("expected ids below the " + std::to_string(width) +
                   " columns of the logits, found '" + vocabulary.token(width) +
                   "' with id " + std::to_string(width));
  const bool configCountsPadding = expected.configSize == width &&
                                   size < width &&
                                   width - size < maxPaddingRows;
  if (expected.configSize > 0 && expected.configSize != size &&
      !configCountsPadding)
    return damaged("expected " + std::to_string(expected.configSize) +
                   " tokens (vocab_size of config.json), found " +
                   std::to_string(size));
  if (width > 0 && width - size >= maxPaddingRows)
    return damaged("expected a token for each of the " + std::to_string(width) +
                   " columns of the logits, found " + tokens);
  for (const std::string &token : expected.requiredTokens)
    if (!vocabulary.id(token))
      return damaged("expected token '" + token + "', found " + tokens +
                     " without it");
  if (width > size)
    warning =
        tokens + " but logits have " + std::to_string(width) + " columns; id " +
        std::to_string(size) +
        (width == size + 1 ? " has no token (padding row: it will be forbidden)"
                           : " to " + std::to_string(width - 1) +
                                 " have no token (padding rows: they will be "
                                 "forbidden)");
  return Status::ok();
}

} // namespace dragoman
