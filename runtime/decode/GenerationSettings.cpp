//===- GenerationSettings.cpp - Settings of a search ----------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/decode/GenerationSettings.h"

#include <algorithm>
#include <nlohmann/json.hpp>

using namespace dragoman;

std::vector<GenerationSettings::Row> GenerationSettings::rows() const {
  std::vector<Row> rows;
  auto add = [&rows](const char *name, const auto &setting,
                     const nlohmann::json &value) {
    rows.push_back({name, value.dump(), setting.origin});
  };
  auto addId = [&add](const char *name, const Sourced<int32_t> &setting) {
    add(name, setting,
        setting.value < 0 ? nlohmann::json() : nlohmann::json(setting.value));
  };
  auto addLimit = [&add](const char *name, const Sourced<int64_t> &setting) {
    add(name, setting,
        setting.value == 0 ? nlohmann::json() : nlohmann::json(setting.value));
  };
  add("scoring", scoring, scoring.value);
  add("num_beams", beam, beam.value);
  add("num_return_sequences", nBest, nBest.value);
  add("length_penalty", lengthPenalty, lengthPenalty.value);
  if (earlyStopping.value == EarlyStopping::Never)
    add("early_stopping", earlyStopping, "never");
  else
    add("early_stopping", earlyStopping,
        earlyStopping.value == EarlyStopping::True);
  addLimit("max_length", maxLength);
  addLimit("max_new_tokens", maxNewTokens);
  add("min_length", minLength, minLength.value);
  add("min_new_tokens", minNewTokens, minNewTokens.value);
  add("repetition_penalty", repetitionPenalty, repetitionPenalty.value);
  add("no_repeat_ngram_size", noRepeatNgram, noRepeatNgram.value);
  add("bad_words_ids", badWords, badWords.value);
  add("suppress_tokens", suppress, suppress.value);
  add("begin_suppress_tokens", beginSuppress, beginSuppress.value);
  addId("forced_bos_token_id", forcedBos);
  addId("forced_eos_token_id", forcedEos);
  addId("decoder_start_token_id", start);
  add("eos_token_id", eos, eos.value);
  addId("pad_token_id", pad);
  add("renormalize_logits", renormalize, renormalize.value);
  return rows;
}

bool GenerationSettings::isEos(int32_t id) const {
  return std::find(eos.value.begin(), eos.value.end(), id) != eos.value.end();
}

int64_t GenerationSettings::newTokenLimit(int64_t sourceLength,
                                          const ModelLimits &limits) const {
  // The prompt is the start token; the last generated token is never fed, so
  // 1 + limit - 1 positions are used.
  int64_t limit = limits.positions;
  if (maxNewTokens.value > 0)
    limit = std::min(limit, maxNewTokens.value);
  else if (maxLength.value > 0)
    limit = std::min(limit, maxLength.value - 1);
  else
    limit = std::min(
        limit,
        static_cast<int64_t>(lengthRatio * static_cast<double>(sourceLength)) +
            lengthExtra);
  return std::max<int64_t>(limit, 1);
}
