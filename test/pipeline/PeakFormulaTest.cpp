//===- PeakFormulaTest.cpp - The formula against the high-water mark ------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the bundled translator's entries at random sizes in a session that fills
// its memory with a pattern first. The formula is never below the highest byte
// written plus all other allocations, at most 5 % above it, and one byte less is
// refused with both numbers.
//
//===----------------------------------------------------------------------===//

#include "test/pipeline/CompiledModel.h"

#include "tools/driver/LoadModel.h"
#include "tools/driver/Registration.h"

#include "mlir/IR/MLIRContext.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace dragoman;
using interpret::Element;
using interpret::Tensor;
using testing::HasSubstr;

namespace {

/// One job: sentences of `source` tokens, `beam` rows each, up to `target`.
struct Job {
  int64_t batch, source, target, beam;

  int64_t rows() const { return batch * beam; }
  static int64_t align(int64_t value) { return (value + 15) / 16 * 16; }
  std::map<std::string, int64_t> stateDims() const {
    return {{"Rows", rows()},
            {"Cap", align(target)},
            {"SrcRows", batch},
            {"SrcCap", align(source)}};
  }
  std::map<std::string, int64_t> dims() const {
    std::map<std::string, int64_t> all = stateDims();
    all.insert({{"B", batch},
                {"S", source},
                {"R", rows()},
                {"T", 1},
                {"K", target},
                {"N", rows()},
                {"E", 2}});
    return all;
  }
};

Tensor filled(Element element, std::vector<int64_t> shape, int64_t value) {
  Tensor tensor(element, std::move(shape));
  if (tensor.isFloat())
    return tensor;
  std::fill_n(tensor.mutableIntegers(), tensor.elements(), value);
  return tensor;
}

Tensor counting(std::vector<int64_t> shape) {
  Tensor tensor(Element::I32, std::move(shape));
  for (int64_t i = 0; i < tensor.elements(); ++i)
    tensor.mutableIntegers()[i] = i;
  return tensor;
}

/// Runs every entry once, at the last position; returns the mark.
uint64_t runAll(Session &session, const Job &job) {
  uint64_t arena = 0, scratch = 0;
  auto run = [&](const std::string &entry, std::vector<Tensor> inputs) {
    std::vector<Tensor> outputs =
        test::runEntry(session, entry, std::move(inputs));
    arena = std::max(arena, session.memory().arenaHighWater);
    scratch = std::max(scratch, session.memory().scratchBytes);
    return outputs;
  };
  int64_t rows = job.rows();
  Tensor hidden =
      run("encode", {filled(Element::I64, {job.batch, job.source}, 9),
                     filled(Element::I64, {job.batch}, job.source)})[0];
  run("prepare", {hidden, counting({job.batch})});
  Tensor table(Element::I32, {rows, job.target});
  Tensor source(Element::I32, {rows, 1});
  for (int64_t row = 0; row < rows; ++row) {
    std::fill_n(table.mutableIntegers() + row * job.target, job.target, row);
    source.mutableIntegers()[row] = row / job.beam;
  }
  Tensor logits = run(
      "decode", {filled(Element::I64, {rows, 1}, 9),
                 filled(Element::I64, {rows}, job.target - 1), counting({rows}),
                 table, source, filled(Element::I64, {rows}, job.source)})[0];
  run("select",
      {logits.reshaped({rows, logits.dim(2)}),
       Tensor::scalar(Element::I64, int64_t(8)),
       Tensor::scalar(Element::I64, int64_t(3)),
       filled(Element::I32, {rows, 2}, 1), filled(Element::I32, {rows, 2}, 0),
       Tensor(Element::F32, {rows, 2})});
  MemoryReport memory = session.memory();
  return arena + memory.stateHighWater + scratch + memory.otherBytes;
}

class PeakFormulaTest : public testing::Test {
protected:
  PeakFormulaTest() : context(registry()) {
    context.loadAllAvailableDialects();
    context.disableMultithreading();
    std::string folder =
        std::string(DRAGOMAN_SOURCE_DIR) + "/models/multi30k-en-de";
    Result<LoadedModel> loaded = loadModel(folder, context);
    EXPECT_TRUE(loaded) << loaded.status().toString();
    if (loaded)
      model = test::compileAndLoad(*loaded->module, folder, "x86-64-v3");
  }

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  mlir::MLIRContext context;
  std::shared_ptr<const Model> model;
};

TEST_F(PeakFormulaTest, IsTightAtRandomSizes) {
  ASSERT_TRUE(model);
  const std::string entries[] = {"encode", "prepare", "decode", "select"};
  std::mt19937 random(11);
  auto between = [&](int64_t from, int64_t to) {
    return from + static_cast<int64_t>(random() % (to - from + 1));
  };
  for (int i = 0; i < 20; ++i) {
    Job job{between(1, 24), between(1, 60), between(1, 60), between(1, 6)};
    SCOPED_TRACE("batch " + std::to_string(job.batch) + " source " +
                 std::to_string(job.source) + " target " +
                 std::to_string(job.target) + " beam " +
                 std::to_string(job.beam));
    Result<uint64_t> needed = model->memoryNeeded(entries, job.dims(), 1);
    ASSERT_TRUE(needed) << needed.status().toString();
    SessionOptions options;
    options.measureMemory = true;
    options.memoryLimitBytes = *needed;
    Session session(model, options);
    Status reserved = session.reserve(job.stateDims());
    ASSERT_TRUE(reserved) << reserved.toString();
    uint64_t mark = runAll(session, job);
    EXPECT_LE(mark, *needed);
    EXPECT_LE(static_cast<double>(*needed), 1.05 * static_cast<double>(mark));
  }
}

TEST_F(PeakFormulaTest, OneByteLessIsRefused) {
  ASSERT_TRUE(model);
  const std::string entries[] = {"decode"};
  Job job{3, 17, 20, 4};
  Result<uint64_t> needed = model->memoryNeeded(entries, job.dims(), 1);
  ASSERT_TRUE(needed);
  SessionOptions options;
  options.memoryLimitBytes = *needed - 1;
  Session session(model, options);
  ASSERT_TRUE(session.reserve(job.stateDims()));
  std::vector<int64_t> ids(job.rows(), 9), position(job.rows(), 3),
      length(job.rows(), job.source);
  std::vector<int32_t> row(job.rows(), 0), table(job.rows() * job.target, 0);
  std::vector<float> logits(job.rows() * 4000);
  TensorView inputs[] = {{ids.data(), ElementType::I64, {job.rows(), 1}},
                         {position.data(), ElementType::I64, {job.rows()}},
                         {row.data(), ElementType::I32, {job.rows()}},
                         {table.data(), ElementType::I32, {job.rows(), job.target}},
                         {row.data(), ElementType::I32, {job.rows(), 1}},
                         {length.data(), ElementType::I64, {job.rows()}}};
  TensorView outputs[] = {
      {logits.data(), ElementType::F32, {job.rows(), 1, 4000}}};
  Status status = session.run("decode", inputs, outputs);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.code(), StatusCode::OutOfMemory);
  EXPECT_THAT(status.message(), HasSubstr("needs"));
  EXPECT_THAT(status.message(), HasSubstr("limit"));
}
} // namespace
