//===- TrainTools.cpp - dragoman train vocab, average ... ---------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/dragoman/TrainTools.h"

#include "runtime/artifact/TrainingWeights.h"
#include "runtime/base/AtomicFile.h"
#include "runtime/base/Quantities.h"
#include "runtime/base/SystemError.h"
#include "runtime/train/Checkpoint.h"
#include "runtime/train/Initialize.h"
#include "runtime/train/Report.h"
#include "runtime/train/VocabularyTrainer.h"
#include "tools/dragoman/CompilerProcess.h"
#include "tools/dragoman/Console.h"
#include "tools/dragoman/TrainParts.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <span>
#include <unistd.h>

using namespace dragoman;
namespace fs = std::filesystem;

namespace {

int finish(Console &console, const Status &status) {
  return status.isOk() ? exitOk : reportFailure(console, status);
}

/// A file that is there already is only replaced if that was asked for.
Status checkOverwrite(const std::string &path, bool force) {
  std::error_code failure;
  if (force || !fs::exists(path, failure))
    return Status::ok();
  return Status(StatusCode::InvalidArgument,
                "expected a new file, found one; pass --force to replace it",
                path);
}

//===----------------------------------------------------------------------===//
// vocab
//===----------------------------------------------------------------------===//

struct VocabArguments {
  std::vector<std::string> files;
  std::string output;
  VocabularyOptions options;
  bool force = false;
};

Status makeVocabulary(const VocabArguments &arguments, Console &console) {
  DRAGOMAN_RETURN_IF_ERROR(checkOverwrite(arguments.output, arguments.force));
  Result<std::string> bytes =
      trainVocabulary(arguments.files, arguments.options);
  if (!bytes)
    return bytes.status();
  DRAGOMAN_RETURN_IF_ERROR(writeFileAtomically(arguments.output, *bytes));
  Result<std::unique_ptr<IdCoder>> coder =
      loadIdCoder(arguments.options.type == "words" ? "words" : "sentencepiece",
                  arguments.output);
  if (!coder)
    return coder.status();
  console.info(arguments.output + ": " +
               formatCount(int64_t((*coder)->tokens().size())) + " tokens");
  return Status::ok();
}

SubCommand addVocab(CLI::App &train, Console &console) {
  auto arguments = std::make_shared<VocabArguments>();
  CLI::App *parser =
      train.add_subcommand("vocab", "Make a vocabulary from text");
  VocabularyOptions &options = arguments->options;
  parser->add_option("text", arguments->files, "Files of lines, also .gz")
      ->required()
      ->type_name("FILE");
  parser->add_option("-o,--output", arguments->output, "The vocabulary")
      ->required()
      ->type_name("FILE");
  parser->add_option("--type", options.type, "unigram, bpe or words")
      ->check(CLI::IsMember({"unigram", "bpe", "words"}))
      ->capture_default_str();
  parser->add_option("--size", options.size, "Tokens, special ones included")
      ->check(CLI::Range(int64_t(8), int64_t(1) << 24))
      ->capture_default_str();
  parser
      ->add_option("--coverage", options.coverage,
                   "Share of the characters that have pieces; less than 1 for "
                   "scripts with many rare characters")
      ->check(CLI::Range(0.5, 1.0))
      ->capture_default_str();
  parser
      ->add_option("--min-count", options.leastCount,
                   "Leave out words that are rarer")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 40))
      ->capture_default_str();
  parser->add_flag("--force", arguments->force, "Replace a file that exists");
  return {parser, [arguments, &console] {
            return finish(console, makeVocabulary(*arguments, console));
          }};
}

//===----------------------------------------------------------------------===//
// average
//===----------------------------------------------------------------------===//

struct AverageArguments {
  std::vector<std::string> checkpoints;
  std::string output;
  bool ema = false;
  bool force = false;
};

Status averageCheckpoints(const AverageArguments &arguments, Console &console) {
  DRAGOMAN_RETURN_IF_ERROR(checkOverwrite(arguments.output, arguments.force));
  Result<NamedTensors> mean =
      averageParameters(arguments.checkpoints, /*raw=*/!arguments.ema);
  if (!mean)
    return mean.status();
  DRAGOMAN_RETURN_IF_ERROR(
      writeTensors(arguments.output, mean->descs, mean->values));
  console.info(arguments.output + ": the mean of " +
               formatCount(int64_t(arguments.checkpoints.size())) +
               " checkpoints");
  return Status::ok();
}

SubCommand addAverage(CLI::App &train, Console &console) {
  auto arguments = std::make_shared<AverageArguments>();
  CLI::App *parser = train.add_subcommand(
      "average", "The mean of the parameters of several checkpoints");
  parser
      ->add_option("checkpoints", arguments->checkpoints,
                   "Folders ckpt-N, or .safetensors files")
      ->required()
      ->type_name("CKPT");
  parser->add_option("-o,--output", arguments->output, "A .safetensors file")
      ->required()
      ->type_name("FILE");
  parser->add_flag("--ema", arguments->ema,
                   "Take their moving averages instead of their parameters");
  parser->add_flag("--force", arguments->force, "Replace a file that exists");
  return {parser, [arguments, &console] {
            return finish(console, averageCheckpoints(*arguments, console));
          }};
}

//===----------------------------------------------------------------------===//
// export
//===----------------------------------------------------------------------===//

struct ExportArguments {
  std::string checkpoint, output, model;
  bool raw = false;
  bool force = false;
};

/// The tensors of a list in the order of an artifact's parameters.
Result<std::vector<float>> parametersFor(const TrainingDesc &training,
                                         const NamedTensors &tensors,
                                         const std::string &path) {
  std::vector<float> values(static_cast<size_t>(training.elements()));
  for (const ParameterDesc &wanted : training.parameters) {
    auto given =
        std::ranges::find(tensors.descs, wanted.name, &ParameterDesc::name);
    if (given == tensors.descs.end() || given->shape != wanted.shape)
      return Status(StatusCode::InvalidData,
                    "expected a tensor '" + wanted.name +
                        "' of the model's shape, found " +
                        (given == tensors.descs.end() ? "none" : "another"),
                    path);
    std::copy_n(tensors.values.begin() + given->offset, wanted.elements(),
                values.begin() + wanted.offset);
  }
  return values;
}

/// A folder of ONNX graphs, which the compiler writes; an exit code.
Result<int> exportFolder(const ExportArguments &arguments,
                         const std::string &model,
                         std::span<const float> values, Console &console) {
  // The compiler reads the parameters from a file of its own.
  std::string path = (fs::temp_directory_path() / "dragoman-XXXXXX").string();
  int descriptor = mkstemp(path.data());
  if (descriptor < 0)
    return systemError("cannot make a file", path);
  close(descriptor);
  Status written =
      writeFileAtomically(path, {reinterpret_cast<const char *>(values.data()),
                                 values.size() * sizeof(float)});
  Result<int> code =
      written.isOk()
          ? Result<int>(exportGraphs(model, path, arguments.output, console))
          : Result<int>(written);
  std::error_code ignored;
  fs::remove(path, ignored);
  return code;
}

Result<int> exportCheckpoint(const ExportArguments &arguments,
                             Console &console) {
  DRAGOMAN_RETURN_IF_ERROR(checkOverwrite(arguments.output, arguments.force));
  Result<NamedTensors> tensors =
      readParameters(arguments.checkpoint, arguments.raw);
  if (!tensors)
    return tensors.status();
  std::string extension = fs::path(arguments.output).extension();
  if (extension == ".safetensors") {
    DRAGOMAN_RETURN_IF_ERROR(
        writeTensors(arguments.output, tensors->descs, tensors->values));
    console.info("wrote " + arguments.output);
    return exitOk;
  }
  bool isFolder = extension.empty();
  if (!isFolder && extension != ".dgm")
    return Status(StatusCode::InvalidArgument,
                  "expected a name that ends in .dgm or .safetensors, or a "
                  "folder for ONNX graphs",
                  arguments.output);
  fs::path folder = fs::path(arguments.checkpoint);
  if (!folder.has_filename())
    folder = folder.parent_path();
  std::string model = arguments.model.empty()
                          ? trainedArtifact(folder.has_parent_path()
                                                ? folder.parent_path().string()
                                                : ".")
                          : arguments.model;
  Result<std::unique_ptr<Artifact>> artifact = Artifact::open(model);
  if (!artifact)
    return artifact.status();
  if (!(*artifact)->manifest().training)
    return Status(StatusCode::InvalidData,
                  "expected a model compiled for training", model);
  Result<std::vector<float>> values = parametersFor(
      *(*artifact)->manifest().training, *tensors, arguments.checkpoint);
  if (!values)
    return values.status();
  if (isFolder) {
    Result<int> code = exportFolder(arguments, model, *values, console);
    if (!code || *code != exitOk)
      return code;
  } else {
    DRAGOMAN_RETURN_IF_ERROR(
        exportInference(**artifact, *values, {}, arguments.output));
  }
  console.info("wrote " + arguments.output);
  return exitOk;
}

SubCommand addExport(CLI::App &train, Console &console) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App *parser =
      train.add_subcommand("export", "A translator from a checkpoint");
  parser
      ->add_option("checkpoint", arguments->checkpoint,
                   "A folder ckpt-N or best-METRIC, or a .safetensors file of "
                   "`average` beside them")
      ->required()
      ->type_name("CKPT");
  parser
      ->add_option("-o,--output", arguments->output,
                   "model.dgm, model.safetensors, or a folder for ONNX graphs")
      ->required()
      ->type_name("FILE");
  parser
      ->add_option("--model", arguments->model,
                   "The run's compiled model [model/ beside the checkpoint]")
      ->type_name("FILE");
  parser->add_flag("--raw", arguments->raw,
                   "The parameters even if the run kept their average");
  parser->add_flag("--force", arguments->force, "Replace a file that exists");
  return {parser, [arguments, &console] {
            Result<int> code = exportCheckpoint(*arguments, console);
            return code ? *code : reportFailure(console, code.status());
          }};
}

//===----------------------------------------------------------------------===//
// report
//===----------------------------------------------------------------------===//

struct ReportArguments {
  std::string run, title;
};

SubCommand addReport(CLI::App &train, Console &console) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App *parser = train.add_subcommand(
      "report", "Write report.html, one page about a run, into its folder");
  parser->add_option("run", arguments->run, "The folder run.out")
      ->required()
      ->type_name("FOLDER");
  parser->add_option("--title", arguments->title, "[the folder's name]")
      ->type_name("TEXT");
  return {parser, [arguments, &console] {
            ReportExtras extras;
            extras.title = arguments->title;
            Status status = writeReport(arguments->run, extras);
            if (status.isOk())
              console.info("wrote " + arguments->run + "/report.html");
            return finish(console, status);
          }};
}

} // namespace

std::vector<SubCommand> dragoman::addTrainTools(CLI::App &train,
                                                Console &console) {
  return {addVocab(train, console), addAverage(train, console),
          addExport(train, console), addReport(train, console)};
}
