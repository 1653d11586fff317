//===- Translator.h - Lines in, translations out ----------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads lines into a window, translates the window's sentences together and
// hands the results on in input order: one result for each line, always. A
// blank line is answered without running the model; a line that fails has an
// error of its own and harms no other. Memory is bounded by the window.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_DECODE_TRANSLATOR_H
#define DRAGOMAN_RUNTIME_DECODE_TRANSLATOR_H

#include "runtime/decode/BatchDecoder.h"
#include "runtime/text/LineReader.h"
#include "runtime/text/Tokenizer.h"

#include <functional>
#include <string>
#include <vector>

namespace dragoman {

/// Where lines come from; LineReader's habits.
class LineSource {
public:
  virtual ~LineSource() = default;
  virtual Result<bool> next(LineReader::Line &line) = 0;
  virtual bool wouldBlock() = 0;
};

/// Lines to ids and back; Tokenizer's habits.
class TextCodec {
public:
  virtual ~TextCodec() = default;
  virtual Result<EncodedLine> encode(std::string_view line,
                                     size_t maxIds) const = 0;
  virtual std::string decode(std::span<const int64_t> ids) const = 0;
};

/// What to do with a line longer than the model takes.
enum class OnLong {
  Cut, ///< translate its beginning and warn
  Fail ///< answer with an error
};

struct TranslatorOptions {
  BatchOptions batch;
  int64_t windowLines = 2000;
  int64_t windowBytes = int64_t(64) << 20;
  /// How long to wait for more input before a window that is not full runs.
  int64_t waitMilliseconds = 50;
  OnLong onLong = OnLong::Cut;
  bool strictUtf8 = false; ///< a line with invalid bytes is an error
};

/// The answer to one line.
struct LineResult {
  int64_t number = 0; ///< counted from 1
  std::string source;
  std::vector<int64_t> sourceIds; ///< empty if blank or failed before the run
  bool blank = false;
  std::string error;                  ///< not empty: there is no translation
  std::vector<Hypothesis> hypotheses; ///< best first
  std::vector<std::string> texts;     ///< of the hypotheses
};

struct TranslatorStatistics {
  int64_t lines = 0;
  int64_t blank = 0;
  int64_t cut = 0;
  int64_t repairedLines = 0;
  int64_t failed = 0;
  double tokenizeSeconds = 0;
};

class Translator {
public:
  /// Takes the answers in input order; a failure ends the job.
  using Sink = std::function<Status(LineResult)>;
  /// Takes one warning about a line.
  using Warn = std::function<void(const std::string &)>;
  /// Called now and then with the number of lines answered so far.
  using Progress = std::function<void(int64_t lines)>;

  /// All arguments outlive the translator.
  Translator(StepModel &model, const TextCodec &codec, const EditRules &rules,
             const TranslatorOptions &options);

  void setWarn(Warn function) { warn = std::move(function); }
  void setProgress(Progress function) { progress = std::move(function); }

  /// Translates until the source ends. The Status is about the job as a whole.
  Status run(LineSource &source, const Sink &sink,
             const std::atomic<bool> *cancel = nullptr);

  const TranslatorStatistics &statistics() const { return counters; }
  const BatchStatistics &batchStatistics() const {
    return decoder.statistics();
  }

private:
  Result<bool> fillWindow(LineSource &source,
                          std::vector<LineReader::Line> &window,
                          const std::atomic<bool> *cancel);
  bool waitForInput(LineSource &source, bool patient,
                    const std::atomic<bool> *cancel) const;
  LineResult prepareLine(LineReader::Line &line);
  void encodeLine(LineResult &result);
  Status translateWindow(std::vector<LineResult> &results,
                         const std::atomic<bool> *cancel);
  void takeResult(LineResult &line, SearchResult result);
  void failLine(LineResult &line, std::string message);

  StepModel &model;
  const TextCodec &codec;
  TranslatorOptions options;
  BatchDecoder decoder;
  TranslatorStatistics counters;
  Warn warn;
  Progress progress;
  int64_t answered = 0;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_DECODE_TRANSLATOR_H
