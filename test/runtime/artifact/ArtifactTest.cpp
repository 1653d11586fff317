//===- ArtifactTest.cpp - Reading and writing .dgm files ------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/Safetensors.h"
#include "runtime/artifact/Zip.h"
#include "test/runtime/TestFiles.h"
#include "test/runtime/artifact/SampleArtifact.h"

#include <gmock/gmock.h>

#include <cstring>

using namespace dragoman;
using namespace dragoman::test;
using testing::HasSubstr;

namespace {

class ArtifactFile : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(writeSample(path).isOk());
    bytes = bytesOf(path);
    Result<std::vector<ZipMember>> listed = readZip(bytes);
    ASSERT_TRUE(listed.isOk()) << listed.status().toString();
    members = *listed;
  }

  const ZipMember &member(const std::string &name) const {
    for (const ZipMember &one : members)
      if (one.name == name)
        return one;
    ADD_FAILURE() << "no member " << name;
    return members[0];
  }

  /// What open says to the file with the byte at `offset` flipped.
  std::string refusalOfFlip(uint64_t offset, const OpenOptions &options = {}) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    const auto put = [&](char byte) {
      file.seekp(static_cast<std::streamoff>(offset));
      file.put(byte);
      file.flush();
    };
    put(static_cast<char>(bytes[offset] ^ 0x20));
    Result<std::unique_ptr<Artifact>> artifact = Artifact::open(path, options);
    put(bytes[offset]);
    return artifact.isOk() ? "accepted" : artifact.status().toString();
  }

  TemporaryFolder folder;
  std::string path = folder / "model.dgm";
  std::string bytes;
  std::vector<ZipMember> members;
};

TEST_F(ArtifactFile, RoundTrip) {
  Result<std::unique_ptr<Artifact>> opened = Artifact::open(path);
  ASSERT_TRUE(opened.isOk()) << opened.status().toString();
  const Artifact &artifact = **opened;
  EXPECT_EQ(artifact.path(), path);
  EXPECT_EQ(artifact.manifest().entries, sampleManifest().entries);
  EXPECT_EQ(*artifact.member("text/source.spm"), "source pieces");
  EXPECT_FALSE(artifact.member("text/none").isOk());
  EXPECT_TRUE(artifact.warnings().empty());
  EXPECT_TRUE(artifact.verifyWeights().isOk());
  const std::vector<std::string> weights = sampleWeights();
  for (size_t i = 0; i < weights.size(); ++i) {
    const void *data = artifact.weightData(i);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0u);
    EXPECT_EQ(std::memcmp(data, weights[i].data(), weights[i].size()), 0);
  }
  Result<EntryTable> entry = artifact.entry("main");
  ASSERT_TRUE(entry.isOk()) << entry.status().toString();
  EXPECT_EQ(entry->commands.size(), 1u);
  Result<EntryTable> none = artifact.entry("other");
  ASSERT_FALSE(none.isOk());
  EXPECT_EQ(none.status().message(),
            "expected one of the entries main, found 'other'");
}

TEST_F(ArtifactFile, PlacesOfTheFormat) {
  EXPECT_EQ(members[0].name, "manifest.json");
  EXPECT_EQ(members.back().name, weightsMember);
  EXPECT_EQ(member(weightsMember).offset % (2u << 20), 0u);
  for (const ZipMember &one : members)
    EXPECT_EQ(one.crc, crc32Of(bytes.substr(one.offset, one.bytes)));
  // The weights are a valid safetensors file by themselves.
  const ZipMember &weights = member(weightsMember);
  Result<SafetensorsHeader> header = parseSafetensors(
      std::string_view(bytes).substr(weights.offset, weights.bytes));
  ASSERT_TRUE(header.isOk()) << header.status().toString();
  EXPECT_EQ(header->tensors.back().end - header->tensors.back().begin,
            weightTailBytes);
}

TEST_F(ArtifactFile, EqualContentsGiveEqualFiles) {
  const std::string again = folder / "again.dgm";
  ASSERT_TRUE(writeSample(again).isOk());
  EXPECT_EQ(bytesOf(again), bytes);
}

TEST_F(ArtifactFile, UnzipShowsTheMembers) {
  if (std::system("command -v unzip >/dev/null") != 0)
    GTEST_SKIP() << "unzip is not installed";
  const std::string command = "cd '" + folder.path +
                              "' && unzip -tq model.dgm >/dev/null && "
                              "unzip -l model.dgm > list";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const std::string list = bytesOf(folder / "list");
  for (const ZipMember &one : members)
    EXPECT_THAT(list, HasSubstr(one.name));
}

TEST_F(ArtifactFile, EveryFlippedByteOfTheProgramIsRefused) {
  for (const ZipMember &one : members) {
    if (one.name == weightsMember || one.name == weightsPaddingMember)
      continue;
    for (uint64_t i = 0; i < one.bytes; ++i)
      ASSERT_THAT(refusalOfFlip(one.offset + i),
                  HasSubstr(path + ": " + one.name + ": expected"))
          << "byte " << i;
  }
}

TEST_F(ArtifactFile, FlippedWeightsAreFoundOnDemand) {
  const ZipMember &blob = member(weightsMember);
  Result<SafetensorsHeader> header =
      parseSafetensors(std::string_view(bytes).substr(blob.offset, blob.bytes));
  ASSERT_TRUE(header.isOk());
  const uint64_t linear = blob.offset + header->dataOffset + 64;
  EXPECT_EQ(refusalOfFlip(linear + 100), "accepted");
  OpenOptions verify;
  verify.verifyWeights = true;
  EXPECT_THAT(refusalOfFlip(linear + 100, verify),
              HasSubstr("weights/model.safetensors: weight 'linear': expected "
                        "checksum"));
  // Padding belongs to no tensor but to the member.
  EXPECT_THAT(refusalOfFlip(linear + 384 + 100, verify),
              HasSubstr("weights/model.safetensors: expected checksum"));
}

TEST_F(ArtifactFile, WeightsHeaderMustAgreeWithTheManifest) {
  const std::string_view whole = bytes;
  const uint64_t start = member(weightsMember).offset;
  const auto flip = [&](const std::string &text, size_t byte) {
    return refusalOfFlip(whole.find(text, start) + byte);
  };
  EXPECT_THAT(flip("linear", 0), HasSubstr("weight 'linear': expected a tensor "
                                           "of that name, found none"));
  EXPECT_THAT(flip("F32", 0), HasSubstr("tensor 'bias': expected dtype"));
  EXPECT_THAT(refusalOfFlip(start + 7), HasSubstr("header of at most"));
}

TEST_F(ArtifactFile, AnyCutIsRefused) {
  std::vector<uint64_t> lengths = {0, 1, 21, bytes.size() - 1};
  for (int i = 0; i < 64; ++i)
    lengths.push_back(bytes.size() * i / 64);
  for (uint64_t length : lengths) {
    writeBytes(path, bytes.substr(0, length));
    Result<std::unique_ptr<Artifact>> artifact = Artifact::open(path);
    ASSERT_FALSE(artifact.isOk()) << "cut to " << length;
    EXPECT_THAT(artifact.status().toString(), HasSubstr(path));
  }
}

TEST_F(ArtifactFile, EmptyAndForeignFilesSaySo) {
  writeBytes(path, "");
  EXPECT_EQ(Artifact::open(path).status().message(),
            "expected a compiled model, found an empty file");
  writeBytes(path, "<!DOCTYPE html>" + std::string(1000, ' '));
  EXPECT_THAT(Artifact::open(path).status().message(),
              HasSubstr("the file is cut or no zip"));
  EXPECT_EQ(Artifact::open(folder / "none").status().code(),
            StatusCode::NotFound);
}

TEST_F(ArtifactFile, CopiedWeightsAreTheSame) {
  OpenOptions copy;
  copy.copyWeights = true;
  Result<std::unique_ptr<Artifact>> artifact = Artifact::open(path, copy);
  ASSERT_TRUE(artifact.isOk());
  EXPECT_TRUE((*artifact)->warnings().empty());
  const std::string expected = sampleWeights()[1];
  EXPECT_EQ(
      std::memcmp((*artifact)->weightData(1), expected.data(), expected.size()),
      0);
}

TEST_F(ArtifactFile, LostAlignmentIsOneWarningAndACopy) {
  // What another zip tool would write: the same members, packed tightly.
  const std::string other = folder / "other.dgm";
  Result<std::unique_ptr<AtomicFile>> file = AtomicFile::create(other);
  ASSERT_TRUE(file.isOk());
  ZipWriter zip(**file);
  for (const ZipMember &one : members) {
    if (one.name == weightsPaddingMember)
      continue;
    ASSERT_TRUE(zip.begin(one.name, one.bytes, 1).isOk());
    ASSERT_TRUE(zip.append(bytes.substr(one.offset, one.bytes)).isOk());
    ASSERT_TRUE(zip.end().isOk());
  }
  ASSERT_TRUE(zip.finish().isOk());
  ASSERT_TRUE((*file)->commit().isOk());
  ASSERT_NE(zip.members().back().offset % 64, 0u) << "nothing is tested";
  Result<std::unique_ptr<Artifact>> artifact = Artifact::open(other);
  ASSERT_TRUE(artifact.isOk()) << artifact.status().toString();
  ASSERT_EQ((*artifact)->warnings().size(), 1u);
  EXPECT_THAT((*artifact)->warnings()[0], HasSubstr("not aligned to 64 bytes"));
  const std::string expected = sampleWeights()[1];
  const void *data = (*artifact)->weightData(1);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0u);
  EXPECT_EQ(std::memcmp(data, expected.data(), expected.size()), 0);
  EXPECT_TRUE((*artifact)->verifyWeights().isOk());
}

TEST_F(ArtifactFile, UnlistedMembersAreRefused) {
  const std::string other = folder / "other.dgm";
  Result<std::unique_ptr<AtomicFile>> file = AtomicFile::create(other);
  ASSERT_TRUE(file.isOk());
  ZipWriter zip(**file);
  for (const ZipMember &one : members) {
    ASSERT_TRUE(zip.begin(one.name, one.bytes, 1).isOk());
    ASSERT_TRUE(zip.append(bytes.substr(one.offset, one.bytes)).isOk());
    ASSERT_TRUE(zip.end().isOk());
  }
  ASSERT_TRUE(zip.begin("code/extra.so", 0, 1).isOk());
  ASSERT_TRUE(zip.end().isOk());
  ASSERT_TRUE(zip.finish().isOk());
  ASSERT_TRUE((*file)->commit().isOk());
  EXPECT_EQ(Artifact::open(other).status().message(),
            "expected members of the manifest only, found 'code/extra.so'");
}

TEST(Artifact, IndicesOfAnEntryAreChecked) {
  TemporaryFolder folder;
  const auto refusal = [&](const EntryTable &entry) {
    Manifest manifest = sampleManifest();
    manifest.text.reset();
    manifest.code.clear();
    ArtifactWriter writer(manifest);
    EXPECT_TRUE(
        writer.addMember(commandsMember("main"), serializeEntry(entry)));
    writer.setWeightSource(sourceOf(sampleWeights()));
    EXPECT_TRUE(writer.finish(folder / "m.dgm").isOk());
    Result<std::unique_ptr<Artifact>> artifact =
        Artifact::open(folder / "m.dgm");
    EXPECT_TRUE(artifact.isOk()) << artifact.status().toString();
    return (*artifact)->entry("main").status().message();
  };
  EntryTable entry = sampleEntry();
  entry.slots[1].index = 2;
  EXPECT_EQ(refusal(entry), "expected one of 2 weights, found index 2");
  entry = sampleEntry();
  entry.slots[1].space = SlotSpace::State;
  EXPECT_EQ(refusal(entry), "expected one of 1 states, found index 1");
  entry = sampleEntry();
  entry.commands[0].kernel = 1;
  EXPECT_EQ(refusal(entry), "expected one of 1 kernels, found index 1");
  entry = sampleEntry();
  entry.name = "other";
  EXPECT_EQ(refusal(entry), "expected entry 'main', found 'other'");
}

TEST(Artifact, WriterRefusesAndLeavesNothing) {
  TemporaryFolder folder;
  const std::string path = folder / "m.dgm";
  ArtifactWriter paths(sampleManifest());
  for (const char *bad : {"../x", "manifest.json", weightsMember, ""})
    EXPECT_FALSE(paths.addMember(bad, "x").isOk()) << bad;
  EXPECT_TRUE(paths.addMember("x", "x").isOk());
  EXPECT_EQ(paths.addMember("x", "x").message(),
            "expected each member once, found 'x' again");
  EXPECT_THAT(paths.finish(path).toString(),
              HasSubstr("expected a source for 2 weights"));

  const auto finishWith = [&](ArtifactWriter::WeightSource source) {
    ArtifactWriter writer(sampleManifest());
    EXPECT_TRUE(addSampleMembers(writer).isOk());
    writer.setWeightSource(std::move(source));
    return writer.finish(path).toString();
  };
  std::vector<std::string> weights = sampleWeights();
  weights[1].pop_back();
  EXPECT_EQ(finishWith(sourceOf(weights)),
            path + ": weight 'linear': expected 384 bytes, found 383");
  weights[1] += "xx";
  EXPECT_EQ(finishWith(sourceOf(weights)),
            path + ": weight 'linear': expected 384 bytes, found more");
  EXPECT_EQ(finishWith([](size_t, const ArtifactWriter::Sink &) {
              return Status(StatusCode::Cancelled, "stopped");
            }),
            path + ": stopped");
  ArtifactWriter missing(sampleManifest());
  missing.setWeightSource(sourceOf(sampleWeights()));
  EXPECT_THAT(missing.finish(path).toString(),
              HasSubstr("entries[0]: expected a listed member"));
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(Artifact, ManifestWithoutWeights) {
  TemporaryFolder folder;
  Manifest manifest;
  ArtifactWriter writer(manifest);
  ASSERT_TRUE(writer.finish(folder / "m.dgm").isOk());
  Result<std::unique_ptr<Artifact>> artifact = Artifact::open(folder / "m.dgm");
  ASSERT_TRUE(artifact.isOk()) << artifact.status().toString();
  EXPECT_TRUE((*artifact)->verifyWeights().isOk());
}

} // namespace
