//===- ResolveSettings.cpp - From settings files to a search --------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/decode/ResolveSettings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

using namespace dragoman;
using nlohmann::json;

namespace {

/// A key that the search reads, and the option that sets it.
struct KnownKey {
  std::string_view name;
  std::string_view option;
};

constexpr KnownKey knownKeys[] = {
    {"scoring", "--scoring"},
    {"num_beams", "--beam"},
    {"num_return_sequences", "--n-best"},
    {"length_penalty", "--length-penalty"},
    {"early_stopping", "--early-stopping"},
    {"max_length", "--max-length"},
    {"max_new_tokens", ""},
    {"min_length", "--min-length"},
    {"min_new_tokens", ""},
    {"repetition_penalty", "--repetition-penalty"},
    {"no_repeat_ngram_size", "--no-repeat-ngram"},
    {"bad_words_ids", ""},
    {"suppress_tokens", ""},
    {"begin_suppress_tokens", ""},
    {"forced_bos_token_id", ""},
    {"forced_eos_token_id", ""},
    {"decoder_start_token_id", ""},
    {"bos_token_id", ""},
    {"eos_token_id", ""},
    {"pad_token_id", ""},
    {"renormalize_logits", ""},
};

/// Keys that never change which words come out of a search.
constexpr std::string_view neutralKeys[] = {
    "_from_model_config",
    "transformers_version",
    "use_cache",
    "output_attentions",
    "output_hidden_states",
    "output_scores",
    "output_logits",
    "return_dict_in_generate",
    "cache_implementation",
    "max_time",
    "low_memory",
    "disable_compile",
    // Read by sampling only, which `do_sample` would switch on.
    "temperature",
    "top_k",
    "top_p",
    "min_p",
    "typical_p",
    "epsilon_cutoff",
    "eta_cutoff",
};

/// Keys that change the output and have no implementation here: refused unless
/// they hold the value that switches them off.
struct RefusedKey {
  std::string_view name;
  double off; ///< the number that means "off"; null, false and [] always do
};

constexpr double noNumber = std::numeric_limits<double>::quiet_NaN();
constexpr RefusedKey refusedKeys[] = {
    {"do_sample", 0},
    {"num_beam_groups", 1},
    {"diversity_penalty", 0},
    {"penalty_alpha", 0},
    {"constraints", noNumber},
    {"force_words_ids", noNumber},
    {"guidance_scale", 1},
    {"dola_layers", noNumber},
    {"sequence_bias", noNumber},
    {"encoder_repetition_penalty", 1},
    {"encoder_no_repeat_ngram_size", 0},
    {"exponential_decay_length_penalty", noNumber},
    {"stop_strings", noNumber},
    {"watermarking_config", noNumber},
    {"token_healing", 0},
};

bool isOff(const json &value, double off) {
  if (value.is_null() || value == false)
    return true;
  if (value.is_array() || value.is_object())
    return value.empty();
  return value.is_number() && value.get<double>() == off;
}

const KnownKey *findKnown(std::string_view name) {
  for (const KnownKey &key : knownKeys)
    if (key.name == name)
      return &key;
  return nullptr;
}

/// A value as a message shows it: short, on one line.
std::string shown(const json &value) {
  std::string text =
      value.is_number_float() && !std::isfinite(value.get<double>())
          ? (std::isnan(value.get<double>()) ? "nan" : "inf")
          : value.dump();
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

std::string rangeText(int64_t low, int64_t high) {
  if (high == std::numeric_limits<int64_t>::max())
    return std::to_string(low) + " or more";
  return std::to_string(low) + " to " + std::to_string(high);
}

/// Looks settings up through the layers and keeps the first failure.
class Reader {
public:
  Reader(const std::vector<SettingLayer> &layers, const ModelLimits &limits)
      : layers(layers), limits(limits) {}

  const Status &status() const { return failure; }

  void fail(std::string_view name, const std::string &origin,
            const std::string &message) {
    if (!failure.isOk())
      return;
    const KnownKey *key = findKnown(name);
    if (origin == commandLineOrigin && key && !key->option.empty()) {
      failure = Status(StatusCode::InvalidArgument, message,
                       std::string(key->option));
      return;
    }
    failure = Status(origin == commandLineOrigin ? StatusCode::InvalidArgument
                                                 : StatusCode::InvalidData,
                     message, origin + ": " + std::string(name));
  }

  /// The value of the strongest layer that sets `name`, else null.
  const json *find(std::string_view name, std::string &origin) const {
    for (const SettingLayer &layer : layers) {
      if (layer.values.is_null())
        continue;
      auto it = layer.values.find(name);
      if (it == layer.values.end() || it->is_null())
        continue;
      origin = layer.origin;
      return &*it;
    }
    return nullptr;
  }

  void readInteger(std::string_view name, int64_t low, int64_t high,
                   Sourced<int64_t> &out, const std::string &note = {}) {
    std::string origin;
    const json *value = find(name, origin);
    if (!value)
      return;
    if (!value->is_number_integer() || value->get<int64_t>() < low ||
        value->get<int64_t>() > high)
      return fail(name, origin,
                  "expected " + rangeText(low, high) + note + ", found " +
                      shown(*value));
    out = {value->get<int64_t>(), origin};
  }

  /// A finite number, above zero if `positive`.
  void readNumber(std::string_view name, bool positive, Sourced<double> &out) {
    std::string origin;
    const json *value = find(name, origin);
    if (!value)
      return;
    double number = value->is_number() ? value->get<double>() : noNumber;
    if (!std::isfinite(number) || (positive && number <= 0))
      return fail(name, origin,
                  std::string("expected a finite number") +
                      (positive ? " above 0" : "") + ", found " +
                      shown(*value));
    out = {number, origin};
  }

  void readFlag(std::string_view name, Sourced<bool> &out) {
    std::string origin;
    const json *value = find(name, origin);
    if (!value)
      return;
    if (!value->is_boolean())
      return fail(name, origin,
                  "expected true or false, found " + shown(*value));
    out = {value->get<bool>(), origin};
  }

  /// One id, or a list of exactly one.
  void readId(std::string_view name, Sourced<int32_t> &out) {
    std::string origin;
    const json *value = find(name, origin);
    if (!value)
      return;
    if (value->is_array() && value->size() == 1)
      value = &value->front();
    if (!isId(*value))
      return fail(name, origin, expectedId() + ", found " + shown(*value));
    out = {value->get<int32_t>(), origin};
  }

  /// One id or a list of ids.
  void readIds(std::string_view name, Sourced<std::vector<int32_t>> &out) {
    std::string origin;
    const json *value = find(name, origin);
    if (!value)
      return;
    std::vector<int32_t> ids;
    if (!readIdList(name, origin,
                    value->is_array() ? *value : json::array({*value}), ids))
      return;
    out = {std::move(ids), origin};
  }

  void readIdLists(std::string_view name,
                   Sourced<std::vector<std::vector<int32_t>>> &out) {
    std::string origin;
    const json *value = find(name, origin);
    if (!value)
      return;
    if (!value->is_array())
      return fail(name, origin,
                  "expected a list of lists of ids, found " + shown(*value));
    std::vector<std::vector<int32_t>> lists;
    for (const json &entry : *value) {
      std::vector<int32_t> ids;
      if (!entry.is_array() || entry.empty())
        return fail(name, origin,
                    "expected a list of ids in every entry, found " +
                        shown(entry));
      if (!readIdList(name, origin, entry, ids))
        return;
      lists.push_back(std::move(ids));
    }
    out = {std::move(lists), origin};
  }

  void readEarlyStopping(Sourced<EarlyStopping> &out) {
    std::string origin;
    const json *value = find("early_stopping", origin);
    if (!value)
      return;
    if (value->is_boolean())
      out = {value->get<bool>() ? EarlyStopping::True : EarlyStopping::False,
             origin};
    else if (*value == "never")
      out = {EarlyStopping::Never, origin};
    else
      fail("early_stopping", origin,
           "expected false, true or never, found " + shown(*value));
  }

private:
  bool isId(const json &value) const {
    return value.is_number_integer() && value.get<int64_t>() >= 0 &&
           value.get<int64_t>() < limits.vocabulary;
  }

  std::string expectedId() const {
    return "expected an id from 0 to " + std::to_string(limits.vocabulary - 1);
  }

  bool readIdList(std::string_view name, const std::string &origin,
                  const json &list, std::vector<int32_t> &ids) {
    for (const json &entry : list) {
      if (!isId(entry)) {
        fail(name, origin, expectedId() + ", found " + shown(entry));
        return false;
      }
      ids.push_back(entry.get<int32_t>());
    }
    return true;
  }

  const std::vector<SettingLayer> &layers;
  const ModelLimits &limits;
  Status failure;
};

/// Refuses keys that this build cannot honour and lists those nobody knows.
Status checkKeys(const std::vector<SettingLayer> &layers,
                 std::vector<std::string> &notices) {
  std::set<std::string> seen;
  for (const SettingLayer &layer : layers) {
    std::string unknown;
    for (const auto &[name, value] : layer.values.items()) {
      auto refused =
          std::find_if(std::begin(refusedKeys), std::end(refusedKeys),
                       [&](const RefusedKey &key) { return key.name == name; });
      bool stronger = !value.is_null() && !seen.insert(name).second;
      if (refused != std::end(refusedKeys)) {
        if (!stronger && !isOff(value, refused->off))
          return Status(StatusCode::Unsupported,
                        "the setting changes the output and is not supported, "
                        "found " +
                            shown(value) + "; remove the key",
                        layer.origin + ": " + name);
        continue;
      }
      bool neutral = std::find(std::begin(neutralKeys), std::end(neutralKeys),
                               name) != std::end(neutralKeys);
      if (neutral || layer.onlyKnownKeys || findKnown(name))
        continue;
      unknown += (unknown.empty() ? "" : ", ") + name;
    }
    if (!unknown.empty())
      notices.push_back(layer.origin +
                        ": unknown settings ignored: " + unknown);
  }
  return Status::ok();
}

/// The ids that start and end a hypothesis.
void readTokens(Reader &reader, GenerationSettings &settings) {
  reader.readId("decoder_start_token_id", settings.start);
  if (settings.start.value < 0)
    reader.readId("bos_token_id", settings.start);
  reader.readIds("eos_token_id", settings.eos);
  reader.readId("pad_token_id", settings.pad);
  reader.readId("forced_bos_token_id", settings.forcedBos);
  reader.readId("forced_eos_token_id", settings.forcedEos);
  if (settings.start.value < 0)
    reader.fail("decoder_start_token_id", "generation_config.json",
                "expected the id of the first decoder input, found none");
  if (settings.eos.value.empty())
    reader.fail("eos_token_id", "generation_config.json",
                "expected the id that ends a sentence, found none");
}

void readBeam(Reader &reader, const ModelLimits &limits,
              GenerationSettings &settings, std::vector<std::string> &notices) {
  // A step keeps max(2, 1 + |E|) * beam candidates of `selectWidth`.
  int64_t perBeam =
      std::max<int64_t>(2, 1 + int64_t(settings.eos.value.size()));
  reader.readInteger("num_beams", 1, selectWidth / perBeam, settings.beam);
  if (reader.status().isOk() && settings.beam.value > limits.vocabulary) {
    notices.push_back("beam " + std::to_string(settings.beam.value) +
                      " is larger than the vocabulary; using " +
                      std::to_string(limits.vocabulary));
    settings.beam.value = limits.vocabulary;
  }
  // A file's n-best gives way to a smaller beam of the command line.
  int64_t beam = settings.beam.value;
  std::string origin;
  const json *nBest = reader.find("num_return_sequences", origin);
  if (nBest && origin != commandLineOrigin &&
      settings.beam.origin == commandLineOrigin && nBest->is_number_integer() &&
      nBest->get<int64_t>() > beam) {
    settings.nBest = settings.beam;
    return;
  }
  reader.readInteger("num_return_sequences", 1, beam, settings.nBest,
                     " (the beam)");
}

void readLengths(Reader &reader, const ModelLimits &limits,
                 GenerationSettings &settings,
                 std::vector<std::string> &notices) {
  constexpr int64_t unlimited = std::numeric_limits<int64_t>::max();
  // A file may ask for more than the position table: it is cut to the table,
  // as it is everywhere. On the command line it is a mistake.
  std::string origin;
  reader.find("max_length", origin);
  int64_t most = origin == commandLineOrigin ? limits.positions + 1 : unlimited;
  reader.readInteger("max_length", 2, most, settings.maxLength,
                     " (the start token counts)");
  reader.readInteger("max_new_tokens", 1, unlimited, settings.maxNewTokens);
  // A limit of the command line is stronger than the other key of a file.
  if (settings.maxLength.value > 0 &&
      settings.maxLength.origin == commandLineOrigin &&
      settings.maxNewTokens.origin != commandLineOrigin)
    settings.maxNewTokens = {};
  int64_t longest = limits.positions + 1;
  if (settings.maxNewTokens.value > 0)
    longest = std::min(longest, settings.maxNewTokens.value + 1);
  else if (settings.maxLength.value > 0)
    longest = std::min(longest, settings.maxLength.value);
  else
    notices.push_back("no max_length is set: a result has at most 2 * source "
                      "length + 50 tokens");
  reader.readInteger("min_length", 0, longest, settings.minLength,
                     " (the longest result)");
  reader.readInteger("min_new_tokens", 0, longest - 1, settings.minNewTokens,
                     " (the longest result)");
}

} // namespace

Result<GenerationSettings>
dragoman::resolveSettings(const std::vector<SettingLayer> &layers,
                          const ModelLimits &limits,
                          std::vector<std::string> &notices) {
  for (const SettingLayer &layer : layers)
    if (!layer.values.is_object() && !layer.values.is_null())
      return Status(StatusCode::InvalidData,
                    "expected an object of settings, found " +
                        shown(layer.values),
                    layer.origin);
  DRAGOMAN_RETURN_IF_ERROR(checkKeys(layers, notices));

  GenerationSettings settings;
  Reader reader(layers, limits);
  std::string origin;
  if (const json *scoring = reader.find("scoring", origin)) {
    if (*scoring != "hf")
      reader.fail("scoring", origin, "expected hf, found " + shown(*scoring));
    settings.scoring = {"hf", origin};
  }
  readTokens(reader, settings);
  readBeam(reader, limits, settings, notices);
  readLengths(reader, limits, settings, notices);
  reader.readNumber("length_penalty", /*positive=*/false,
                    settings.lengthPenalty);
  reader.readEarlyStopping(settings.earlyStopping);
  reader.readNumber("repetition_penalty", /*positive=*/true,
                    settings.repetitionPenalty);
  reader.readInteger("no_repeat_ngram_size", 0,
                     std::numeric_limits<int64_t>::max(),
                     settings.noRepeatNgram);
  reader.readIdLists("bad_words_ids", settings.badWords);
  reader.readIds("suppress_tokens", settings.suppress);
  reader.readIds("begin_suppress_tokens", settings.beginSuppress);
  reader.readFlag("renormalize_logits", settings.renormalize);
  if (!reader.status().isOk())
    return reader.status();
  return settings;
}
