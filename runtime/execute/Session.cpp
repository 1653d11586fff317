//===- Session.cpp - Runs the entries of a model ----------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/execute/Session.h"

#include "runtime/execute/Binding.h"
#include "runtime/execute/SessionImpl.h"
#include "runtime/execute/Trace.h"

#include <algorithm>

using namespace dragoman;

namespace {

/// Marks a session as running for one scope.
class RunGuard {
public:
  explicit RunGuard(std::atomic<bool> &flag)
      : flag(flag), entered(!flag.exchange(true, std::memory_order_acquire)) {}
  ~RunGuard() {
    if (entered)
      flag.store(false, std::memory_order_release);
  }
  Status status() const {
    if (entered)
      return Status::ok();
    return Status(StatusCode::InvalidArgument,
                  "expected an idle session, found one that is running");
  }

private:
  std::atomic<bool> &flag;
  const bool entered;
};

} // namespace

Session::Impl::Impl(std::shared_ptr<const Model> loaded,
                    const SessionOptions &options)
    : model(std::move(loaded)), options(options), device(*model->impl->device),
      memory(device, options) {}

Session::Session(std::shared_ptr<const Model> model,
                 const SessionOptions &options)
    : impl(std::make_unique<Impl>(std::move(model), options)) {}
Session::~Session() = default;

const Model &Session::model() const { return *impl->model; }
Pool &Session::pool() const { return impl->pool(); }
MemoryReport Session::memory() const { return impl->memory.report(); }

Status Session::reserve(const DimMap &dims) {
  RunGuard guard(impl->isRunning);
  DRAGOMAN_RETURN_IF_ERROR(guard.status());
  const Model::Impl &model = *impl->model->impl;
  std::vector<int64_t> values;
  for (const std::string &name : model.stateDims) {
    auto it = dims.find(name);
    if (it == dims.end())
      return Status(StatusCode::InvalidArgument,
                    "expected a value of dimension '" + name + "'", "reserve");
    values.push_back(it->second);
  }
  Result<std::vector<uint64_t>> sizes = model.stateSizes(values);
  if (!sizes)
    return sizes.status().at("reserve");
  // A state keeps its contents if every dimension of its shape stays.
  std::vector<bool> keep;
  for (const StateDesc &state : impl->model->manifest().states) {
    bool isSame = !impl->stateDims.empty() || model.stateDims.empty();
    for (const DimExpr &extent : state.tensor.shape)
      for (const std::string &name : extent.names()) {
        size_t i = std::lower_bound(model.stateDims.begin(),
                                    model.stateDims.end(), name) -
                   model.stateDims.begin();
        isSame = isSame && impl->stateDims[i] == values[i];
      }
    keep.push_back(isSame);
  }
  if (Status status =
          impl->memory.reserveStates(*sizes, keep, model.isFixedState);
      !status)
    return status.at("reserve");
  impl->stateDims = std::move(values);
  return Status::ok();
}

Result<TensorView> Session::state(std::string_view name) {
  RunGuard guard(impl->isRunning);
  DRAGOMAN_RETURN_IF_ERROR(guard.status());
  const Model::Impl &model = *impl->model->impl;
  const std::vector<StateDesc> &states = impl->model->manifest().states;
  size_t index = 0;
  while (index < states.size() && states[index].tensor.name != name)
    ++index;
  if (index == states.size())
    return Status(StatusCode::NotFound,
                  "expected the name of a state, found '" + std::string(name) +
                      "'");
  std::string place = "state '" + std::string(name) + "'";
  if (model.isFixedState[index]) {
    uint64_t bytes = model.stateBytes[index].evaluate(nullptr);
    if (Status status = impl->memory.provideFixedState(index, bytes); !status)
      return status.at(place);
  } else if (!impl->memory.hasStates()) {
    return Status(StatusCode::InvalidArgument,
                  "expected reserve before the state is asked for", place);
  }
  std::map<std::string, int64_t> dims;
  for (size_t i = 0; i < impl->stateDims.size(); ++i)
    dims[model.stateDims[i]] = impl->stateDims[i];
  TensorView view;
  view.data = impl->memory.state(index);
  view.type = states[index].tensor.type;
  for (const DimExpr &extent : states[index].tensor.shape) {
    Result<int64_t> size = extent.evaluate(dims);
    if (!size)
      return size.status().at(place);
    view.shape.push_back(*size);
  }
  return view;
}

Status Session::Impl::bind(Binding &binding, std::span<const TensorView> inputs,
                           std::span<const TensorView> outputs) const {
  DRAGOMAN_RETURN_IF_ERROR(binding.bindInputs(inputs));
  if (memory.hasStates())
    for (size_t i = 0; i < stateDims.size(); ++i)
      DRAGOMAN_RETURN_IF_ERROR(
          binding.bindState(model->stateDims()[i], stateDims[i]));
  DRAGOMAN_RETURN_IF_ERROR(binding.bindOutputs(outputs));
  return binding.complete();
}

/// The states of fixed shape that the program uses, and a refusal if the others
/// have no shape yet.
Status Session::Impl::provideStates(const Program &program) {
  for (uint32_t state : program.states) {
    if (!model->impl->isFixedState[state]) {
      if (!memory.hasStates())
        return Status(StatusCode::InvalidArgument,
                      "expected reserve before the first run");
      continue;
    }
    uint64_t bytes = model->impl->stateBytes[state].evaluate(nullptr);
    DRAGOMAN_RETURN_IF_ERROR(memory.provideFixedState(state, bytes));
  }
  return Status::ok();
}

static uint64_t tensorBytes(const TensorView &tensor) {
  int64_t bytes = elementSize(tensor.type);
  for (int64_t extent : tensor.shape)
    bytes *= extent;
  return static_cast<uint64_t>(bytes);
}

/// The address of a slot; it must lie inside what it points into.
Status Session::Impl::placeSlot(const Program &program, uint32_t number) {
  const SlotDesc &desc = program.table.slots[number];
  char *base = nullptr;
  uint64_t available = 0;
  switch (desc.space) {
  case SlotSpace::Input:
  case SlotSpace::Output: {
    const TensorView &tensor = desc.space == SlotSpace::Input
                                   ? inputs[desc.index]
                                   : outputs[desc.index];
    base = static_cast<char *>(tensor.data);
    available = tensorBytes(tensor);
    break;
  }
  case SlotSpace::State:
    base = static_cast<char *>(memory.state(desc.index));
    available = memory.stateBytes(desc.index);
    break;
  case SlotSpace::Weight:
    base = static_cast<char *>(
        const_cast<void *>(model->source().weightData(desc.index)));
    available = model->manifest().weights[desc.index].bytes;
    break;
  case SlotSpace::Arena:
    base = memory.arenaData();
    available = value(program.arenaBytes);
    break;
  }
  int64_t offset = value(program.slots[number].offset);
  int64_t bytes = value(program.slots[number].bytes);
  bool isInside = offset >= 0 && bytes >= 0 &&
                  static_cast<uint64_t>(offset) <= available &&
                  static_cast<uint64_t>(bytes) <= available - offset;
  if (!isInside)
    return Status(StatusCode::Internal,
                  "slot " + std::to_string(number) + " covers bytes " +
                      std::to_string(offset) + " + " + std::to_string(bytes) +
                      " of " + std::to_string(available));
  slotData[number] = base ? base + offset : nullptr;
  return Status::ok();
}

Status Session::Impl::dispatch(const Program &program, size_t index) {
  const Command &command = program.table.commands[index];
  const Program::Step &step = program.steps[index];
  for (size_t i = 0; i < command.slots.size(); ++i)
    slotArgs[i] = slotData[command.slots[i]];
  for (size_t i = 0; i < step.dims.size(); ++i)
    dimArgs[i] = value(step.dims[i]);
  KernelArgs args{slotArgs.data(), dimArgs.data(), nullptr, &error};
  LaunchConfig config;
  config.kernel = step.kernel;
  config.args = &args;
  config.tiles = value(step.tiles);
  config.pool = &pool();
  if (step.desc->scratchBytes > 0) {
    config.scratch = memory.scratchData();
    config.scratchStride = program.scratchBytes;
  }
  DRAGOMAN_RETURN_IF_ERROR(device.launch(config));
  return device.synchronize();
}

Status Session::Impl::step(const Program &program, size_t index) {
  const Command &command = program.table.commands[index];
  const Program::Step &step = program.steps[index];
  switch (command.kind) {
  case CommandKind::Dispatch:
    return value(step.tiles) > 0 ? dispatch(program, index) : Status::ok();
  case CommandKind::Copy: {
    int64_t bytes = value(program.slots[command.slots[1]].bytes);
    if (bytes > value(program.slots[command.slots[0]].bytes))
      return Status(StatusCode::Internal, "copies " + std::to_string(bytes) +
                                              " bytes out of a smaller slot");
    return device.copy(slotData[command.slots[1]], slotData[command.slots[0]],
                       bytes, CopyKind::DeviceToDevice);
  }
  case CommandKind::Fill:
    return device.fill(slotData[command.slots[0]],
                       static_cast<uint8_t>(command.value),
                       value(program.slots[command.slots[0]].bytes));
  case CommandKind::CheckEqual:
    // Later commands rely on it, so the run ends here.
    error.site = -1;
    if (value(step.dims[0]) == value(step.dims[1]))
      return Status::ok();
    error.site = command.value;
    error.index = 0;
    error.value = value(step.dims[0]);
    error.bound = value(step.dims[1]);
    return siteStatus(program.table.name);
  case CommandKind::LoopBegin:
  case CommandKind::LoopEnd:
    break; // `steps` goes around them
  }
  return Status::ok();
}

Status Session::Impl::loop(const Program &program, size_t begin,
                           const std::atomic<bool> *cancel) {
  const Program::Loop &loop = program.loops[program.steps[begin].loop];
  int64_t trips = value(loop.trips);
  if (trips < 0 || trips == INT64_MAX)
    return Status(StatusCode::Internal, "loop '" + program.dimNames[loop.dim] +
                                            "' runs " + std::to_string(trips) +
                                            " times");
  for (int64_t iteration = 0; iteration < trips; ++iteration) {
    dimValues[loop.dim] = iteration;
    for (Program::Expr expr : loop.exprs)
      exprValues[expr] = program.exprs[expr].evaluate(dimValues.data());
    for (uint32_t slot : loop.slots)
      DRAGOMAN_RETURN_IF_ERROR(placeSlot(program, slot));
    DRAGOMAN_RETURN_IF_ERROR(steps(program, begin + 1, loop.end, cancel));
  }
  return Status::ok();
}

Status Session::Impl::steps(const Program &program, size_t first, size_t end,
                            const std::atomic<bool> *cancel) {
  for (size_t i = first; i < end; ++i) {
    if (cancel && cancel->load(std::memory_order_relaxed))
      return Status(StatusCode::Cancelled,
                    "cancelled before command " + std::to_string(i) + " of " +
                        std::to_string(program.steps.size()));
    const Command &command = program.table.commands[i];
    if (command.kind == CommandKind::LoopBegin) {
      DRAGOMAN_RETURN_IF_ERROR(loop(program, i, cancel));
      i = program.loops[program.steps[i].loop].end;
      continue;
    }
    auto start =
        options.trace ? Trace::Clock::now() : Trace::Clock::time_point();
    if (Status status = step(program, i); !status)
      return command.kind == CommandKind::CheckEqual
                 ? status
                 : status.at("command '" + command.name + "'");
    if (!options.trace)
      continue;
    static const char *const kinds[] = {"", "copy", "fill", "check"};
    bool isDispatch = command.kind == CommandKind::Dispatch;
    options.trace->add(command.name, program.table.name,
                       isDispatch ? program.steps[i].desc->symbol
                                  : kinds[static_cast<int>(command.kind)],
                       isDispatch ? value(program.steps[i].tiles) : 0, start);
  }
  return Status::ok();
}

Status Session::Impl::execute(const Program &program,
                              const std::atomic<bool> *cancel) {
  error = ErrorBlock();
  DRAGOMAN_RETURN_IF_ERROR(steps(program, 0, program.steps.size(), cancel));
  return error.site >= 0 ? siteStatus(program.table.name) : Status::ok();
}

/// The error block as the site's text, with {value}, {bound}, {index} filled
/// in.
Status Session::Impl::siteStatus(const std::string &entry) const {
  const std::vector<SiteDesc> &sites = model->manifest().sites;
  if (static_cast<uint64_t>(error.site) >= sites.size())
    return Status(StatusCode::RuntimeError,
                  "check " + std::to_string(error.site) + " failed at " +
                      std::to_string(error.index) + " with " +
                      std::to_string(error.value),
                  "entry '" + entry + "'");
  std::string text = sites[error.site].message;
  const std::pair<const char *, int64_t> fields[] = {{"{value}", error.value},
                                                     {"{bound}", error.bound},
                                                     {"{index}", error.index}};
  for (const auto &[field, number] : fields)
    for (size_t at; (at = text.find(field)) != std::string::npos;)
      text.replace(at, std::string_view(field).size(), std::to_string(number));
  return Status(StatusCode::RuntimeError, text, sites[error.site].node);
}

Status Session::Impl::run(std::string_view entry,
                          std::span<const TensorView> givenInputs,
                          std::span<const TensorView> givenOutputs,
                          const std::atomic<bool> *cancel) {
  Result<const Program *> found = model->impl->program(entry);
  if (!found)
    return found.status().at(model->name());
  const Program &program = **found;
  std::string place = "entry '" + program.table.name + "'";

  // 1. Everything that can be refused, before anything changes.
  if (Status status = provideStates(program); !status)
    return status.at(place);
  inputs = givenInputs;
  outputs = givenOutputs;
  Binding binding(program);
  DRAGOMAN_RETURN_IF_ERROR(bind(binding, inputs, outputs));
  dimValues.assign(binding.data(), binding.data() + program.table.dims.size());
  dimValues.resize(program.dimNames.size());
  exprValues.resize(program.exprs.size());
  for (size_t i = 0; i < program.exprs.size(); ++i)
    if (program.loopOfExpr[i] == Program::noLoop)
      exprValues[i] = program.exprs[i].evaluate(dimValues.data());

  // 2. Memory: needed, compared with the limit, allocated.
  int64_t arenaBytes = value(program.arenaBytes);
  if (arenaBytes < 0)
    return Status(StatusCode::Internal,
                  "the arena's size is " + std::to_string(arenaBytes), place);
  uint64_t scratchBytes = program.scratchBytes * pool().workers();
  if (Status status = memory.prepareRun(arenaBytes, scratchBytes,
                                        program.bookkeepingBytes());
      !status)
    return status.at(place);
  slotData.resize(program.slots.size());
  for (uint32_t i = 0; i < program.slots.size(); ++i)
    if (program.loopOfSlot[i] == Program::noLoop)
      if (Status status = placeSlot(program, i); !status)
        return status.at(place);
  slotArgs.resize(program.mostSlots);
  dimArgs.resize(program.mostDims);

  // 3. The commands.
  Status status = execute(program, cancel);
  bool isSite = status.code() == StatusCode::RuntimeError;
  return isSite ? status : status.at(place);
}

Status Session::run(std::string_view entry, std::span<const TensorView> inputs,
                    std::span<const TensorView> outputs,
                    const std::atomic<bool> *cancel) {
  RunGuard guard(impl->isRunning);
  DRAGOMAN_RETURN_IF_ERROR(guard.status());
  return impl->run(entry, inputs, outputs, cancel);
}

Result<std::vector<std::vector<int64_t>>>
Session::outputShapes(std::string_view entry,
                      std::span<const TensorView> inputs) const {
  Result<const Program *> program = impl->model->impl->program(entry);
  if (!program)
    return program.status().at(impl->model->name());
  Binding binding(**program);
  DRAGOMAN_RETURN_IF_ERROR(binding.bindInputs(inputs));
  for (size_t i = 0; i < impl->stateDims.size(); ++i)
    DRAGOMAN_RETURN_IF_ERROR(
        binding.bindState(impl->model->stateDims()[i], impl->stateDims[i]));
  std::vector<std::vector<int64_t>> shapes;
  for (size_t i = 0; i < (*program)->outputs.size(); ++i) {
    const TensorDesc &desc = (*program)->table.outputs[i];
    std::vector<int64_t> shape;
    for (size_t axis = 0; axis < desc.shape.size(); ++axis)
      shape.push_back(
          binding.extent(desc.shape[axis], (*program)->outputs[i][axis])
              .value_or(-1));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

Result<int64_t> dragoman::largestFitting(
    int64_t most, uint64_t limit,
    const std::function<Result<uint64_t>(int64_t)> &bytes) {
  if (most < 1)
    return Status(StatusCode::InvalidArgument,
                  "expected at least 1, found " + std::to_string(most));
  int64_t fits = 0, tooMuch = most + 1;
  if (limit == 0)
    return most;
  uint64_t smallestRefused = 0;
  while (fits + 1 < tooMuch) {
    // The largest first: it usually fits.
    int64_t middle =
        fits == 0 && tooMuch == most + 1 ? most : fits + (tooMuch - fits) / 2;
    Result<uint64_t> needed = bytes(middle);
    if (!needed)
      return needed.status();
    if (*needed <= limit) {
      fits = middle;
      continue;
    }
    tooMuch = middle;
    smallestRefused = *needed;
  }
  if (fits == 0)
    return memoryLimitError(smallestRefused, limit);
  return fits;
}
