//===- Translator.cpp - Lines in, translations out ------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/decode/Translator.h"

#include <algorithm>
#include <chrono>
#include <thread>

using namespace dragoman;

Translator::Translator(StepModel &model, const TextCodec &codec,
                       const EditRules &rules, const TranslatorOptions &options)
    : model(model), codec(codec), options(options),
      decoder(model, rules, options.batch) {}

Status Translator::run(LineSource &source, const Sink &sink,
                       const std::atomic<bool> *cancel) {
  bool more = true;
  while (more) {
    std::vector<LineReader::Line> window;
    Result<bool> read = fillWindow(source, window, cancel);
    if (!read)
      return read.status();
    more = *read;
    std::vector<LineResult> results;
    results.reserve(window.size());
    for (LineReader::Line &line : window)
      results.push_back(prepareLine(line));
    DRAGOMAN_RETURN_IF_ERROR(translateWindow(results, cancel));
    for (LineResult &result : results)
      DRAGOMAN_RETURN_IF_ERROR(sink(std::move(result)));
  }
  return Status::ok();
}

/// Reads until the window is full or the source idles; false at its end.
Result<bool> Translator::fillWindow(LineSource &source,
                                    std::vector<LineReader::Line> &window,
                                    const std::atomic<bool> *cancel) {
  int64_t bytes = 0;
  while (int64_t(window.size()) < options.windowLines &&
         bytes < options.windowBytes) {
    // Without a line there is nothing else to do than to wait.
    if (!waitForInput(source, /*patient=*/window.empty(), cancel)) {
      if (cancel && cancel->load(std::memory_order_relaxed))
        return Status(StatusCode::Cancelled, "cancelled");
      return true;
    }
    LineReader::Line line;
    Result<bool> read = source.next(line);
    if (!read || !*read)
      return read;
    bytes += int64_t(line.text.size());
    window.push_back(std::move(line));
  }
  return true;
}

/// True when there is input to read, false when the source has idled for too
/// long (a patient wait has no limit) or the job was cancelled.
bool Translator::waitForInput(LineSource &source, bool patient,
                              const std::atomic<bool> *cancel) const {
  constexpr int64_t slice = 2;
  for (int64_t waited = 0; source.wouldBlock(); waited += slice) {
    if (!patient && waited >= options.waitMilliseconds)
      return false;
    if (cancel && cancel->load(std::memory_order_relaxed))
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(slice));
  }
  return true;
}

/// Tokenises a line and answers it at once if there is nothing to run.
LineResult Translator::prepareLine(LineReader::Line &line) {
  LineResult result;
  result.number = line.number;
  result.source = std::move(line.text);
  ++counters.lines;
  if (line.repaired > 0) {
    ++counters.repairedLines;
    std::string what = std::to_string(line.repaired) +
                       (line.repaired == 1 ? " byte is" : " bytes are") +
                       " not valid UTF-8";
    if (options.strictUtf8) {
      failLine(result, what);
      return result;
    }
    if (warn)
      warn("line " + std::to_string(line.number) + ": " + what +
           ", replaced by U+FFFD");
  }
  encodeLine(result);
  return result;
}

void Translator::encodeLine(LineResult &result) {
  int64_t limit = model.limits().sourcePositions;
  auto start = std::chrono::steady_clock::now();
  Result<EncodedLine> encoded = codec.encode(result.source, size_t(limit));
  counters.tokenizeSeconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  if (!encoded)
    return failLine(result, encoded.status().toString());
  std::string place = "line " + std::to_string(result.number) + ": ";
  if (!encoded->warning.empty() && warn)
    warn(place + encoded->warning);
  if (encoded->blank || encoded->ids.empty()) {
    ++counters.blank;
    result.blank = true;
    return;
  }
  // The model would refuse such an id in the middle of a batch.
  for (int64_t id : encoded->ids)
    if (id < 0 || id >= model.limits().vocabulary)
      return failLine(result, "token id " + std::to_string(id) +
                                  " is outside the vocabulary of " +
                                  std::to_string(model.limits().vocabulary));
  if (encoded->fullLength > encoded->ids.size()) {
    std::string what = std::to_string(encoded->fullLength) +
                       " tokens, model limit " + std::to_string(limit);
    if (options.onLong == OnLong::Fail)
      return failLine(result, what);
    ++counters.cut;
    if (warn)
      warn(place + what + "; cut (--on-long=fail refuses such a line)");
  }
  result.sourceIds = std::move(encoded->ids);
}

Status Translator::translateWindow(std::vector<LineResult> &results,
                                   const std::atomic<bool> *cancel) {
  std::vector<SourceIds> sources;
  std::vector<size_t> lines;
  for (size_t i = 0; i < results.size(); ++i) {
    const std::vector<int64_t> &ids = results[i].sourceIds;
    if (ids.empty())
      continue;
    sources.emplace_back(ids.begin(), ids.end());
    lines.push_back(i);
  }
  answered += int64_t(results.size() - lines.size());
  Status status = decoder.run(
      sources,
      [&](size_t sentence, SearchResult result) {
        takeResult(results[lines[sentence]], std::move(result));
        ++answered;
        if (progress)
          progress(answered);
      },
      cancel);
  return status;
}

void Translator::takeResult(LineResult &line, SearchResult result) {
  if (!result.error.empty())
    return failLine(line, std::move(result.error));
  line.hypotheses = std::move(result.hypotheses);
  for (const Hypothesis &hypothesis : line.hypotheses) {
    std::vector<int64_t> ids(hypothesis.ids.begin(), hypothesis.ids.end());
    line.texts.push_back(codec.decode(ids));
  }
}

void Translator::failLine(LineResult &line, std::string message) {
  ++counters.failed;
  line.error = std::move(message);
}
