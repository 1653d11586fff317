//===- ResultWriter.cpp - Results as lines of text ------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/decode/ResultWriter.h"

#include <cstdio>
#include <nlohmann/json.hpp>

using namespace dragoman;
using nlohmann::ordered_json;

ResultWriter::ResultWriter(const WriterOptions &options,
                           const GenerationSettings &settings,
                           PieceFunction pieces)
    : options(options), settings(settings), pieces(std::move(pieces)) {}

/// Six decimals, whatever the locale.
static std::string shownScore(float score) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.6f", double(score));
  std::string text = buffer;
  for (char &c : text)
    if (c == ',')
      c = '.';
  return text;
}

std::string ResultWriter::format(const LineResult &result) const {
  if (options.format == ResultFormat::Json)
    return json(result);
  if (!options.nBest) {
    if (result.hypotheses.empty())
      return "\n";
    std::string line = body(result, 0) + "\n";
    return options.scores
               ? shownScore(result.hypotheses[0].score) + " ||| " + line
               : line;
  }
  std::string number = std::to_string(result.number - 1);
  if (result.hypotheses.empty())
    return number + " |||  ||| F0= 0.000000 ||| 0.000000\n";
  std::string lines;
  for (size_t i = 0; i < result.hypotheses.size(); ++i) {
    const Hypothesis &hypothesis = result.hypotheses[i];
    lines += number + " ||| " + body(result, i) +
             " ||| F0= " + shownScore(hypothesis.sum) + " ||| " +
             shownScore(hypothesis.score) + "\n";
  }
  return lines;
}

std::vector<std::string>
ResultWriter::piecesOf(const Hypothesis &hypothesis) const {
  std::vector<int64_t> ids;
  for (int32_t id : hypothesis.ids)
    if (!settings.isEos(id) && id != settings.pad.value)
      ids.push_back(id);
  return pieces(ids);
}

static std::string joined(const std::vector<std::string> &words) {
  std::string line;
  for (const std::string &word : words)
    line += (line.empty() ? "" : " ") + word;
  return line;
}

std::string ResultWriter::body(const LineResult &result,
                               size_t hypothesis) const {
  if (options.format == ResultFormat::Text)
    return result.texts[hypothesis];
  if (options.format == ResultFormat::Pieces)
    return joined(piecesOf(result.hypotheses[hypothesis]));
  std::vector<std::string> ids;
  for (int32_t id : result.hypotheses[hypothesis].ids)
    ids.push_back(std::to_string(id));
  return joined(ids);
}

std::string ResultWriter::json(const LineResult &result) const {
  ordered_json line;
  line["id"] = result.number - 1;
  line["source"] = result.source;
  line["hyps"] = ordered_json::array();
  for (size_t i = 0; i < result.hypotheses.size(); ++i) {
    const Hypothesis &hypothesis = result.hypotheses[i];
    ordered_json entry;
    entry["text"] = result.texts[i];
    entry["tokens"] = piecesOf(hypothesis);
    entry["ids"] = hypothesis.ids;
    // As doubles, so that the text gives the float's bits back.
    entry["score"] = double(hypothesis.score);
    entry["logprob"] = double(hypothesis.sum);
    entry["token_logprobs"] = std::vector<double>(
        hypothesis.tokenScores.begin(), hypothesis.tokenScores.end());
    entry["finish"] = finishReasonName(hypothesis.finish);
    line["hyps"].push_back(std::move(entry));
  }
  if (!result.error.empty()) {
    line["error"] = result.error;
    line["hyps"].push_back({{"text", ""},
                            {"tokens", ordered_json::array()},
                            {"ids", ordered_json::array()},
                            {"score", nullptr},
                            {"logprob", nullptr},
                            {"token_logprobs", ordered_json::array()},
                            {"finish", finishReasonName(FinishReason::Error)}});
  }
  return line.dump(-1, ' ', false, ordered_json::error_handler_t::replace) +
         "\n";
}
