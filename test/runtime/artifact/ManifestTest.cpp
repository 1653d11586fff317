//===- ManifestTest.cpp - manifest.json and its checks --------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/Safetensors.h"
#include "test/runtime/TestFiles.h"
#include "test/runtime/artifact/SampleArtifact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

using namespace dragoman;
using namespace dragoman::test;
using testing::HasSubstr;

namespace {

/// The sample as a writer leaves it.
Manifest complete() {
  Manifest manifest = sampleManifest();
  EXPECT_TRUE(layoutWeights(manifest.weights).isOk());
  const std::string checksum(32, 'a');
  for (WeightDesc &weight : manifest.weights)
    weight.checksum = checksum;
  for (const char *path :
       {"commands/main.bin", "code/cpu/x86-64-v3.so", "text/source.spm",
        "text/target.spm", "text/vocab.json", weightsMember})
    manifest.members.push_back({path, 10, checksum});
  return manifest;
}

std::string refusal(const Manifest &manifest) {
  Result<Manifest> parsed = Manifest::fromJson(manifest.toJson());
  return parsed.isOk() ? "accepted" : parsed.status().toString();
}

/// The refusal of the sample's text after one replacement.
std::string refusalWith(const std::string &what, const std::string &by) {
  std::string text = complete().toJson();
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  Result<Manifest> parsed =
      Manifest::fromJson(text.replace(at, what.size(), by));
  return parsed.isOk() ? "accepted" : parsed.status().toString();
}

TEST(Manifest, RoundTrip) {
  const Manifest manifest = complete();
  const std::string text = manifest.toJson();
  Result<Manifest> parsed = Manifest::fromJson(text);
  ASSERT_TRUE(parsed.isOk()) << parsed.status().toString();
  EXPECT_EQ(parsed->toJson(), text);
  EXPECT_EQ(parsed->entries, manifest.entries);
  EXPECT_EQ(parsed->peak.at("main"), manifest.peak.at("main"));
  EXPECT_EQ(parsed->states[0].tensor.shape, manifest.states[0].tensor.shape);
  EXPECT_EQ(parsed->kernels[0].dims, manifest.kernels[0].dims);
  EXPECT_EQ(parsed->sites[0].message, manifest.sites[0].message);
  EXPECT_EQ(parsed->weights[1].offset, 64u);
  EXPECT_EQ(parsed->code[0].features, manifest.code[0].features);
  EXPECT_EQ(parsed->text->targetVocab, "text/vocab.json");
  EXPECT_EQ(parsed->weightIndex("linear"), 1u);
  EXPECT_EQ(parsed->weightIndex("other"), std::nullopt);
}

TEST(Manifest, NewerFormatIsRefusedNamingBoth) {
  Result<Manifest> parsed = Manifest::fromJson("{\"format\": 2, \"new\": 1}");
  ASSERT_FALSE(parsed.isOk());
  EXPECT_EQ(parsed.status().code(), StatusCode::Unsupported);
  EXPECT_EQ(parsed.status().message(),
            "expected format 1, the newest this build reads, found format 2; "
            "compile the model with this version, or use a newer dragoman");
  EXPECT_EQ(refusalWith("\"format\": 1", "\"format\": 0"),
            "format: expected 1, found 0");
}

TEST(Manifest, ErrorsNameKeyExpectedAndFound) {
  EXPECT_EQ(refusalWith("\"format\": 1", "\"format\": \"x\""),
            "format: expected an integer, found \"x\"");
  EXPECT_EQ(refusalWith("\"producer\"", "\"consumer\""),
            "producer: expected a value, found nothing");
  EXPECT_EQ(refusalWith("\"4*B*S + 64\"", "\"4*B*\"").substr(0, 50),
            "peak.main: expected an expression in dimensions, f");
  EXPECT_EQ(refusalWith("\"type\": \"f32\"", "\"type\": \"f31\""),
            "states[0].type: expected an element type, found \"f31\"");
  EXPECT_EQ(refusalWith("\"offset\": 64", "\"offset\": -64"),
            "weights[1].offset: expected an integer >= 0, found -64");
  EXPECT_EQ(refusalWith("\"row_axis\": 0", "\"row_axis\": 5000000000"),
            "states[0].row_axis: expected a 32-bit integer, found 5000000000");
  EXPECT_EQ(refusalWith("\"clean_up_spaces\": false", "\"clean_up_spaces\": 0"),
            "text.clean_up_spaces: expected true or false, found 0");
  EXPECT_EQ(refusalWith("\"entries\": [", "\"entries\": 3, \"x\": ["),
            "entries: expected a list, found 3");
  EXPECT_EQ(Manifest::fromJson("[]").status().message(),
            "expected a JSON object, found a list");
  EXPECT_EQ(Manifest::fromJson("{\"format\":").status().message(),
            "expected a JSON object, found invalid JSON");
}

TEST(Manifest, NamesAreUniqueAndGiven) {
  Manifest manifest = complete();
  manifest.entries.push_back("main");
  EXPECT_EQ(refusal(manifest),
            "entries[1]: expected each name once, found 'main' again");
  manifest = complete();
  manifest.weights[1].name = "bias";
  EXPECT_EQ(refusal(manifest),
            "weights[1].name: expected each name once, found 'bias' again");
  manifest = complete();
  manifest.weights[1].name = "__pad.7";
  EXPECT_EQ(refusal(manifest), "weights[1].name: expected a name without "
                               "prefix __pad., found '__pad.7'");
  manifest = complete();
  manifest.kernels[0].symbol = "";
  EXPECT_EQ(refusal(manifest),
            "kernels[0].symbol: expected a name, found an empty text");
  manifest = complete();
  manifest.peak["other"] = 3;
  EXPECT_EQ(refusal(manifest),
            "peak: expected names of entries, found 'other'");
}

TEST(Manifest, SizesLayoutsAndAxesAgree) {
  Manifest manifest = complete();
  manifest.weights[1].bytes = 380;
  EXPECT_EQ(refusal(manifest), "weights[1].bytes: expected 384 by type, shape "
                               "and layout, found 380");
  manifest = complete();
  manifest.weights[1].offset = 0;
  EXPECT_EQ(refusal(manifest), "weights[1].offset: expected a multiple of 64 "
                               "from 20 on, found 0");
  manifest = complete();
  manifest.weights[1].offset = 70;
  EXPECT_EQ(refusal(manifest), "weights[1].offset: expected a multiple of 64 "
                               "from 20 on, found 70");
  manifest = complete();
  manifest.weights[0].checksum = "short";
  EXPECT_EQ(refusal(manifest), "weights[0].checksum: expected 32 lower-case "
                               "hex digits, found 'short'");
  manifest = complete();
  manifest.states[0].layout = "columns";
  EXPECT_EQ(refusal(manifest),
            "states[0].layout: expected rows or panel16, found 'columns'");
  manifest = complete();
  manifest.states[0].appendAxis = 4;
  EXPECT_EQ(refusal(manifest),
            "states[0].append_axis: expected an axis of rank 4, found 4");
  manifest = complete();
  manifest.kernels[0].scratchBytes = -1;
  EXPECT_EQ(refusal(manifest),
            "kernels[0].scratch_bytes: expected a size >= 0, found -1");
}

TEST(Manifest, MembersAreSafeAndListed) {
  Manifest manifest = complete();
  manifest.members[0].path = "../commands/main.bin";
  EXPECT_EQ(refusal(manifest),
            "members[0].path: expected a relative path without '..', found "
            "'../commands/main.bin'");
  manifest = complete();
  manifest.members.erase(manifest.members.begin());
  EXPECT_EQ(refusal(manifest),
            "entries[0]: expected a listed member, found 'commands/main.bin'");
  manifest = complete();
  manifest.text->targetModel = "text/other.spm";
  EXPECT_EQ(refusal(manifest), "text.target_model: expected a listed member, "
                               "found 'text/other.spm'");
  manifest = complete();
  manifest.members.pop_back();
  EXPECT_EQ(refusal(manifest), "weights: expected a listed member, found "
                               "'weights/model.safetensors'");
}

TEST(Manifest, TypedSettings) {
  const Manifest manifest = sampleManifest();
  EXPECT_EQ(**manifest.settingInt("num_beams"), 4);
  EXPECT_EQ(**manifest.settingNumber("num_beams"), 4.0);
  EXPECT_EQ(**manifest.settingNumber("length_penalty"), 1.0);
  EXPECT_EQ(**manifest.settingBool("renormalize_logits"), true);
  EXPECT_EQ(**manifest.settingString("activation"), "swish");
  EXPECT_EQ(*manifest.settingInt("forced_bos_token_id"), std::nullopt);
  EXPECT_EQ(*manifest.settingInt("no such name"), std::nullopt);
  using Ids = std::vector<std::vector<int64_t>>;
  EXPECT_EQ(*manifest.settingIds("bad_words_ids"), (Ids{{3999}}));
  EXPECT_EQ(*manifest.settingIds("eos_token_id"), (Ids{{0}}));
  EXPECT_EQ(*manifest.settingIds("no such name"), Ids{});
  Result<std::optional<int64_t>> wrong = manifest.settingInt("activation");
  ASSERT_FALSE(wrong.isOk());
  EXPECT_EQ(wrong.status().toString(),
            "setting 'activation' from config.json: expected an integer, found "
            "\"swish\"");
  EXPECT_FALSE(manifest.settingBool("num_beams").isOk());
  EXPECT_FALSE(manifest.settingString("num_beams").isOk());
  EXPECT_FALSE(manifest.settingNumber("activation").isOk());
  EXPECT_FALSE(manifest.settingIds("activation").isOk());
}

TEST(Manifest, TheGuidesExampleIsValid) {
  const std::string guide = bytesOf(sourcePath("docs/artifact.md"));
  const std::string fence = "```json\n";
  const size_t begin = guide.find(fence) + fence.size();
  const std::string json =
      guide.substr(begin, guide.find("```", begin) - begin);
  Result<Manifest> parsed = Manifest::fromJson(json);
  ASSERT_TRUE(parsed.isOk()) << parsed.status().toString();
  EXPECT_EQ(parsed->weights[0].bytes, 262144u);
}

TEST(Manifest, AnyCutIsRefused) {
  const std::string text = complete().toJson();
  // The last byte is the line end.
  for (size_t length = 0; length + 1 < text.size(); ++length)
    ASSERT_FALSE(Manifest::fromJson(std::string_view(text).substr(0, length)))
        << "cut to " << length;
}

TEST(Manifest, AnyDamageIsSurvived) {
  const unsigned seed = 813;
  std::mt19937 random(seed);
  const std::string text = complete().toJson();
  for (int run = 0; run < 3000; ++run) {
    std::string damaged = text;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    Result<Manifest> parsed = Manifest::fromJson(damaged);
    if (parsed)
      ASSERT_TRUE(Manifest::fromJson(parsed->toJson()).isOk())
          << "seed " << seed << " run " << run;
  }
}

} // namespace
