//===- Trainer.cpp - The training loop ------------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Trainer.h"

#include "runtime/base/Quantities.h"
#include "runtime/base/SystemError.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

using namespace dragoman;
namespace fs = std::filesystem;

/// Updates in a row whose gradient may be lost before the run ends.
static constexpr int64_t mostSkippedInRow = 20;

static Schedule scheduleOf(const TrainConfig &config) {
  static const std::map<std::string, ScheduleKind> kinds = {
      {"noam", ScheduleKind::Noam},
      {"inverse_sqrt", ScheduleKind::InverseSqrt},
      {"linear", ScheduleKind::Linear},
      {"cosine", ScheduleKind::Cosine},
      {"constant", ScheduleKind::Constant},
      {"plateau", ScheduleKind::Plateau}};
  Schedule schedule;
  schedule.kind = kinds.at(config.optim.schedule);
  schedule.rate = config.optim.lr;
  schedule.initial = config.optim.initialLr;
  schedule.final = config.optim.finalLr;
  schedule.warmup = config.optim.warmup.count;
  schedule.total = config.run.stopUpdates.count;
  schedule.width = config.model.dModel;
  schedule.factor = config.optim.plateauFactor;
  return schedule;
}

static double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

Trainer::Trainer(TrainParts given)
    : parts(std::move(given)), config(parts.config), model(parts.model),
      schedule(scheduleOf(config)) {
  state.hashes = {{"model", configHash(config, "model")},
                  {"optim", configHash(config, "optim")},
                  {"data", configHash(config, "data") + parts.train.hash()},
                  {"vocabulary", parts.vocabularyHash}};
  std::span<float> average = model.state(averageState);
  std::span<float> parameters = model.state(parametersState);
  if (!average.empty())
    std::copy(parameters.begin(), parameters.end(), average.begin());
}

BatchSettings dragoman::trainBatchSettings(const TrainConfig &config) {
  BatchSettings settings;
  settings.tokens = config.data.batchTokens;
  settings.count =
      config.data.count == "labels" ? TokenCount::Labels : TokenCount::Padded;
  settings.poolBatches = config.data.poolBatches;
  settings.seed = static_cast<uint64_t>(config.run.seed);
  return settings;
}

//===----------------------------------------------------------------------===//
// Going on with an earlier run
//===----------------------------------------------------------------------===//

Status Trainer::checkHashes(const TrainProgress &found,
                            const ResumeOptions &options,
                            const std::string &checkpoint) const {
  struct Part {
    const char *name, *text, *option;
    bool isReset;
  };
  const Part checked[] = {
      {"vocabulary", "vocabulary", "", false},
      {"model", "settings of the model", "", false},
      {"optim", "settings of the optimiser", "--reset optim",
       options.resetOptimizer || options.resetAll},
      {"data", "training data, seed or batch settings", "--reset data",
       options.resetData || options.resetAll}};
  for (const Part &part : checked) {
    auto theirs = found.hashes.find(part.name);
    if (part.isReset || (theirs != found.hashes.end() &&
                         theirs->second == state.hashes.at(part.name)))
      continue;
    std::string remedy = *part.option
                             ? std::string("pass ") + part.option + ", or "
                             : std::string();
    return Status(StatusCode::InvalidArgument,
                  "the run in " + config.run.out + " has other " + part.text +
                      "; " + remedy +
                      "choose another run.out, or begin anew with --no-resume",
                  checkpoint);
  }
  return Status::ok();
}

void Trainer::applyResets(const ResumeOptions &options) {
  if (options.resetOptimizer || options.resetAll) {
    for (const std::string &name : model.stateNames())
      if (name != parametersState && name != averageState)
        std::ranges::fill(model.state(name), 0.0f);
    state.optimStep = state.halvings = state.plateauStalled = 0;
  }
  if (options.resetData || options.resetAll)
    state.epoch = state.batch = 0;
  if (options.resetAll) {
    std::map<std::string, std::string> hashes = state.hashes;
    state = TrainProgress();
    state.hashes = hashes;
  }
}

/// Moves the files of an earlier run into a folder of their own.
Status Trainer::setAside() {
  std::error_code failure;
  std::vector<fs::path> files;
  for (const fs::directory_entry &entry :
       fs::directory_iterator(config.run.out, failure)) {
    std::string name = entry.path().filename();
    if (name.starts_with("ckpt-") || name.starts_with("best-") ||
        name == "tb" || name == "train.jsonl" || name == "speed.jsonl" ||
        name == "report.html")
      files.push_back(entry.path());
  }
  if (files.empty())
    return Status::ok();
  fs::path folder;
  for (int number = 1; folder.empty() || fs::exists(folder); ++number)
    folder = fs::path(config.run.out) / ("before-" + std::to_string(number));
  fs::create_directory(folder, failure);
  for (const fs::path &file : files) {
    fs::rename(file, folder / file.filename(), failure);
    if (failure)
      return Status(StatusCode::InvalidData,
                    "cannot be moved: " + failure.message(), file.string());
  }
  if (parts.console.info)
    parts.console.info("the run that was in " + config.run.out + " is in " +
                       folder.string());
  return Status::ok();
}

Status Trainer::resume(const ResumeOptions &options) {
  std::error_code failure;
  fs::create_directories(config.run.out, failure);
  if (failure)
    return Status(StatusCode::InvalidData,
                  "cannot make the folder: " + failure.message(),
                  config.run.out);
  std::vector<std::string> warnings;
  std::optional<Checkpoint> found;
  if (options.resume)
    found = newestCheckpoint(config.run.out, warnings);
  for (const std::string &text : warnings)
    if (parts.console.warning)
      parts.console.warning(text);
  if (found) {
    std::string name = fs::path(found->path()).filename();
    DRAGOMAN_RETURN_IF_ERROR(checkHashes(found->progress(), options, name));
    DRAGOMAN_RETURN_IF_ERROR(found->restoreParameters(model));
    if (!options.resetOptimizer && !options.resetAll)
      DRAGOMAN_RETURN_IF_ERROR(found->restoreOptimizer(model));
    std::map<std::string, std::string> hashes = state.hashes;
    state = found->progress();
    state.hashes = hashes;
    applyResets(options);
    saved = name;
    savedUpdate = state.update;
    EpochPlan where(parts.train, trainBatchSettings(config), state.epoch);
    bool isInside = state.batch < where.batches();
    char rate[32];
    std::snprintf(rate, sizeof rate, "%.1e",
                  schedule.at(state.optimStep + 1, state.halvings));
    if (parts.console.info)
      parts.console.info(
          "resume from " + name + ": epoch " + std::to_string(state.epoch + 1) +
          ", pool " +
          std::to_string(isInside ? where.poolOf(state.batch) + 1 : 1) +
          ", batch " +
          std::to_string(isInside ? where.placeInPool(state.batch) + 1 : 1) +
          ", lr " + rate);
  }
  if (!options.resume || options.resetAll) {
    DRAGOMAN_RETURN_IF_ERROR(setAside());
    savedUpdate = -1;
  }
  pruneCheckpoints(config.run.out, std::numeric_limits<int64_t>::max(), {});
  Result<std::unique_ptr<TrainLog>> opened =
      TrainLog::open(config.run.out, state.logBytes, parts.console);
  if (!opened)
    return opened.status();
  log = std::move(*opened);
  return log->addConfig(state.update, dumpTrainConfig(config, /*full=*/true));
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

TrainBatch Trainer::nextBatch(std::vector<Source> &sources) {
  while (!plan || plan->epoch() != state.epoch ||
         state.batch >= plan->batches()) {
    if (plan && plan->epoch() == state.epoch) {
      ++state.epoch;
      state.batch = 0;
    }
    plan.emplace(parts.train, trainBatchSettings(config), state.epoch);
  }
  std::span<const uint32_t> items = plan->batch(state.batch);
  sources.push_back({state.epoch, state.batch, {items.begin(), items.end()}});
  ++state.batch;
  // The epoch ends with its last batch, not with the next one's first.
  TrainBatch batch =
      makeBatch(parts.train, items, sources.back().epoch, parts.layout);
  if (state.batch == plan->batches()) {
    ++state.epoch;
    state.batch = 0;
  }
  return batch;
}

/// "batch 88 of epoch 3, lines 17, 204, 3,811 and 34 more of train.de".
std::string Trainer::describeSources(const std::vector<Source> &sources) const {
  constexpr size_t mostLines = 5;
  const Source &first = sources.front();
  std::string text = "batch " + formatCount(first.batch + 1);
  if (sources.size() > 1)
    text += ".." + formatCount(sources.back().batch + 1);
  text += " of epoch " + formatCount(first.epoch + 1) + ", lines ";
  std::vector<uint32_t> items;
  for (const Source &source : sources)
    items.insert(items.end(), source.items.begin(), source.items.end());
  for (size_t i = 0; i < std::min(items.size(), mostLines); ++i)
    text += (i ? ", " : "") + parts.train.where(items[i]);
  if (items.size() > mostLines)
    text += " and " + formatCount(int64_t(items.size() - mostLines)) + " more";
  return text;
}

Status Trainer::afterSkip(const std::vector<Source> &sources) {
  ++state.window.skipped;
  ++state.skippedInRow;
  std::string text = "update " + formatCount(state.update + 1) + " (" +
                     describeSources(sources) + ")";
  if (state.skippedInRow < mostSkippedInRow) {
    if (parts.console.warning)
      parts.console.warning("the gradient is not finite at " + text +
                            "; skipped");
    return Status::ok();
  }
  return Status(StatusCode::RuntimeError,
                "loss is not finite at " + text + ", " +
                    std::to_string(mostSkippedInRow) +
                    " times in a row; last good checkpoint: " +
                    (saved.empty() ? "none" : saved));
}

/// One update from as many batches as are accumulated. False if it was skipped.
Result<bool> Trainer::updateOnce() {
  std::vector<Source> sources;
  std::vector<TrainBatch> batches;
  int64_t labels = 0;
  for (int64_t i = 0; i < config.data.accumulate; ++i) {
    batches.push_back(nextBatch(sources));
    labels += batches.back().labelCount;
  }
  UpdateSettings settings;
  double rate = schedule.at(state.optimStep + 1, state.halvings);
  settings.learningRate = static_cast<float>(rate);
  settings.step = state.optimStep + 1;
  settings.inverseCount = static_cast<float>(1.0 / static_cast<double>(labels));
  settings.clip = static_cast<float>(config.optim.clipNorm);
  StepResult result;
  if (batches.size() == 1) {
    Result<StepResult> step = model.step(batches[0], config.run.seed, settings);
    if (!step)
      return step.status().at(describeSources(sources));
    result = *step;
  } else {
    for (const TrainBatch &batch : batches) {
      Result<LossSums> sums = model.backward(batch, config.run.seed);
      if (!sums)
        return sums.status().at(describeSources(sources));
      result.sums += *sums;
    }
    Result<double> norm = model.update(settings);
    if (!norm)
      return norm.status();
    result.gradientNorm = *norm;
  }
  if (!std::isfinite(result.gradientNorm)) {
    DRAGOMAN_RETURN_IF_ERROR(afterSkip(sources));
    return false;
  }
  state.skippedInRow = 0;
  state.labels += labels;
  ++state.update;
  ++state.optimStep;
  LogWindow &window = state.window;
  window.sums += result.sums;
  window.labels += labels;
  for (const TrainBatch &batch : batches) {
    window.sourceTokens += batch.sourceTokens;
    window.cells += batch.pairs * (batch.sourceLength + batch.targetLength);
  }
  ++window.updates;
  window.normSum += result.gradientNorm;
  window.clipped +=
      settings.clip > 0 && result.gradientNorm > config.optim.clipNorm;
  window.learningRate = rate;
  if (config.optim.ema > 0)
    DRAGOMAN_RETURN_IF_ERROR(model.average(
        static_cast<float>(averageWeight(config.optim.ema, state.update))));
  return true;
}

//===----------------------------------------------------------------------===//
// Between updates
//===----------------------------------------------------------------------===//

bool Trainer::isDue(const Period &period, const TrainProgress &before) const {
  if (period.count == 0)
    return false;
  auto passed = [&](int64_t from, int64_t to) {
    return from / period.count != to / period.count;
  };
  if (period.unit == 'u')
    return passed(before.update, state.update);
  if (period.unit == 'e')
    return passed(before.epoch, state.epoch);
  return passed(before.labels, state.labels);
}

bool Trainer::isStopped() const {
  return parts.stop && parts.stop->load(std::memory_order_relaxed);
}

bool Trainer::isFinished() const {
  const TrainConfig::RunSection &run = config.run;
  auto reached = [](const Period &stop, int64_t value) {
    return stop.count > 0 && value >= stop.count;
  };
  return reached(run.stopUpdates, state.update) ||
         reached(run.stopEpochs, state.epoch) ||
         reached(run.stopTokens, state.labels);
}

Result<ValidationResult> dragoman::validate(TrainModel &model,
                                            const Mixture &valid,
                                            const BatchSettings &settings,
                                            const BatchLayout &layout,
                                            const std::atomic<bool> *stop) {
  LossSums sums;
  ValidationResult result;
  for (const std::vector<uint32_t> &items : sortedBatches(valid, settings)) {
    if (stop && stop->load(std::memory_order_relaxed))
      return Status(StatusCode::Cancelled, "stopped during validation");
    TrainBatch batch = makeBatch(valid, items, 0, layout);
    Result<LossSums> found = model.loss(batch);
    if (!found)
      return found.status().at("validation");
    sums += *found;
    result.labels += batch.labelCount;
  }
  double labels = static_cast<double>(std::max<int64_t>(result.labels, 1));
  result.nll = sums.nll / labels;
  result.accuracy = sums.correct / labels;
  return result;
}

/// Notes new best values; returns the metrics that have one.
std::vector<std::string> Trainer::takeMetrics(const ValidationResult &result) {
  std::vector<std::string> newBest;
  for (const std::string &name : config.run.metrics) {
    double value = result.metric(name);
    auto [place, isFirst] = state.best.emplace(name, BestValue());
    BestValue &best = place->second;
    double gain =
        largerIsBetter(name) ? value - best.value : best.value - value;
    bool improves = isFirst || gain > config.run.minDelta;
    if (std::isfinite(value) && improves) {
      best = {value, state.update, 0};
      newBest.push_back(name);
    } else {
      ++best.stalled;
    }
  }
  return newBest;
}

Status Trainer::runValidation(bool &stalled) {
  Clock::time_point start = Clock::now();
  std::span<float> parameters = model.state(parametersState);
  std::span<float> average = model.state(averageState);
  bool swaps = config.optim.ema > 0 && !average.empty();
  if (swaps)
    std::swap_ranges(parameters.begin(), parameters.end(), average.begin());
  Result<ValidationResult> result =
      validate(model, *parts.valid, trainBatchSettings(config), parts.layout,
               parts.stop);
  Status decoded;
  if (result && parts.decode)
    decoded = parts.decode(*result);
  if (swaps)
    std::swap_ranges(parameters.begin(), parameters.end(), average.begin());
  Status failure = result ? decoded : result.status();
  // A validation that is stopped comes again when the run goes on.
  state.pendingValidation = failure.code() == StatusCode::Cancelled;
  if (state.pendingValidation)
    return Status::ok();
  DRAGOMAN_RETURN_IF_ERROR(failure);

  std::vector<std::string> newBest = takeMetrics(*result);
  int64_t stalls = 0;
  if (!config.run.metrics.empty())
    stalls = state.best[config.run.metrics[0]].stalled;
  state.plateauStalled = stalls == 0 ? 0 : state.plateauStalled + 1;
  if (state.plateauStalled >= config.optim.plateauPatience) {
    ++state.halvings;
    state.plateauStalled = 0;
  }
  stalled = config.run.patience > 0 && stalls >= config.run.patience;
  double seconds = secondsSince(start);
  // The time of a validation is none of the training's.
  lineStarted += std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(seconds));
  return log->addValidation(state, *result, newBest, stalls, seconds);
}

/// Points best-METRIC at the checkpoint of its update.
static void linkBest(const std::string &folder, const std::string &metric,
                     int64_t update) {
  std::string link = folder + "/best-" + metric, temporary = link + ".tmp";
  std::error_code failure;
  fs::remove(temporary, failure);
  fs::create_symlink(checkpointName(update), temporary, failure);
  fs::rename(temporary, link, failure);
}

/// Saves a checkpoint. A failure is a warning: training goes on.
void Trainer::save() {
  if (savedUpdate == state.update)
    return;
  Clock::time_point start = Clock::now();
  Result<int64_t> logBytes = log->sync();
  Status failure = logBytes.status();
  if (logBytes) {
    state.logBytes = *logBytes;
    Result<uint64_t> bytes = saveCheckpoint(config.run.out, model, state);
    failure = bytes.status();
    if (bytes) {
      saved = checkpointName(state.update);
      savedUpdate = state.update;
      log->addSaved(saved, *bytes, secondsSince(start));
    }
  }
  if (!failure.isOk()) {
    if (parts.console.warning)
      parts.console.warning("not saved: " + failure.toString());
    return;
  }
  std::set<int64_t> kept;
  for (const auto &[metric, best] : state.best) {
    kept.insert(best.update);
    if (best.update == state.update)
      linkBest(config.run.out, metric, best.update);
  }
  pruneCheckpoints(config.run.out, config.run.keep, kept);
}

Status Trainer::afterUpdate(const TrainProgress &before, bool &stalled) {
  if (isDue(config.run.logEvery, before)) {
    DRAGOMAN_RETURN_IF_ERROR(log->addWindow(state, secondsSince(lineStarted),
                                            secondsSince(started)));
    state.window = LogWindow();
    lineStarted = Clock::now();
  }
  bool saves = isDue(config.run.saveEvery, before);
  if (parts.valid && isDue(config.run.validEvery, before)) {
    DRAGOMAN_RETURN_IF_ERROR(runValidation(stalled));
    for (const auto &[metric, best] : state.best)
      saves |= best.update == state.update;
  }
  if (saves)
    save();
  return Status::ok();
}

Result<TrainEnd> Trainer::run() {
  started = lineStarted = Clock::now();
  bool stalled = false;
  if (state.pendingValidation && parts.valid) {
    // The run was stopped during a validation.
    DRAGOMAN_RETURN_IF_ERROR(runValidation(stalled));
    savedUpdate = state.pendingValidation ? savedUpdate : -1;
    if (savedUpdate < 0)
      save();
  }
  TrainProgress before = state;
  while (!isFinished() && !stalled && !isStopped()) {
    Result<bool> updated = updateOnce();
    if (!updated)
      return updated.status();
    if (!*updated)
      continue;
    DRAGOMAN_RETURN_IF_ERROR(afterUpdate(before, stalled));
    before = state;
    if (parts.console.progress)
      parts.console.progress(
          "update " + formatCount(state.update) + "  " +
          shortRate(static_cast<double>(state.window.labels) /
                    std::max(secondsSince(lineStarted), 1e-9)) +
          " tok/s  " + formatDuration(secondsSince(started)));
  }
  save();
  if (isFinished())
    return TrainEnd::Finished;
  return stalled ? TrainEnd::Patience : TrainEnd::Stopped;
}

Status Trainer::overfit(int64_t updates) {
  std::vector<Source> sources;
  TrainBatch batch = nextBatch(sources);
  UpdateSettings settings;
  settings.inverseCount =
      static_cast<float>(1.0 / static_cast<double>(batch.labelCount));
  settings.clip = static_cast<float>(config.optim.clipNorm);
  int64_t every = std::max<int64_t>(updates / 10, 1);
  for (int64_t k = 1; k <= updates; ++k) {
    if (isStopped())
      return Status::ok();
    settings.step = k;
    settings.learningRate = static_cast<float>(schedule.at(k));
    Result<StepResult> step = model.step(batch, config.run.seed, settings);
    if (!step)
      return step.status();
    if (!std::isfinite(step->gradientNorm))
      return Status(StatusCode::RuntimeError,
                    "loss is not finite at update " + formatCount(k) + " (" +
                        describeSources(sources) + ")");
    if (k != 1 && k % every != 0)
      continue;
    double labels = static_cast<double>(batch.labelCount);
    char text[160];
    std::snprintf(text, sizeof text,
                  " | loss %.4f nll %.4f acc %.1f%% | gnorm %.2f lr %.2e",
                  step->sums.loss / labels, step->sums.nll / labels,
                  100 * step->sums.correct / labels, step->gradientNorm,
                  static_cast<double>(settings.learningRate));
    if (parts.console.info)
      parts.console.info("overfit up " + formatCount(k) + text);
  }
  return Status::ok();
}
