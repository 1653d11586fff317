//===- FormatReport.cpp - An inspection as text ---------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Quantities.h"
#include "tools/dragoman/InspectReport.h"

using namespace dragoman;
using nlohmann::ordered_json;

/// A string as it is, anything else as JSON.
static std::string text(const ordered_json &value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

static std::string bytesText(const ordered_json &value) {
  return formatBytes(value.get<uint64_t>());
}

static std::string joined(const ordered_json &list, const char *separator) {
  std::string line;
  for (const ordered_json &item : list)
    line += (line.empty() ? "" : separator) + text(item);
  return line;
}

static std::string padded(std::string word, size_t width) {
  if (word.size() < width)
    word.append(width - word.size(), ' ');
  return word + " ";
}

static std::string signature(const ordered_json &tensors) {
  std::string line;
  for (const ordered_json &tensor : tensors)
    line += (line.empty() ? "" : ", ") + text(tensor["name"]) + " " +
            text(tensor["type"]);
  return line;
}

static std::string entriesText(const ordered_json &report) {
  std::string out;
  for (const ordered_json &entry : report["entries"]) {
    out += "\nentry " + text(entry["name"]) + "(" + signature(entry["inputs"]) +
           ") -> (" + signature(entry["outputs"]) + ")\n  arena " +
           text(entry["arena"]) + "\n";
    size_t number = 0;
    for (const ordered_json &command : entry["commands"]) {
      out += "  " + padded(std::to_string(number++), 3) +
             padded(text(command["kind"]), 8);
      if (command.contains("kernel"))
        out +=
            text(command["kernel"]) + " tiles " + text(command["tiles"]) + " ";
      if (command.contains("equal"))
        out += text(command["equal"]) + " ";
      out += "(" + joined(command["slots"], ", ") + ")";
      if (!text(command["name"]).empty())
        out += "  ; " + text(command["name"]);
      out += "\n";
    }
  }
  return out;
}

static std::string tablesText(const ordered_json &report) {
  std::string out = "\nkernels\n";
  for (const ordered_json &kernel : report["kernels"])
    out += "  " + padded(text(kernel["symbol"]), 32) +
           padded(text(kernel["root"]), 12) + "used " + text(kernel["uses"]) +
           ", scratch " + bytesText(kernel["scratch_bytes"]) + ", " +
           text(kernel["schedule"]) + "\n";
  out += "\nstates\n";
  for (const ordered_json &state : report["states"])
    out += "  " + padded(text(state["name"]), 16) +
           padded(text(state["type"]), 28) + text(state["layout"]) + "\n";
  out += "\nweights: " + formatCount(report["parameters"].get<int64_t>()) +
         " values in " + bytesText(report["weight_bytes"]) + "\n";
  for (const ordered_json &weight : report["weights"])
    out += "  " + padded(text(weight["name"]), 48) +
           padded(text(weight["type"]), 16) +
           padded(text(weight["layout"]), 8) + bytesText(weight["bytes"]) +
           "\n";
  out += "\ncode\n";
  for (const ordered_json &code : report["code"])
    out += "  " + padded(text(code["level"]), 16) + bytesText(code["bytes"]) +
           ", needs " + joined(code["features"], " ") + "\n";
  return out;
}

static std::string settingsText(const ordered_json &report) {
  std::string out;
  if (report.contains("text"))
    out += "\ntokenizer: " + text(report["text"]["kind"]) + ", " +
           text(report["text"]["source_model"]) + ", " +
           text(report["text"]["source_vocabulary"]) + "\n";
  if (report.contains("limits"))
    out += "limits: vocabulary " + text(report["limits"]["vocabulary"]) +
           ", positions " + text(report["limits"]["positions"]) + "\n";
  out += "\nsettings\n";
  for (const ordered_json &setting : report["settings"])
    out += "  " + padded(text(setting["name"]), 24) +
           padded(text(setting["value"]), 12) + "(" + text(setting["origin"]) +
           ")\n";
  return out;
}

static std::string memoryText(const ordered_json &report) {
  std::string out = "\npeak memory in bytes: states + the largest arena + "
                    "scratch of each thread\n";
  for (const auto &[name, formula] : report["peak"].items())
    out += "  " + padded(name, 20) + text(formula) + "\n";
  if (!report.contains("memory"))
    return out;
  const ordered_json &memory = report["memory"];
  return out + "  " + text(memory["sentences"]) + " sentences, " +
         text(memory["source_tokens"]) + " source and " +
         text(memory["target_tokens"]) + " target tokens, beam " +
         text(memory["beam"]) + ": " + bytesText(memory["total_bytes"]) +
         " (states " + bytesText(memory["state_bytes"]) + ", arena " +
         bytesText(memory["arena_bytes"]) + ", scratch " +
         bytesText(memory["scratch_bytes"]) + ")\n";
}

static std::string trainingText(const ordered_json &report) {
  if (!report.contains("training"))
    return {};
  const ordered_json &training = report["training"];
  std::string states;
  for (const ordered_json &state : training["states"])
    states += (states.empty() ? "" : ", ") + text(state);
  return "\ntraining: " + text(training["parameters"]) + " parameters in " +
         text(training["tensors"]) + " tensors; states " + states +
         "; options " + training["options"].dump() + "\n";
}

std::string dragoman::formatReport(const ordered_json &report) {
  std::string family = text(report["family"]);
  std::string out = text(report["file"]) + ": " +
                    (family.empty() ? "module" : family + " translator") +
                    ", format " + text(report["format"]) + ", made by " +
                    text(report["producer"]) + "\n";
  if (!text(report["source_hash"]).empty())
    out += "source hash " + text(report["source_hash"]) + "\n";
  if (report.contains("verified"))
    out += "weights verified\n";
  return out + trainingText(report) + settingsText(report) +
         memoryText(report) + entriesText(report) + tablesText(report);
}
