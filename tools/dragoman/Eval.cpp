//===- Eval.cpp - dragoman eval -------------------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/eval/Metric.h"
#include "runtime/text/LineReader.h"
#include "tools/dragoman/Console.h"
#include "tools/dragoman/Output.h"
#include "tools/dragoman/SubCommand.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

using namespace dragoman;

namespace {

struct EvalOptions {
  std::string input = "-";
  std::vector<std::string> references;
  std::vector<std::string> metrics = {"bleu", "chrf"};
  std::string tokens = "13a";
  std::string format = "text";
  bool lowercase = false;
  bool sentences = false;
  int64_t resamples = 0;
};

Result<std::vector<std::string>> readLines(const std::string &path) {
  Result<std::unique_ptr<LineReader>> reader = LineReader::open(path);
  if (!reader)
    return reader.status();
  std::vector<std::string> lines;
  LineReader::Line line;
  for (;;) {
    Result<bool> more = (*reader)->next(line);
    if (!more)
      return more.status();
    if (!*more)
      return lines;
    lines.push_back(std::move(line.text));
  }
}

/// "BLEU|nrefs:1|...|version:dragoman-0.1.0 = 24.13 (mean = 24.10 +- 0.52)
/// 58.1/30.2/...".
std::string corpusLine(const Metric &metric, const std::string &signature,
                       const CorpusScore &score, bool resampled) {
  char number[64];
  std::snprintf(number, sizeof number, " = %.2f", score.score);
  std::string text = metric.name() + "|" + signature + number;
  if (resampled) {
    std::snprintf(number, sizeof number, " (mean = %.2f +- %.2f)", score.mean,
                  score.interval);
    text += number;
  }
  return text + (score.details.empty() ? "" : " " + score.details);
}

nlohmann::ordered_json corpusJson(const Metric &metric,
                                  const std::string &signature,
                                  const CorpusScore &score, bool resampled) {
  nlohmann::ordered_json object = {{"name", metric.name()},
                                   {"score", score.score},
                                   {"signature", signature}};
  if (resampled) {
    object["mean"] = score.mean;
    object["interval"] = score.interval;
  }
  if (!score.details.empty())
    object["details"] = score.details;
  return object;
}

/// One line for each line of input: the metrics' scores, tab-separated.
std::string
sentenceLines(const std::vector<std::unique_ptr<Metric>> &metrics,
              const std::vector<std::string> &hypotheses,
              const std::vector<std::vector<std::string>> &references) {
  std::string text;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    std::vector<std::string> lines;
    for (const std::vector<std::string> &reference : references)
      lines.push_back(reference[i]);
    for (size_t m = 0; m < metrics.size(); ++m) {
      char number[32];
      std::snprintf(
          number, sizeof number, "%.2f",
          metrics[m]->score(metrics[m]->counts(hypotheses[i], lines)));
      text += (m ? "\t" : "") + std::string(number);
    }
    text += "\n";
  }
  return text;
}

Result<std::string> evaluate(const EvalOptions &options) {
  Result<MetricTokens> tokens = parseMetricTokens(options.tokens);
  if (!tokens)
    return tokens.status().at("--tok");
  std::vector<std::unique_ptr<Metric>> metrics;
  for (const std::string &name : options.metrics) {
    Result<std::unique_ptr<Metric>> metric =
        makeMetric(name, {*tokens, options.lowercase, options.sentences});
    if (!metric)
      return metric.status().at("--metric");
    metrics.push_back(std::move(*metric));
  }
  std::vector<std::vector<std::string>> references;
  for (const std::string &path : options.references) {
    Result<std::vector<std::string>> lines = readLines(path);
    if (!lines)
      return lines.status();
    references.push_back(std::move(*lines));
  }
  Result<std::vector<std::string>> hypotheses = readLines(options.input);
  if (!hypotheses)
    return hypotheses.status();
  std::string text;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::unique_ptr<Metric> &metric : metrics) {
    Result<CorpusScore> score =
        scoreCorpus(*metric, *hypotheses, references, options.resamples);
    if (!score)
      return score.status();
    std::string signature =
        metric->signature(references.size(), "dragoman-" DRAGOMAN_VERSION);
    text +=
        corpusLine(*metric, signature, *score, options.resamples > 0) + "\n";
    list.push_back(
        corpusJson(*metric, signature, *score, options.resamples > 0));
  }
  if (options.sentences)
    return sentenceLines(metrics, *hypotheses, references);
  return options.format == "json" ? list.dump(1) + "\n" : text;
}

int runEval(const EvalOptions &options, Console &console) {
  Result<std::string> text = evaluate(options);
  if (!text)
    return reportFailure(console, text.status());
  Result<std::unique_ptr<Output>> output = Output::open("-");
  if (!output)
    return reportFailure(console, output.status());
  Status status = (*output)->write(*text);
  if (status.isOk())
    status = (*output)->finish();
  return status.isOk() ? exitOk : reportFailure(console, status);
}

} // namespace

SubCommand dragoman::addEval(CLI::App &program, Console &console) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App *parser =
      program.add_subcommand("eval", "Score translations against references");
  parser
      ->add_option("--ref", options->references,
                   "Files of references, also .gz; several for several "
                   "references of a line")
      ->required()
      ->delimiter(',')
      ->type_name("FILE");
  parser
      ->add_option("-i,--input", options->input,
                   "File of translations; - = standard input")
      ->capture_default_str()
      ->type_name("FILE");
  parser
      ->add_option("--metric", options->metrics,
                   "bleu, chrf, exact [bleu,chrf]")
      ->delimiter(',')
      ->type_name("NAME");
  parser
      ->add_option("--tok", options->tokens,
                   "Words of BLEU: 13a, none, zh or char")
      ->capture_default_str()
      ->type_name("NAME");
  parser->add_flag("--lc", options->lowercase, "Ignore case");
  parser->add_flag("--sentences", options->sentences,
                   "Print the scores of every line instead");
  parser
      ->add_option("--bootstrap", options->resamples,
                   "Resamples for a 95 % interval; 0 = none")
      ->check(CLI::Range(int64_t(0), int64_t(1) << 20))
      ->capture_default_str();
  parser->add_option("--format", options->format, "text or json [text]")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
  return {parser, [options, &console] { return runEval(*options, console); }};
}
