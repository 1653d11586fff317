//===- PeakTest.cpp - The peak formula against the memory used ------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/decode/CompiledStepModel.h"
#include "test/e2e/Bundled.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

using namespace dragoman;
using namespace dragoman::test;

namespace {

const std::vector<std::string> entries = {"encode", "prepare", "decode",
                                          "select"};

/// A job: sentences, source and target length, beam.
struct Job {
  int64_t b, s, t, beam;

  int64_t rows() const { return b * beam; }
  static int64_t align(int64_t value) { return (value + 15) / 16 * 16; }
  CacheShape cache() const { return {rows(), align(t), b, align(s)}; }
  DimMap dims() const {
    return {{"B", b},
            {"S", s},
            {"R", rows()},
            {"T", 1},
            {"K", align(t)},
            {"N", rows()},
            {"E", 1},
            {"Rows", rows()},
            {"Cap", align(t)},
            {"SrcRows", b},
            {"SrcCap", align(s)}};
  }
};

void PrintTo(const Job &job, std::ostream *os) {
  *os << job.b << " sentences, source " << job.s << ", target " << job.t
      << ", beam " << job.beam;
}

std::vector<Job> randomJobs() {
  std::mt19937 random(20);
  auto upTo = [&](int64_t most) { return 1 + int64_t(random() % most); };
  std::vector<Job> jobs;
  for (int i = 0; i < 20; ++i)
    jobs.push_back({upTo(12), upTo(60), upTo(60), upTo(5)});
  return jobs;
}

/// The most of each kind of memory over the runs of a job; the session keeps
/// buffers from one run to the next.
struct Used {
  uint64_t arena = 0, scratch = 0, other = 0, states = 0;

  void note(const Session &session) {
    MemoryReport memory = session.memory();
    arena = std::max(arena, memory.arenaHighWater);
    scratch = std::max(scratch, memory.scratchBytes);
    other = std::max(other, memory.otherBytes);
    states = memory.stateHighWater;
  }
  uint64_t total() const { return arena + scratch + other + states; }
};

/// The entry `encode` alone.
Status runEncoder(Session &session, const EncodeBatch &batch) {
  int64_t b = batch.sentences, s = batch.length;
  std::vector<int64_t> ids = batch.ids, lengths = batch.lengths;
  std::vector<float> hidden(size_t(b * s * 128));
  const TensorView inputs[] = {{ids.data(), ElementType::I64, {b, s}},
                               {lengths.data(), ElementType::I64, {b}}};
  const TensorView output{hidden.data(), ElementType::F32, {b, s, 128}};
  return session.run("encode", inputs, std::span(&output, 1));
}

/// Encodes, and decodes every row to the target length.
Status runJob(CompiledStepModel &model, const Job &job, Used &used) {
  DRAGOMAN_RETURN_IF_ERROR(model.reserve(job.cache()));
  EncodeBatch source;
  source.sentences = job.b;
  source.length = job.s;
  source.ids.assign(size_t(job.b * job.s), 20);
  source.lengths.assign(size_t(job.b), job.s);
  for (int64_t b = 0; b < job.b; ++b)
    source.sourceRows.push_back(int32_t(b));
  DRAGOMAN_RETURN_IF_ERROR(runEncoder(model.session(), source));
  used.note(model.session());
  DRAGOMAN_RETURN_IF_ERROR(model.encode(source)); // ends with `prepare`
  used.note(model.session());
  DecodeBatch step;
  step.rows = job.rows();
  step.keys = Job::align(job.t);
  step.ids.assign(size_t(step.rows), 20);
  step.sourceLength.assign(size_t(step.rows), job.s);
  for (int64_t r = 0; r < step.rows; ++r) {
    step.writeRows.push_back(int32_t(r));
    step.sourceRows.push_back(int32_t(r / job.beam));
    step.cellRows.insert(step.cellRows.end(), size_t(step.keys), int32_t(r));
  }
  for (int64_t t = 0; t < job.t; ++t) {
    step.positions.assign(size_t(step.rows), t);
    DRAGOMAN_RETURN_IF_ERROR(model.decode(step));
    used.note(model.session());
  }
  SelectBatch select;
  select.count = 8;
  select.normalize = 1;
  select.edits = 1;
  select.editIds.assign(size_t(step.rows), 0);
  select.editKinds.assign(size_t(step.rows), 0);
  select.editValues.assign(size_t(step.rows), 0);
  SelectOutput output;
  DRAGOMAN_RETURN_IF_ERROR(model.select(select, output));
  used.note(model.session());
  return Status::ok();
}

std::shared_ptr<const Model> loadModel() {
  Result<std::shared_ptr<const Model>> model = Model::load(bundledArtifact());
  EXPECT_TRUE(model.isOk()) << model.status().toString();
  return model ? *model : nullptr;
}

class Peak : public testing::TestWithParam<Job> {};

// The formula is never below the memory used, and at most 5 % above.
TEST_P(Peak, FormulaAgainstTheHighWaterMark) {
  const Job &job = GetParam();
  std::shared_ptr<const Model> model = loadModel();
  ASSERT_TRUE(model);
  SessionOptions options;
  options.measureMemory = true;
  Result<std::unique_ptr<CompiledStepModel>> stepModel =
      CompiledStepModel::create(model, options);
  ASSERT_TRUE(stepModel.isOk()) << stepModel.status().toString();
  Used used;
  Status status = runJob(**stepModel, job, used);
  ASSERT_TRUE(status.isOk()) << status.toString();
  Result<uint64_t> planned = model->memoryNeeded(entries, job.dims(), 1);
  ASSERT_TRUE(planned.isOk()) << planned.status().toString();
  EXPECT_GE(*planned, used.total());
  EXPECT_LE(double(*planned), 1.05 * double(used.total()));
}

// With exactly the formula's bytes the job runs; with one byte less it is
// refused, and a smaller number of sentences fits.
TEST_P(Peak, OneByteLessIsRefused) {
  const Job &job = GetParam();
  std::shared_ptr<const Model> model = loadModel();
  ASSERT_TRUE(model);
  auto bytes = [&](int64_t sentences) {
    Job smaller = job;
    smaller.b = sentences;
    return model->memoryNeeded(entries, smaller.dims(), 1);
  };
  Result<uint64_t> planned = bytes(job.b);
  ASSERT_TRUE(planned.isOk()) << planned.status().toString();
  SessionOptions options;
  options.memoryLimitBytes = *planned;
  Result<std::unique_ptr<CompiledStepModel>> fits =
      CompiledStepModel::create(model, options);
  ASSERT_TRUE(fits.isOk());
  Used used;
  Status status = runJob(**fits, job, used);
  EXPECT_TRUE(status.isOk()) << status.toString();

  Result<int64_t> most = largestFitting(job.b, *planned - 1, bytes);
  if (job.b > 1) {
    ASSERT_TRUE(most.isOk()) << most.status().toString();
    EXPECT_EQ(*most, job.b - 1);
    return;
  }
  ASSERT_FALSE(most.isOk());
  EXPECT_EQ(most.status().code(), StatusCode::OutOfMemory);
  EXPECT_THAT(most.status().message(),
              testing::HasSubstr(std::to_string(*planned) + " bytes"));
  EXPECT_THAT(most.status().message(),
              testing::HasSubstr(std::to_string(*planned - 1) + " bytes"));
}

INSTANTIATE_TEST_SUITE_P(Random, Peak, testing::ValuesIn(randomJobs()));

} // namespace
