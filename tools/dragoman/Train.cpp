//===- Train.cpp - dragoman train -----------------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Report.h"
#include "tools/dragoman/Console.h"
#include "tools/dragoman/Interrupt.h"
#include "tools/dragoman/Output.h"
#include "tools/dragoman/SubCommand.h"
#include "tools/dragoman/TrainParts.h"
#include "tools/dragoman/TrainTools.h"

#include <CLI/CLI.hpp>
#include <memory>

using namespace dragoman;

namespace {

struct TrainOptions {
  std::string config;
  std::vector<std::string> overrides;
  std::string dump;
  std::string reset;
  bool noResume = false;
  bool dryRun = false;
  bool quiet = false;
  int64_t overfit = 0;
};

ResumeOptions resumeOptions(const TrainOptions &options) {
  ResumeOptions resume;
  resume.resume = !options.noResume;
  resume.resetOptimizer = options.reset == "optim";
  resume.resetData = options.reset == "data";
  resume.resetAll = options.reset == "all";
  return resume;
}

Status printConfig(const TrainConfig &config, bool full) {
  Result<std::unique_ptr<Output>> output = Output::open("-");
  if (!output)
    return output.status();
  DRAGOMAN_RETURN_IF_ERROR((*output)->write(dumpTrainConfig(config, full)));
  return (*output)->finish();
}

Status train(const TrainOptions &options, const TrainConfig &config,
             Console &console) {
  const std::atomic<bool> *stop = catchInterrupts();
  TrainRun run(config, console, stop);
  DRAGOMAN_RETURN_IF_ERROR(run.loadData());
  DRAGOMAN_RETURN_IF_ERROR(run.loadModel());
  DRAGOMAN_RETURN_IF_ERROR(run.describeModel());
  if (options.dryRun)
    return Status::ok();
  DRAGOMAN_RETURN_IF_ERROR(run.initialize());
  if (options.overfit > 0)
    return Trainer(run.parts()).overfit(options.overfit);
  DRAGOMAN_RETURN_IF_ERROR(run.loadDecoder());
  Trainer trainer(run.parts());
  DRAGOMAN_RETURN_IF_ERROR(trainer.resume(resumeOptions(options)));
  Result<TrainEnd> end = trainer.run();
  if (!end)
    return end.status();
  ReportExtras extras;
  extras.config = dumpTrainConfig(config, /*full=*/false);
  if (Result<std::vector<AlignmentPicture>> made = run.alignments())
    extras.alignments = std::move(*made);
  else
    console.warning("no alignments: " + made.status().toString());
  if (Status status = writeReport(config.run.out, extras); !status.isOk())
    console.warning("no report: " + status.toString());
  std::string where = trainer.lastSaved().empty()
                          ? ""
                          : "; " + config.run.out + "/" + trainer.lastSaved();
  if (*end == TrainEnd::Finished)
    console.info("finished" + where);
  else if (*end == TrainEnd::Patience)
    console.info("finished: " + config.run.metrics[0] + " did not improve in " +
                 std::to_string(config.run.patience) + " validations" + where);
  else
    console.info("stopped" + where);
  return Status::ok();
}

int runTrain(const TrainOptions &options, Console &console) {
  console.setQuiet(options.quiet);
  if (options.config.empty()) {
    console.error("expected a configuration file, or vocab, average, export or "
                  "report; see dragoman train --help");
    return exitUsage;
  }
  Result<TrainConfig> config =
      readTrainConfig(options.config, options.overrides);
  if (!config)
    return reportFailure(console, config.status());
  Status status;
  if (!options.dump.empty()) {
    status = printConfig(*config, options.dump == "full");
  } else {
    status = checkTrainConfig(*config).at(options.config);
    if (status.isOk())
      status = train(options, *config, console);
  }
  return status.isOk() ? exitOk : reportFailure(console, status);
}

} // namespace

SubCommand dragoman::addTrain(CLI::App &program, Console &console) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App *parser = program.add_subcommand(
      "train", "Train a model; goes on with the run in run.out");
  parser->require_subcommand(0, 1);
  parser->add_option("config", options->config, "Configuration, YAML")
      ->type_name("FILE");
  parser
      ->add_option("overrides", options->overrides,
                   "Settings over those of the file: optim.lr=1e-3")
      ->type_name("KEY=VALUE");
  parser->add_flag("--no-resume", options->noResume,
                   "Begin anew; the files of the run are set aside");
  parser
      ->add_option("--reset", options->reset,
                   "Go on, but with a new optimiser and schedule (optim), from "
                   "the first epoch (data), or with the parameters only (all)")
      ->check(CLI::IsMember({"optim", "data", "all"}))
      ->type_name("PART");
  parser->add_flag("--dry-run", options->dryRun,
                   "Show data, parameters and memory, and stop");
  parser
      ->add_option("--overfit", options->overfit,
                   "Train this many times on the first batch; saves nothing")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 40))
      ->type_name("N");
  parser
      ->add_option("--dump-config", options->dump,
                   "Print the settings and stop: full, or minimal (those that "
                   "are not the default)")
      ->expected(0, 1)
      ->default_str("full")
      ->check(CLI::IsMember({"full", "minimal"}))
      ->type_name("FORM");
  parser->add_flag("-q,--quiet", options->quiet, "Print errors only");
  std::vector<SubCommand> tools = addTrainTools(*parser, console);
  return {parser, [options, tools, &console] {
            for (const SubCommand &tool : tools)
              if (tool.parser->parsed())
                return tool.run();
            return runTrain(*options, console);
          }};
}
