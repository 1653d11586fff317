//===- Compile.cpp - dragoman compile -------------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Status.h"
#include "runtime/device/cpu/CpuFeatures.h"
#include "tools/dragoman/CompilerProcess.h"
#include "tools/dragoman/Console.h"
#include "tools/dragoman/SubCommand.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

using namespace dragoman;
namespace fs = std::filesystem;

namespace {
struct CompileOptions {
  CompileRequest request;
  std::string cpu = "portable";
  bool force = false;
  bool quiet = false;
};
} // namespace

/// The levels that --cpu names; empty for the portable set.
static Result<std::vector<std::string>> cpuLevelNames(const std::string &text) {
  std::vector<std::string> names;
  if (text == "portable")
    return names;
  if (text == "native") {
    const CpuLevel *level = CpuFeatures::host().bestLevel();
    if (!level)
      return Status(StatusCode::Unsupported,
                    "this processor has none of the known feature levels",
                    "--cpu");
    return std::vector<std::string>{level->name};
  }
  std::string known = "portable, native";
  for (const CpuLevel &level : cpuLevels())
    known += ", " + level.name;
  for (const std::string &name : CLI::detail::split(text, ',')) {
    if (!findCpuLevel(name))
      return Status(StatusCode::InvalidArgument,
                    "expected one of " + known + ", found " + name, "--cpu");
    names.push_back(name);
  }
  return names;
}

/// "folder/" and "folder" give "folder.dgm", "a/b.onnx" gives "b.dgm".
static std::string defaultOutput(const std::string &input) {
  std::error_code failure;
  fs::path path = fs::weakly_canonical(input, failure);
  fs::path name =
      fs::is_directory(path, failure) ? path.filename() : path.stem();
  return name.string() + ".dgm";
}

static int runCompile(CompileOptions options, Console &console) {
  console.setQuiet(options.quiet);
  CompileRequest &request = options.request;
  Result<std::vector<std::string>> levels = cpuLevelNames(options.cpu);
  if (!levels)
    return reportFailure(console, levels.status());
  request.cpu = *levels;
  std::error_code failure;
  if (!fs::exists(request.input, failure))
    return reportFailure(
        console,
        Status(StatusCode::NotFound, "no such file or folder", request.input));
  if (request.output.empty())
    request.output = defaultOutput(request.input);
  if (fs::exists(request.output, failure) && !options.force)
    return reportFailure(console, Status(StatusCode::InvalidArgument,
                                         "exists; pass --force to overwrite it",
                                         request.output));
  int code = compile(request, console);
  if (code == exitOk)
    console.info("wrote " + request.output);
  return code;
}

SubCommand dragoman::addCompile(CLI::App &program, Console &console) {
  auto options = std::make_shared<CompileOptions>();
  CompileRequest &request = options->request;
  CLI::App *parser = program.add_subcommand(
      "compile", "Compile a model folder, an .onnx or .mlir file, or an "
                 "artifact again, into one .dgm file");
  parser
      ->add_option("model", request.input,
                   "Folder of an exported model, .onnx, .mlir or .dgm")
      ->required()
      ->type_name("PATH");
  parser
      ->add_option("-o,--output", request.output,
                   "The artifact to write [NAME.dgm in the working folder]")
      ->type_name("FILE");
  parser
      ->add_option("--cpu", options->cpu,
                   "Feature levels, separated by commas, or native, or "
                   "portable (x86-64-v3 and x86-64-v4)")
      ->capture_default_str()
      ->type_name("LEVELS");
  parser->add_flag("--force", options->force, "Overwrite an existing artifact");
  parser
      ->add_option("--stop-after", request.stopAfter,
                   "Write the IR after this stage instead of an artifact")
      ->type_name("STAGE");
  parser
      ->add_option("--dump-dir", request.dumpDir,
                   "Write the IR after every stage into this folder")
      ->type_name("DIR");
  parser
      ->add_option("--schedule", request.schedule,
                   "Schedules that replace the compiler's own")
      ->type_name("FILE");
  parser->add_flag("-q,--quiet", options->quiet, "Print errors only");
  return {parser,
          [options, &console] { return runCompile(*options, console); }};
}
