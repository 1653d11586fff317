//===- Inspect.cpp - dragoman inspect -------------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/Artifact.h"
#include "tools/dragoman/Console.h"
#include "tools/dragoman/InspectReport.h"
#include "tools/dragoman/Output.h"
#include "tools/dragoman/SubCommand.h"

#include <CLI/CLI.hpp>
#include <memory>

using namespace dragoman;

namespace {
struct InspectOptions {
  std::string model;
  std::vector<int64_t> memory; ///< B, S, T, beam
  bool json = false;
  bool verify = false;
};
} // namespace

static Status inspect(const InspectOptions &options, Console &console) {
  Result<std::unique_ptr<Artifact>> artifact = Artifact::open(options.model);
  if (!artifact)
    return artifact.status();
  for (const std::string &text : (*artifact)->warnings())
    console.warning(text);
  if (options.verify)
    DRAGOMAN_RETURN_IF_ERROR((*artifact)->verifyWeights());
  Result<nlohmann::ordered_json> report =
      inspectReport(**artifact, options.memory);
  if (!report)
    return report.status();
  if (options.verify)
    (*report)["verified"] = true;
  Result<std::unique_ptr<Output>> output = Output::open("-");
  if (!output)
    return output.status();
  DRAGOMAN_RETURN_IF_ERROR((*output)->write(
      options.json ? report->dump(2) + "\n" : formatReport(*report)));
  return (*output)->finish();
}

SubCommand dragoman::addInspect(CLI::App &program, Console &console) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App *parser = program.add_subcommand(
      "inspect", "Print what an artifact holds: entries, commands, kernels, "
                 "weights, states, settings, memory");
  parser->add_option("model", options->model, "An artifact")
      ->required()
      ->type_name("FILE");
  parser->add_flag("--json", options->json, "Print one JSON object");
  parser->add_flag("--verify", options->verify,
                   "Also check the bytes of every weight");
  parser
      ->add_option("--memory", options->memory,
                   "Memory for B sentences of S source and T target tokens "
                   "with a beam: B,S,T,BEAM")
      ->delimiter(',')
      ->expected(4)
      ->check(CLI::Range(int64_t(1), int64_t(1) << 30))
      ->type_name("B,S,T,BEAM");
  return {parser, [options, &console] {
            Status status = inspect(*options, console);
            return status.isOk() ? int(exitOk) : reportFailure(console, status);
          }};
}
