//===- TrainLog.cpp - What a run says and records -------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/TrainLog.h"

#include "runtime/base/Quantities.h"
#include "runtime/base/SystemError.h"

#include <cerrno>
#include <cmath>
#include <cstdarg>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace dragoman;
using Json = nlohmann::ordered_json;

/// printf into a string.
[[gnu::format(printf, 1, 2)]] static std::string format(const char *pattern,
                                                        ...) {
  char buffer[256];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(buffer, sizeof buffer, pattern, arguments);
  va_end(arguments);
  return buffer;
}

std::string dragoman::shortRate(double value) {
  if (!(value >= 1000))
    return format("%.0f", value);
  return value < 1e6 ? format("%.1fk", value / 1e3)
                     : format("%.1fM", value / 1e6);
}

WindowMeans dragoman::meansOf(const LogWindow &window) {
  double labels = static_cast<double>(std::max<int64_t>(window.labels, 1));
  double updates = static_cast<double>(std::max<int64_t>(window.updates, 1));
  double cells = static_cast<double>(std::max<int64_t>(window.cells, 1));
  WindowMeans means;
  means.loss = window.sums.loss / labels;
  means.nll = window.sums.nll / labels;
  means.ppl = std::exp(means.nll);
  means.accuracy = window.sums.correct / labels;
  means.gradNorm = window.normSum / updates;
  means.clipRate = static_cast<double>(window.clipped) / updates;
  means.padShare =
      1 - static_cast<double>(window.sourceTokens + window.labels) / cells;
  return means;
}

bool dragoman::largerIsBetter(const std::string &metric) {
  return metric != "nll" && metric != "ppl";
}

double ValidationResult::metric(const std::string &name) const {
  if (name == "nll")
    return nll;
  if (name == "ppl")
    return std::exp(nll);
  if (name == "accuracy")
    return accuracy;
  return name == "bleu" ? bleu : chrf;
}

static Result<int> openForAppending(const std::string &path, int64_t length) {
  int descriptor =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return systemError("cannot be opened", path);
  off_t size = lseek(descriptor, 0, SEEK_END);
  if (length >= 0 && size < length) {
    close(descriptor);
    return Status(StatusCode::InvalidData,
                  "expected at least " + std::to_string(length) +
                      " bytes, found " + std::to_string(size),
                  path);
  }
  if (length >= 0 && ftruncate(descriptor, length) != 0) {
    Status status = systemError("cannot be cut", path);
    close(descriptor);
    return status;
  }
  return descriptor;
}

Result<std::unique_ptr<TrainLog>> TrainLog::open(const std::string &folder,
                                                 int64_t logBytes,
                                                 TrainConsole console) {
  std::unique_ptr<TrainLog> log(new TrainLog());
  log->lines = std::move(console);
  log->path = folder + "/train.jsonl";
  log->speedPath = folder + "/speed.jsonl";
  Result<int> descriptor = openForAppending(log->path, logBytes);
  if (!descriptor)
    return descriptor.status();
  log->descriptor = *descriptor;
  log->length = logBytes;
  descriptor = openForAppending(log->speedPath, logBytes == 0 ? 0 : -1);
  if (!descriptor)
    return descriptor.status();
  log->speedDescriptor = *descriptor;
  Result<std::unique_ptr<EventFile>> events = EventFile::create(folder + "/tb");
  if (!events)
    return events.status();
  log->events = std::move(*events);
  return log;
}

TrainLog::~TrainLog() {
  for (int open : {descriptor, speedDescriptor})
    if (open >= 0)
      close(open);
}

static Status writeLine(int descriptor, const std::string &path,
                        const Json &object, int64_t &length) {
  std::string text =
      object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (size_t done = 0; done < text.size();) {
    ssize_t count = ::write(descriptor, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return systemError("cannot be written", path);
    done += static_cast<size_t>(count);
    length += count;
  }
  return Status::ok();
}

Status TrainLog::append(const Json &object) {
  return writeLine(descriptor, path, object, length);
}

Status TrainLog::appendSpeed(const Json &object) {
  int64_t ignored = 0;
  return writeLine(speedDescriptor, speedPath, object, ignored);
}

Result<int64_t> TrainLog::sync() {
  if (fsync(descriptor) != 0)
    return systemError("cannot be synced", path);
  return length;
}

Status TrainLog::addWindow(const TrainProgress &progress, double seconds,
                           double elapsed) {
  const LogWindow &window = progress.window;
  WindowMeans means = meansOf(window);
  double time = std::max(seconds, 1e-9);
  double sourceRate = static_cast<double>(window.sourceTokens) / time;
  double targetRate = static_cast<double>(window.labels) / time;
  say("ep " + std::to_string(progress.epoch + 1) + " up " +
      formatCount(progress.update) +
      format(" | loss %.3f nll %.3f ppl %.2f acc %.1f%% | gnorm %.2f clip "
             "%.0f%% lr %.2e | ",
             means.loss, means.nll, means.ppl, 100 * means.accuracy,
             means.gradNorm, 100 * means.clipRate, window.learningRate) +
      shortRate(sourceRate) + "/" + shortRate(targetRate) +
      format(" tok/s pad %.0f%% | ", 100 * means.padShare) +
      formatDuration(elapsed));
  DRAGOMAN_RETURN_IF_ERROR(append({{"type", "train"},
                                   {"update", progress.update},
                                   {"epoch", progress.epoch + 1},
                                   {"loss", means.loss},
                                   {"nll", means.nll},
                                   {"ppl", means.ppl},
                                   {"accuracy", means.accuracy},
                                   {"grad_norm", means.gradNorm},
                                   {"clip_rate", means.clipRate},
                                   {"lr", window.learningRate},
                                   {"labels", progress.labels},
                                   {"pad_share", means.padShare},
                                   {"skipped", window.skipped}}));
  DRAGOMAN_RETURN_IF_ERROR(appendSpeed({{"update", progress.update},
                                        {"src_tok_s", sourceRate},
                                        {"tgt_tok_s", targetRate},
                                        {"seconds", elapsed}}));
  return events->addScalars(
      progress.update,
      {{"train/loss", means.loss},
       {"train/nll", means.nll},
       {"train/ppl", means.ppl},
       {"train/accuracy", means.accuracy},
       {"train/grad_norm", means.gradNorm},
       {"train/clip_rate", means.clipRate},
       {"train/lr", window.learningRate},
       {"train/src_tok_s", sourceRate},
       {"train/tgt_tok_s", targetRate},
       {"train/pad_share", means.padShare},
       {"train/skipped", static_cast<double>(window.skipped)}});
}

Status TrainLog::addValidation(const TrainProgress &progress,
                               const ValidationResult &result,
                               const std::vector<std::string> &newBest,
                               int64_t stalled, double seconds) {
  std::string text = "valid up " + formatCount(progress.update) +
                     format(" | nll %.3f ppl %.2f acc %.1f%%", result.nll,
                            result.metric("ppl"), 100 * result.accuracy);
  Json object = {{"type", "valid"},
                 {"update", progress.update},
                 {"nll", result.nll},
                 {"ppl", result.metric("ppl")},
                 {"accuracy", result.accuracy},
                 {"stalled", stalled},
                 {"best", newBest}};
  std::vector<std::pair<std::string, double>> scalars = {
      {"valid/nll", result.nll},
      {"valid/ppl", result.metric("ppl")},
      {"valid/accuracy", result.accuracy},
      {"valid/seconds", seconds},
      {"valid/stalled", static_cast<double>(stalled)}};
  if (result.decoded) {
    text += format(" | bleu %.2f (", result.bleu) + result.bleuSignature +
            format(") chrf2 %.1f", result.chrf);
    object["bleu"] = result.bleu;
    object["bleu_signature"] = result.bleuSignature;
    object["chrf2"] = result.chrf;
    scalars.push_back({"valid/bleu", result.bleu});
    scalars.push_back({"valid/chrf2", result.chrf});
  }
  std::string samples;
  for (const ValidationResult::Sample &sample : result.samples) {
    object["samples"].push_back({{"source", sample.source},
                                 {"reference", sample.reference},
                                 {"hypothesis", sample.hypothesis}});
    samples += "    source     " + sample.source + "\n    reference  " +
               sample.reference + "\n    hypothesis " + sample.hypothesis +
               "\n\n";
  }
  if (stalled == 0)
    text += " | new best";
  else
    text += " | stalled " + std::to_string(stalled);
  say(text + format(" | %.1f s", seconds));
  for (const ValidationResult::Sample &sample : result.samples)
    say("  src " + sample.source + "\n  ref " + sample.reference + "\n  hyp " +
        sample.hypothesis);
  DRAGOMAN_RETURN_IF_ERROR(append(object));
  DRAGOMAN_RETURN_IF_ERROR(events->addScalars(progress.update, scalars));
  if (samples.empty())
    return Status::ok();
  return events->addText(progress.update, "valid/samples", samples);
}

void TrainLog::addSaved(const std::string &name, uint64_t bytes,
                        double seconds) {
  say("saved " + name +
      format(" (%.1f MB, %.2f s)", static_cast<double>(bytes) / 1e6, seconds));
}

Status TrainLog::addConfig(int64_t update, const std::string &yaml) {
  std::string text;
  for (size_t begin = 0; begin < yaml.size();) {
    size_t end = std::min(yaml.find('\n', begin), yaml.size());
    text += "    " + yaml.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return events->addText(update, "config", text);
}
