//===- Run.cpp - dragoman run ---------------------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/execute/Session.h"
#include "runtime/execute/Trace.h"
#include "tools/dragoman/CompilerProcess.h"
#include "tools/dragoman/Console.h"
#include "tools/dragoman/Environment.h"
#include "tools/dragoman/Interrupt.h"
#include "tools/dragoman/Output.h"
#include "tools/dragoman/SubCommand.h"
#include "tools/dragoman/TensorArguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>

using namespace dragoman;

namespace {

struct RunOptions {
  std::string model;
  std::string entry;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> expected;
  std::vector<std::string> stateDims;
  double rtol = 1.3e-6;
  double atol = 1e-5;
  std::string level;
  std::string trace;
  int threads = 0;
  int repeat = 1;
};

Status wrong(const std::string &message, const std::string &place = {}) {
  return Status(StatusCode::InvalidArgument, message, place);
}

std::string listOf(const std::vector<TensorDesc> &tensors) {
  std::string text;
  for (const TensorDesc &tensor : tensors)
    text += (text.empty() ? "" : ", ") + tensor.name + " " + describe(tensor);
  return text.empty() ? "none" : text;
}

/// NAME=VALUE arguments by name; each name once and known.
Result<std::map<std::string, std::string>>
argumentsByName(const std::vector<std::string> &arguments,
                const std::vector<TensorDesc> &known,
                const std::string &option) {
  std::map<std::string, std::string> values;
  for (const std::string &argument : arguments) {
    Result<std::pair<std::string, std::string>> split = splitArgument(argument);
    if (!split)
      return split.status().at(option);
    const auto &[name, value] = *split;
    bool found =
        std::any_of(known.begin(), known.end(), [&](const TensorDesc &tensor) {
          return tensor.name == name;
        });
    if (!found)
      return wrong("expected one of " + listOf(known) + ", found " + name,
                   option);
    if (!values.insert({name, value}).second)
      return wrong(name + " is given twice", option);
  }
  return values;
}

/// The entry that was asked for: the only one, or `main`, without a name.
Result<const EntryTable *> chooseEntry(const Model &model,
                                       const std::string &name) {
  const std::vector<std::string> &entries = model.manifest().entries;
  std::string chosen = name;
  if (chosen.empty())
    chosen = entries.size() == 1 ? entries[0] : "main";
  if (const EntryTable *entry = model.entry(chosen))
    return entry;
  std::string known;
  for (const std::string &entry : entries)
    known += (known.empty() ? "" : ", ") + entry;
  return wrong("expected one of " + known + ", found " + chosen, "--entry");
}

Result<std::vector<NpyArray>> readInputs(const RunOptions &options,
                                         const EntryTable &entry) {
  Result<std::map<std::string, std::string>> given =
      argumentsByName(options.inputs, entry.inputs, "--input");
  if (!given)
    return given.status();
  std::vector<NpyArray> tensors;
  for (const TensorDesc &input : entry.inputs) {
    auto argument = given->find(input.name);
    if (argument == given->end())
      return wrong("expected " + input.name + " " + describe(input) +
                       ", found none",
                   "--input");
    Result<NpyArray> tensor = parseTensor(argument->second, input);
    if (!tensor)
      return tensor.status().at("--input " + input.name);
    if (tensor->type != input.type ||
        tensor->shape.size() != input.shape.size())
      return wrong("expected " + describe(input) + ", found " +
                       describe(tensor->type, tensor->shape),
                   "--input " + input.name);
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

std::vector<TensorView> viewsOf(std::vector<NpyArray> &tensors) {
  std::vector<TensorView> views;
  for (NpyArray &tensor : tensors)
    views.push_back({tensor.bytes.data(), tensor.type, tensor.shape});
  return views;
}

/// The arrays of --expected, by output.
Result<std::map<std::string, NpyArray>> readExpected(const RunOptions &options,
                                                     const EntryTable &entry) {
  Result<std::map<std::string, std::string>> given =
      argumentsByName(options.expected, entry.outputs, "--expected");
  if (!given)
    return given.status();
  std::map<std::string, NpyArray> arrays;
  for (const TensorDesc &output : entry.outputs) {
    auto argument = given->find(output.name);
    if (argument == given->end())
      continue;
    Result<NpyArray> tensor = parseTensor(argument->second, output);
    if (!tensor)
      return tensor.status().at("--expected " + output.name);
    arrays[output.name] = std::move(*tensor);
  }
  return arrays;
}

/// Room for the outputs, in the shapes that the inputs decide; what they leave
/// open is taken from the expected array.
Result<std::vector<NpyArray>>
makeOutputs(const Session &session, const EntryTable &entry,
            std::span<const TensorView> inputs,
            const std::map<std::string, NpyArray> &expected) {
  Result<std::vector<std::vector<int64_t>>> shapes =
      session.outputShapes(entry.name, inputs);
  if (!shapes)
    return shapes.status();
  std::vector<NpyArray> outputs;
  for (size_t i = 0; i < entry.outputs.size(); ++i) {
    const TensorDesc &desc = entry.outputs[i];
    NpyArray output;
    output.type = desc.type;
    output.shape = (*shapes)[i];
    int64_t bytes = elementSize(desc.type);
    for (size_t axis = 0; axis < output.shape.size(); ++axis) {
      auto known = expected.find(desc.name);
      if (output.shape[axis] < 0 && known != expected.end() &&
          axis < known->second.shape.size())
        output.shape[axis] = known->second.shape[axis];
      if (output.shape[axis] < 0)
        return wrong("the inputs do not decide the shape " + describe(desc) +
                         " of " + desc.name + "; give --expected",
                     "entry " + entry.name);
      if (__builtin_mul_overflow(bytes, output.shape[axis], &bytes))
        return wrong("the shape of " + desc.name + " is too large");
    }
    output.bytes.resize(size_t(bytes));
    outputs.push_back(std::move(output));
  }
  return outputs;
}

Status reserveStates(const RunOptions &options, Session &session) {
  const std::vector<std::string> &names = session.model().stateDims();
  if (names.empty())
    return Status::ok();
  DimMap dims;
  for (const std::string &argument : options.stateDims) {
    Result<std::pair<std::string, std::string>> split = splitArgument(argument);
    if (!split)
      return split.status().at("--state");
    int64_t value = std::strtoll(split->second.c_str(), nullptr, 10);
    if (value < 1)
      return wrong("expected NAME=EXTENT with an extent above 0, found '" +
                       argument + "'",
                   "--state");
    dims[split->first] = value;
  }
  // An entry without states of its own runs with the smallest ones.
  for (const std::string &name : names)
    dims.insert({name, 16});
  return session.reserve(dims);
}

/// Writes, compares or prints every output. A failed comparison does not hide
/// the next one.
Status useOutputs(const RunOptions &options, const EntryTable &entry,
                  const std::vector<NpyArray> &outputs,
                  const std::map<std::string, NpyArray> &expected,
                  Console &console) {
  Result<std::map<std::string, std::string>> files =
      argumentsByName(options.outputs, entry.outputs, "--output");
  if (!files)
    return files.status();
  Result<std::unique_ptr<Output>> print = Output::open("-");
  if (!print)
    return print.status();
  Status result;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string &name = entry.outputs[i].name;
    const NpyArray &output = outputs[i];
    auto file = files->find(name);
    if (file != files->end()) {
      std::string path = file->second;
      if (path.starts_with("@"))
        path.erase(0, 1);
      DRAGOMAN_RETURN_IF_ERROR(
          writeNpy(path, output.type, output.shape, output.bytes.data()));
    }
    auto wanted = expected.find(name);
    if (wanted != expected.end()) {
      Status compared =
          compareTensors(output, wanted->second, options.rtol, options.atol);
      if (!compared.isOk() && !result.isOk())
        console.error(result.toString());
      if (!compared.isOk())
        result = compared.at(name);
      else
        console.info(name + ": as expected");
    }
    if (file == files->end() && wanted == expected.end())
      DRAGOMAN_RETURN_IF_ERROR(
          (*print)->write(name + ": " + formatTensor(output, 16) + "\n"));
  }
  DRAGOMAN_RETURN_IF_ERROR((*print)->finish());
  return result;
}

Status runEntry(const RunOptions &options, Console &console) {
  Result<std::string> path =
      compiledPath(options.model, Environment::read().cacheFolder, console);
  if (!path)
    return path.status();
  LoadOptions load;
  load.level = options.level;
  Result<std::shared_ptr<const Model>> model = Model::load(*path, load);
  if (!model)
    return model.status();
  Result<const EntryTable *> entry = chooseEntry(**model, options.entry);
  if (!entry)
    return entry.status();
  Result<std::vector<NpyArray>> inputs = readInputs(options, **entry);
  if (!inputs)
    return inputs.status();
  Result<std::map<std::string, NpyArray>> expected =
      readExpected(options, **entry);
  if (!expected)
    return expected.status();

  ThreadPool pool(options.threads);
  Trace trace;
  SessionOptions sessionOptions;
  sessionOptions.pool = &pool;
  sessionOptions.trace = options.trace.empty() ? nullptr : &trace;
  Session session(*model, sessionOptions);
  DRAGOMAN_RETURN_IF_ERROR(reserveStates(options, session));
  std::vector<TensorView> inputViews = viewsOf(*inputs);
  Result<std::vector<NpyArray>> outputs =
      makeOutputs(session, **entry, inputViews, *expected);
  if (!outputs)
    return outputs.status();
  std::vector<TensorView> outputViews = viewsOf(*outputs);
  const std::atomic<bool> *cancel = catchInterrupts();
  for (int i = 0; i < options.repeat; ++i)
    DRAGOMAN_RETURN_IF_ERROR(
        session.run((*entry)->name, inputViews, outputViews, cancel));
  if (!options.trace.empty())
    DRAGOMAN_RETURN_IF_ERROR(trace.write(options.trace));
  return useOutputs(options, **entry, *outputs, *expected, console);
}

} // namespace

SubCommand dragoman::addRun(CLI::App &program, Console &console) {
  auto options = std::make_shared<RunOptions>();
  CLI::App *parser = program.add_subcommand(
      "run", "Run one entry of a compiled model on given tensors");
  parser
      ->add_option("model", options->model,
                   "An artifact, or a model to be compiled into the cache "
                   "first")
      ->required()
      ->type_name("PATH");
  parser->add_option("--entry", options->entry, "Entry [the only one, or main]")
      ->type_name("NAME");
  parser
      ->add_option("--input", options->inputs,
                   "NAME=@FILE.npy, NAME=2x3xf32=1,2,.., NAME=random:SEED or "
                   "NAME=2x3xf32=random:SEED")
      ->type_name("TENSOR");
  parser
      ->add_option("--output", options->outputs,
                   "NAME=@FILE.npy: write this output instead of printing it")
      ->type_name("FILE");
  parser
      ->add_option("--expected", options->expected,
                   "NAME=@FILE.npy: compare this output")
      ->type_name("TENSOR");
  parser->add_option("--rtol", options->rtol, "Relative tolerance")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  parser->add_option("--atol", options->atol, "Absolute tolerance")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  parser
      ->add_option("--state", options->stateDims,
                   "NAME=EXTENT: a dimension of the model's states [16]")
      ->type_name("DIM");
  parser
      ->add_option("--threads", options->threads,
                   "Threads; 0 = the processors this process may use")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  parser->add_option("--repeat", options->repeat, "Run this many times")
      ->check(CLI::Range(1, 1 << 30))
      ->capture_default_str();
  parser
      ->add_option("--cpu", options->level,
                   "Use the code of this feature level [best]")
      ->type_name("LEVEL");
  parser
      ->add_option("--trace", options->trace,
                   "Write the time of every command as a Chrome trace")
      ->type_name("FILE");
  return {parser, [options, &console] {
            Status status = runEntry(*options, console);
            return status.isOk() ? int(exitOk) : reportFailure(console, status);
          }};
}
