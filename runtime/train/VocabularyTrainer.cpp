//===- VocabularyTrainer.cpp - Makes a vocabulary from text ---------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/VocabularyTrainer.h"

#include "runtime/text/LineReader.h"

#include <algorithm>
#include <exception>
#include <map>
#include <sentencepiece_trainer.h>

using namespace dragoman;

namespace {

/// The texts of all files, one after the other.
class TextFiles final : public sentencepiece::SentenceIterator {
public:
  explicit TextFiles(const std::vector<std::string> &files) : files(files) {
    Next();
  }

  bool done() const override { return isDone; }
  const std::string &value() const override { return text; }
  sentencepiece::util::Status status() const override {
    return sentencepiece::util::Status();
  }
  void Next() override {
    if (!rest.empty()) {
      text = std::move(rest);
      rest.clear();
      return;
    }
    LineReader::Line line;
    while (!advance(line))
      if (isDone)
        return;
    size_t tab = line.text.find('\t');
    text = line.text.substr(0, tab);
    if (tab == std::string::npos)
      return;
    std::string second = line.text.substr(tab + 1);
    rest = second.substr(0, second.find('\t'));
  }

  Status failure;

private:
  /// True if `line` is the next one; else a file ended, or all did.
  bool advance(LineReader::Line &line) {
    if (!reader && next == files.size()) {
      isDone = true;
      return false;
    }
    if (!reader) {
      auto opened = LineReader::open(files[next++]);
      if (!opened)
        return fail(opened.status());
      reader = std::move(*opened);
    }
    Result<bool> more = reader->next(line);
    if (!more)
      return fail(more.status());
    if (!*more)
      reader.reset();
    return *more;
  }
  bool fail(Status status) {
    failure = std::move(status);
    isDone = true;
    return false;
  }

  const std::vector<std::string> &files;
  size_t next = 0;
  std::unique_ptr<LineReader> reader;
  std::string text, rest;
  bool isDone = false;
};

constexpr const char *specialTokens[] = {"<unk>", "<s>", "</s>", "<pad>"};

/// The most frequent words, ties in order of bytes.
Result<std::string> listWords(TextFiles &texts,
                              const VocabularyOptions &options) {
  std::map<std::string, int64_t> counts;
  constexpr const char *spaces = " \t\r\v\f";
  for (; !texts.done(); texts.Next()) {
    const std::string &line = texts.value();
    for (size_t at = line.find_first_not_of(spaces); at != std::string::npos;) {
      size_t end = std::min(line.find_first_of(spaces, at), line.size());
      ++counts[line.substr(at, end - at)];
      at = line.find_first_not_of(spaces, end);
    }
  }
  if (!texts.failure.isOk())
    return texts.failure;
  std::string result;
  for (const char *token : specialTokens) {
    counts.erase(token);
    result += std::string(token) + "\n";
  }
  std::vector<std::pair<std::string, int64_t>> words(counts.begin(),
                                                     counts.end());
  std::stable_sort(
      words.begin(), words.end(),
      [](const auto &a, const auto &b) { return a.second > b.second; });
  int64_t left = options.size - 4;
  for (const auto &[word, count] : words)
    if (count >= options.leastCount && left-- > 0)
      result += word + "\n";
  return result;
}

/// What the library's reason means to the user: a text too small for the size
/// is the common one.
std::string trainingFailure(const std::string &reason,
                            const VocabularyOptions &options) {
  const std::string mark = "to a value <= ";
  size_t at = reason.find(mark);
  if (at == std::string::npos)
    return "training failed in SentencePiece: " + reason;
  at += mark.size();
  size_t end = reason.find_first_not_of("0123456789", at);
  return "expected a size of at most " + reason.substr(at, end - at) +
         " for this text, found " + std::to_string(options.size);
}

Result<std::string> trainPieces(TextFiles &texts,
                                const VocabularyOptions &options) {
  std::string model, reason;
  try {
    sentencepiece::util::Status status =
        sentencepiece::SentencePieceTrainer::Train(
            {{"vocab_size", std::to_string(options.size)},
             {"model_type", options.type},
             {"character_coverage", std::to_string(options.coverage)},
             {"pad_id", "3"},
             {"max_sentence_length", "1000000"},
             // The pieces depend on the number of threads.
             {"num_threads", "4"},
             {"minloglevel", "2"}},
            &texts, &model);
    if (!status.ok())
      reason = status.error_message();
  } catch (const std::exception &failure) {
    reason = failure.what();
  }
  if (!texts.failure.isOk())
    return texts.failure;
  if (!reason.empty())
    return Status(StatusCode::InvalidData, trainingFailure(reason, options));
  return model;
}

} // namespace

Result<std::string>
dragoman::trainVocabulary(const std::vector<std::string> &files,
                          const VocabularyOptions &options) {
  TextFiles texts(files);
  if (!texts.failure.isOk())
    return texts.failure;
  if (texts.done())
    return Status(StatusCode::InvalidData, "expected text, found none",
                  files.empty() ? "" : files[0]);
  if (options.type == "words")
    return listWords(texts, options);
  if (options.type == "unigram" || options.type == "bpe")
    return trainPieces(texts, options);
  return Status(StatusCode::InvalidArgument,
                "expected unigram, bpe or words, found '" + options.type + "'");
}
