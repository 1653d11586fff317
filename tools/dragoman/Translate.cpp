//===- Translate.cpp - dragoman translate ---------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/AtomicFile.h"
#include "runtime/base/Quantities.h"
#include "runtime/decode/LoadedTranslator.h"
#include "runtime/decode/ResultWriter.h"
#include "tools/dragoman/CompilerProcess.h"
#include "tools/dragoman/Console.h"
#include "tools/dragoman/Environment.h"
#include "tools/dragoman/Interrupt.h"
#include "tools/dragoman/Output.h"
#include "tools/dragoman/SubCommand.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <sys/resource.h>

using namespace dragoman;
using nlohmann::json;

namespace {

struct TranslateOptions {
  std::string model;
  std::string input = "-";
  std::string output = "-";
  json settings = json::object(); ///< of the command line, by setting name
  TranslatorOptions translator;
  WriterOptions writer;
  std::string memory;
  std::string level;
  int threads = 0;
  bool quiet = false;
  bool strict = false;
  std::string stats; ///< "" = none, "-" = standard error, else a file
};

/// Times of a job that the translator does not know.
struct JobTimes {
  double load = 0;
  double total = 0;
};

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Shows what has been written before it reads the next window.
class FlushingSource : public LineSource {
public:
  FlushingSource(LineReader &reader, Output &output)
      : reader(reader), output(output) {}
  Result<bool> next(LineReader::Line &line) override {
    DRAGOMAN_RETURN_IF_ERROR(output.flush());
    return reader.next(line);
  }
  bool wouldBlock() override {
    if (!reader.wouldBlock())
      return false;
    // A failure stays in the buffer for the next flush to meet.
    (void)output.flush();
    return true;
  }

private:
  LineReader &reader;
  Output &output;
};

json statistics(const Translator &translator, const JobTimes &times) {
  const TranslatorStatistics &lines = translator.statistics();
  const BatchStatistics &batch = translator.batchStatistics();
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  double perSecond =
      times.total > 0 ? double(batch.targetTokens) / times.total : 0;
  return {{"lines", lines.lines},
          {"blank", lines.blank},
          {"cut", lines.cut},
          {"repaired", lines.repairedLines},
          {"failed", lines.failed},
          {"source_tokens", batch.sourceTokens},
          {"target_tokens", batch.targetTokens},
          {"decode_steps", batch.decodeSteps},
          {"decode_rows", batch.decodeRows},
          {"restarted", batch.restarted},
          {"seconds_load", times.load},
          {"seconds_tokenize", lines.tokenizeSeconds},
          {"seconds_encode", batch.encodeSeconds},
          {"seconds_decode", batch.decodeSeconds},
          {"seconds_total", times.total},
          {"target_tokens_per_second", perSecond},
          {"peak_rss_bytes", int64_t(usage.ru_maxrss) * 1024},
          {"planned_peak_bytes", batch.plannedPeak}};
}

void printSummary(Console &console, const json &numbers) {
  auto count = [&](const char *key) {
    return formatCount(numbers[key].get<int64_t>());
  };
  auto seconds = [&](const char *key) {
    char buffer[32];
    std::snprintf(buffer, sizeof(buffer), "%.2f s", numbers[key].get<double>());
    return std::string(buffer);
  };
  console.info(count("lines") + " lines (" + count("blank") + " blank, " +
               count("cut") + " cut, " + count("repaired") + " repaired, " +
               count("failed") + " failed), " + count("source_tokens") +
               " source and " + count("target_tokens") + " target tokens");
  console.info(
      "load " + seconds("seconds_load") + ", tokenise " +
      seconds("seconds_tokenize") + ", encode " + seconds("seconds_encode") +
      ", decode " + seconds("seconds_decode") + ", total " +
      seconds("seconds_total") + "; " +
      formatCount(int64_t(numbers["target_tokens_per_second"].get<double>())) +
      " tok/s; planned peak " +
      formatBytes(uint64_t(numbers["planned_peak_bytes"].get<int64_t>())) +
      ", resident " +
      formatBytes(uint64_t(numbers["peak_rss_bytes"].get<int64_t>())));
}

/// Prints what was asked for about a finished job.
Status report(const TranslateOptions &options, Console &console,
              const Translator &translator, const JobTimes &times) {
  json numbers = statistics(translator, times);
  if (!options.stats.empty() || console.showsProgress())
    printSummary(console, numbers);
  if (options.stats.empty() || options.stats == "-")
    return Status::ok();
  return writeFileAtomically(options.stats, numbers.dump(2) + "\n");
}

/// "12,400 lines  5,120 tok/s".
std::string progressText(int64_t lines, int64_t tokens, double seconds) {
  return formatCount(lines) + " lines  " +
         formatCount(seconds > 0 ? int64_t(double(tokens) / seconds) : 0) +
         " tok/s  " + formatDuration(seconds);
}

Status translateAll(const TranslateOptions &options, LoadedTranslator &loaded,
                    const EditRules &rules, JobTimes &times, Console &console,
                    bool &damaged) {
  Result<std::unique_ptr<LineReader>> reader = LineReader::open(options.input);
  if (!reader)
    return reader.status();
  Result<std::unique_ptr<Output>> output = Output::open(options.output);
  if (!output)
    return output.status();
  WriterOptions writerOptions = options.writer;
  writerOptions.nBest |= rules.settings().nBest.value > 1;
  ResultWriter writer(writerOptions, rules.settings(),
                      [&](const std::vector<int64_t> &ids) {
                        return loaded.tokenizer().pieces(ids);
                      });
  const std::atomic<bool> *cancel = catchInterrupts();
  loaded.model().setCancelFlag(cancel);
  Translator translator(loaded.model(), loaded.codec(), rules,
                        options.translator);
  translator.setWarn([&](const std::string &text) { console.warning(text); });
  Clock::time_point start = Clock::now();
  translator.setProgress([&](int64_t lines) {
    console.progress(progressText(
        lines, translator.batchStatistics().targetTokens, secondsSince(start)));
  });
  FlushingSource source(**reader, **output);
  DRAGOMAN_RETURN_IF_ERROR(translator.run(
      source,
      [&](LineResult result) {
        if (!result.error.empty())
          console.error("line " + std::to_string(result.number) + ": " +
                        result.error);
        return (*output)->write(writer.format(result));
      },
      cancel));
  DRAGOMAN_RETURN_IF_ERROR((*output)->finish());
  times.total = secondsSince(start);
  const TranslatorStatistics &counts = translator.statistics();
  damaged = counts.failed > 0 ||
            (options.strict && (counts.cut > 0 || counts.repairedLines > 0));
  return report(options, console, translator, times);
}

int runTranslate(TranslateOptions options, Console &console) {
  console.setQuiet(options.quiet);
  if (!options.memory.empty()) {
    Result<int64_t> bytes = parseBytes(options.memory);
    if (!bytes)
      return reportFailure(console, bytes.status().at("--memory"));
    options.translator.batch.memoryLimit = *bytes;
  }
  Clock::time_point start = Clock::now();
  Result<std::string> path =
      compiledPath(options.model, Environment::read().cacheFolder, console);
  if (!path)
    return reportFailure(console, path.status());
  ThreadPool pool(options.threads);
  LoadOptions load;
  load.level = options.level;
  SessionOptions session;
  session.pool = &pool;
  Result<std::unique_ptr<LoadedTranslator>> loaded =
      LoadedTranslator::load(*path, load, session);
  if (!loaded)
    return reportFailure(console, loaded.status());
  for (const std::string &text : (*loaded)->warnings())
    console.warning(text);
  std::vector<std::string> notices;
  Result<GenerationSettings> settings =
      (*loaded)->settings(options.settings, notices);
  if (!settings)
    return reportFailure(console, settings.status());
  for (const std::string &text : notices)
    console.note(text);
  EditRules rules(*settings, (*loaded)->model().limits());
  JobTimes times;
  times.load = secondsSince(start);
  bool damaged = false;
  Status status =
      translateAll(options, **loaded, rules, times, console, damaged);
  if (!status.isOk())
    return reportFailure(console, status);
  return damaged ? exitDamage : exitOk;
}

/// An option that sets a generation setting of the command line.
template <typename T>
void addSetting(CLI::App *parser, json &settings, const char *option,
                const char *key, const char *help) {
  parser->add_option_function<T>(
      option, [&settings, key](const T &value) { settings[key] = value; },
      help);
}

void addSearchOptions(CLI::App *parser, TranslateOptions &options) {
  json &settings = options.settings;
  auto add = [&](const char *option, const char *key, const char *help) {
    addSetting<int64_t>(parser, settings, option, key, help);
  };
  add("--beam", "num_beams", "Hypotheses kept at each step [model]");
  add("--n-best", "num_return_sequences",
      "Print this many translations of a line, as NUMBER ||| TEXT ||| F0= SUM "
      "||| SCORE [1]");
  addSetting<double>(parser, settings, "--length-penalty", "length_penalty",
                     "A score is the sum of log-probabilities divided by "
                     "length to this power [model]");
  parser->add_option_function<std::string>(
      "--early-stopping",
      [&settings](const std::string &value) {
        if (value == "true" || value == "false")
          settings["early_stopping"] = value == "true";
        else
          settings["early_stopping"] = value;
      },
      "When a beam search stops: false, true or never [model]");
  add("--min-length", "min_length",
      "Fewest tokens of a result, start token included [model]");
  add("--max-length", "max_length",
      "Most tokens of a result, start token included [model]");
  addSetting<double>(parser, settings, "--repetition-penalty",
                     "repetition_penalty",
                     "Divide the scores of tokens that occurred [model]");
  add("--no-repeat-ngram", "no_repeat_ngram_size",
      "Never repeat this many tokens in a row; 0 = off [model]");
  addSetting<std::string>(parser, settings, "--scoring", "scoring",
                          "Scoring convention: hf [hf]");
}

void addBatchOptions(CLI::App *parser, TranslateOptions &options) {
  BatchOptions &batch = options.translator.batch;
  constexpr int64_t most = int64_t(1) << 30;
  parser
      ->add_option("--threads", options.threads,
                   "Threads; 0 = the processors this process may use")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  parser
      ->add_option("--batch-tokens", batch.batchTokens,
                   "Hypotheses in a batch times its longest source")
      ->check(CLI::Range(int64_t(1), most))
      ->capture_default_str();
  parser
      ->add_option("--batch-rows", batch.maxRows, "Most hypotheses in a batch")
      ->check(CLI::Range(int64_t(1), most))
      ->capture_default_str();
  parser
      ->add_option("--window", options.translator.windowLines,
                   "Lines that are sorted by length together")
      ->check(CLI::Range(int64_t(1), most))
      ->capture_default_str();
  parser
      ->add_option("--max-wait-ms", options.translator.waitMilliseconds,
                   "How long an unfilled window waits for more input")
      ->check(CLI::Range(int64_t(0), most))
      ->capture_default_str();
  parser
      ->add_option("--memory", options.memory,
                   "Most memory beside the model file, such as 512MiB; "
                   "narrows the batch")
      ->type_name("SIZE");
  parser
      ->add_option("--cpu", options.level,
                   "Use the code of this feature level [best]")
      ->type_name("LEVEL");
}

void addTextOptions(CLI::App *parser, TranslateOptions &options) {
  static const std::map<std::string, ResultFormat> formats = {
      {"text", ResultFormat::Text},
      {"json", ResultFormat::Json},
      {"pieces", ResultFormat::Pieces},
      {"ids", ResultFormat::Ids}};
  static const std::map<std::string, OnLong> onLong = {{"cut", OnLong::Cut},
                                                       {"fail", OnLong::Fail}};
  parser
      ->add_option("-i,--input", options.input,
                   "File of lines, also .gz; - = standard input")
      ->capture_default_str()
      ->type_name("FILE");
  parser
      ->add_option("-o,--output", options.output,
                   "File that gets the results; - = standard output")
      ->capture_default_str()
      ->type_name("FILE");
  parser
      ->add_option("--format", options.writer.format,
                   "text, json, pieces or ids [text]; text that holds ||| is "
                   "safe in json only")
      ->transform(CLI::CheckedTransformer(formats).description(""))
      ->type_name("FORMAT");
  parser->add_flag("--scores", options.writer.scores,
                   "SCORE ||| before every line");
  parser
      ->add_option("--on-long", options.translator.onLong,
                   "A line longer than the model takes: cut or fail [cut]")
      ->transform(CLI::CheckedTransformer(onLong).description(""))
      ->type_name("ACTION");
  parser->add_flag("--strict-utf8", options.translator.strictUtf8,
                   "Refuse lines with invalid UTF-8 instead of repairing them");
  parser->add_flag("--strict", options.strict,
                   "Cut and repaired lines count as damage: exit code 3");
  parser->add_flag("--stats{-}", options.stats,
                   "Print a summary; --stats=FILE also writes it as JSON");
  parser->add_flag("-q,--quiet", options.quiet, "Print errors only");
}

} // namespace

SubCommand dragoman::addTranslate(CLI::App &program, Console &console) {
  auto options = std::make_shared<TranslateOptions>();
  CLI::App *parser = program.add_subcommand(
      "translate", "Translate lines: one line out for each line in");
  parser
      ->add_option("model", options->model,
                   "An artifact, or a model to be compiled into the cache "
                   "first")
      ->required()
      ->type_name("PATH");
  addTextOptions(parser, *options);
  addSearchOptions(parser, *options);
  addBatchOptions(parser, *options);
  return {parser,
          [options, &console] { return runTranslate(*options, console); }};
}
