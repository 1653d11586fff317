//===- ResolveSettingsTest.cpp - Origins, ranges and refusals -------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/decode/ResolveSettings.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace dragoman;
using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

const ModelLimits limits{4000, 4000, 512, 512};

/// generation_config.json and config.json of a Marian folder.
const json marianGeneration = json::parse(R"({
  "bad_words_ids": [[3999]], "bos_token_id": 0, "decoder_start_token_id": 3999,
  "early_stopping": false, "eos_token_id": 0, "forced_eos_token_id": 0,
  "length_penalty": 1.0, "max_length": 64, "num_beams": 4,
  "pad_token_id": 3999, "renormalize_logits": true})");
const json marianConfig = json::parse(R"({
  "d_model": 128, "model_type": "marian", "num_beams": 6, "min_length": 2,
  "eos_token_id": 0})");

struct Outcome {
  Status status;
  GenerationSettings settings;
  std::vector<std::string> notices;
};

Outcome resolve(const json &commandLine, const json &generation,
                const json &config = json::object(),
                const ModelLimits &of = limits) {
  Outcome outcome;
  Result<GenerationSettings> result =
      resolveSettings({{"command line", commandLine, false},
                       {"generation_config.json", generation, false},
                       {"config.json", config, true}},
                      of, outcome.notices);
  if (result)
    outcome.settings = *result;
  else
    outcome.status = result.status();
  return outcome;
}

json with(const char *key, json value) {
  json changed = marianGeneration;
  changed[key] = std::move(value);
  return changed;
}

TEST(ResolveSettings, StrongestLayerWinsAndIsNamed) {
  Outcome outcome =
      resolve({{"length_penalty", 0.6}}, marianGeneration, marianConfig);
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.toString();
  const GenerationSettings &settings = outcome.settings;
  EXPECT_EQ(settings.lengthPenalty.value, 0.6);
  EXPECT_EQ(settings.lengthPenalty.origin, "command line");
  EXPECT_EQ(settings.beam.value, 4);
  EXPECT_EQ(settings.beam.origin, "generation_config.json");
  EXPECT_EQ(settings.minLength.value, 2);
  EXPECT_EQ(settings.minLength.origin, "config.json");
  EXPECT_EQ(settings.repetitionPenalty.value, 1.0);
  EXPECT_EQ(settings.repetitionPenalty.origin, "mode default");
  EXPECT_EQ(settings.start.value, 3999);
  EXPECT_THAT(settings.eos.value, ElementsAre(0));
  EXPECT_TRUE(settings.renormalize.value);
  EXPECT_THAT(outcome.notices, IsEmpty());
}

TEST(ResolveSettings, EveryRowHasItsOrigin) {
  Outcome outcome = resolve({{"num_beams", 2}}, marianGeneration);
  std::vector<std::string> seen;
  for (const GenerationSettings::Row &row : outcome.settings.rows())
    if (row.name == "num_beams" || row.name == "max_length" ||
        row.name == "forced_bos_token_id")
      seen.push_back(row.name + " " + row.value + " " + row.origin);
  EXPECT_THAT(seen, ElementsAre("num_beams 2 command line",
                                "max_length 64 generation_config.json",
                                "forced_bos_token_id null mode default"));
}

TEST(ResolveSettings, UnknownKeysAreListedOnce) {
  json generation = marianGeneration;
  generation["zz_new"] = 1;
  generation["a_new"] = 1;
  generation["temperature"] = 0.7; // sampling only
  EXPECT_THAT(resolve({}, generation, marianConfig).notices,
              ElementsAre("generation_config.json: unknown settings ignored: "
                          "a_new, zz_new"));
}

TEST(ResolveSettings, LimitIsSaidWhenNoLayerSetsOne) {
  json generation = marianGeneration;
  generation.erase("max_length");
  Outcome outcome = resolve({}, generation);
  EXPECT_THAT(outcome.notices,
              ElementsAre("no max_length is set: a result has at most 2 * "
                          "source length + 50 tokens"));
  EXPECT_EQ(outcome.settings.newTokenLimit(10, limits), 70);
  EXPECT_EQ(outcome.settings.newTokenLimit(400, limits), 512);
}

TEST(ResolveSettings, LengthLimits) {
  EXPECT_EQ(resolve({}, marianGeneration).settings.newTokenLimit(9, limits),
            63);
  EXPECT_EQ(
      resolve({}, with("max_new_tokens", 5)).settings.newTokenLimit(9, limits),
      5);
  // The command line is stronger than the other key of a file.
  EXPECT_EQ(resolve({{"max_length", 10}}, with("max_new_tokens", 5))
                .settings.newTokenLimit(9, limits),
            9);
  // A file may ask for more than the position table has.
  EXPECT_EQ(
      resolve({}, with("max_length", 100000)).settings.newTokenLimit(9, limits),
      512);
}

struct Refusal {
  const char *name;
  json commandLine;
  json generation;
  StatusCode code;
  const char *text;
};

class Refused : public testing::TestWithParam<Refusal> {};

TEST_P(Refused, WithTheAllowedRange) {
  const Refusal &refusal = GetParam();
  Outcome outcome = resolve(refusal.commandLine, refusal.generation);
  EXPECT_EQ(outcome.status.code(), refusal.code);
  EXPECT_EQ(outcome.status.toString(), refusal.text);
}

constexpr StatusCode usage = StatusCode::InvalidArgument;
constexpr StatusCode data = StatusCode::InvalidData;

INSTANTIATE_TEST_SUITE_P(
    Settings, Refused,
    testing::Values(
        Refusal{"beam_0",
                {{"num_beams", 0}},
                marianGeneration,
                usage,
                "--beam: expected 1 to 64, found 0"},
        Refusal{"beam_65",
                {{"num_beams", 65}},
                marianGeneration,
                usage,
                "--beam: expected 1 to 64, found 65"},
        Refusal{"n_best_5",
                {{"num_return_sequences", 5}},
                marianGeneration,
                usage,
                "--n-best: expected 1 to 4 (the beam), found 5"},
        Refusal{"max_length_0",
                {{"max_length", 0}},
                marianGeneration,
                usage,
                "--max-length: expected 2 to 513 (the start token counts), "
                "found 0"},
        Refusal{"max_length_514",
                {{"max_length", 514}},
                marianGeneration,
                usage,
                "--max-length: expected 2 to 513 (the start token counts), "
                "found 514"},
        Refusal{"min_length_65",
                {{"min_length", 65}},
                marianGeneration,
                usage,
                "--min-length: expected 0 to 64 (the longest result), "
                "found 65"},
        Refusal{"length_penalty_nan",
                {{"length_penalty", std::nan("")}},
                marianGeneration,
                usage,
                "--length-penalty: expected a finite number, found nan"},
        Refusal{"repetition_penalty_0",
                {{"repetition_penalty", 0}},
                marianGeneration,
                usage,
                "--repetition-penalty: expected a finite number above 0, "
                "found 0"},
        Refusal{"no_repeat_ngram_negative",
                {{"no_repeat_ngram_size", -1}},
                marianGeneration,
                usage,
                "--no-repeat-ngram: expected 0 or more, found -1"},
        Refusal{"early_stopping_maybe",
                {{"early_stopping", "maybe"}},
                marianGeneration,
                usage,
                "--early-stopping: expected false, true or never, "
                "found \"maybe\""},
        Refusal{"scoring_ct2",
                {{"scoring", "ct2"}},
                marianGeneration,
                usage,
                "--scoring: expected hf, found \"ct2\""},
        Refusal{"file_beam_0", json::object(), with("num_beams", 0), data,
                "generation_config.json: num_beams: expected 1 to 64, "
                "found 0"},
        Refusal{"pad_outside", json::object(), with("pad_token_id", 4000), data,
                "generation_config.json: pad_token_id: expected an id from 0 "
                "to 3999, found 4000"},
        Refusal{"bad_words_flat", json::object(), with("bad_words_ids", {1}),
                data,
                "generation_config.json: bad_words_ids: expected a list of "
                "ids in every entry, found 1"},
        Refusal{"no_start",
                json::object(),
                {{"eos_token_id", 0}},
                data,
                "generation_config.json: decoder_start_token_id: expected the "
                "id of the first decoder input, found none"},
        Refusal{"no_end",
                json::object(),
                {{"decoder_start_token_id", 0}},
                data,
                "generation_config.json: eos_token_id: expected the id that "
                "ends a sentence, found none"},
        Refusal{"beam_groups", json::object(), with("num_beam_groups", 2),
                StatusCode::Unsupported,
                "generation_config.json: num_beam_groups: the setting changes "
                "the output and is not supported, found 2; remove the key"},
        Refusal{"sampling", json::object(), with("do_sample", true),
                StatusCode::Unsupported,
                "generation_config.json: do_sample: the setting changes the "
                "output and is not supported, found true; remove the key"}),
    [](const testing::TestParamInfo<Refusal> &info) {
      return info.param.name;
    });

TEST(ResolveSettings, SwitchedOffKeysAreFine) {
  json generation = marianGeneration;
  generation["num_beam_groups"] = 1;
  generation["do_sample"] = false;
  generation["penalty_alpha"] = nullptr;
  generation["constraints"] = json::array();
  generation["encoder_repetition_penalty"] = 1.0;
  Outcome outcome = resolve({}, generation);
  EXPECT_TRUE(outcome.status.isOk()) << outcome.status.toString();
  EXPECT_THAT(outcome.notices, IsEmpty());
}

TEST(ResolveSettings, BeamWiderThanTheVocabularyIsClamped) {
  ModelLimits tiny{6, 6, 64, 64};
  Outcome outcome = resolve(
      {{"num_beams", 8}},
      {{"decoder_start_token_id", 5}, {"eos_token_id", 0}, {"max_length", 9}},
      json::object(), tiny);
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.toString();
  EXPECT_EQ(outcome.settings.beam.value, 6);
  EXPECT_THAT(outcome.notices,
              ElementsAre("beam 8 is larger than the vocabulary; using 6"));
}

TEST(ResolveSettings, AFilesNBestGivesWayToASmallerBeam) {
  Outcome outcome =
      resolve({{"num_beams", 2}}, with("num_return_sequences", 4));
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.toString();
  EXPECT_EQ(outcome.settings.nBest.value, 2);
}

} // namespace
