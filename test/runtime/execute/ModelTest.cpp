//===- ModelTest.cpp - Loading models ---------------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/execute/MemorySource.h"

#include "gmock/gmock.h"

using namespace dragoman;
using namespace dragoman::testing_support;

namespace {

Status loadWith(std::unique_ptr<MemorySource> source,
                const LoadOptions &options = {}) {
  Result<std::shared_ptr<const Model>> model =
      Model::create(std::move(source), options);
  return model ? Status::ok() : model.status();
}

CodeDesc codeOf(const char *level) {
  return {level, std::string("code/cpu/") + level + ".so",
          findCpuLevel(level)->features, kernelAbiVersion};
}

TEST(Model, takesTheBestLevelThatBothHave) {
  for (const char *cpu : {"x86-64-v3", "x86-64-v4", "x86-64-v4-vnni"}) {
    auto source = toySource();
    source->description.code = {codeOf("x86-64-v3"), codeOf("x86-64-v4")};
    LoadOptions options;
    options.features = CpuFeatures::of(*findCpuLevel(cpu));
    Result<std::shared_ptr<const Model>> model =
        Model::create(std::move(source), options);
    ASSERT_TRUE(model.isOk()) << model.status().toString();
    EXPECT_EQ((*model)->level(),
              std::string(cpu) == "x86-64-v3" ? "x86-64-v3" : "x86-64-v4");
  }
}

TEST(Model, aLevelCanBeChosen) {
  auto source = toySource();
  source->description.code = {codeOf("x86-64-v3"), codeOf("x86-64-v4")};
  LoadOptions options;
  options.features = CpuFeatures::of(*findCpuLevel("x86-64-v4"));
  options.level = "x86-64-v3";
  Result<std::shared_ptr<const Model>> model =
      Model::create(std::move(source), options);
  ASSERT_TRUE(model.isOk());
  EXPECT_EQ((*model)->level(), "x86-64-v3");
  options.level = "x86-64-v4-vnni";
  EXPECT_EQ(loadWith(toySource(), options).toString(),
            "toy.dgm: expected code for x86-64-v4-vnni, found x86-64-v3");
}

TEST(Model, aLevelThatTheMachineLacksIsRefusedNamingBoth) {
  auto source = toySource();
  source->fileName = "en-de.dgm";
  source->description.code = {codeOf("x86-64-v4")};
  LoadOptions options;
  options.features = CpuFeatures::of(*findCpuLevel("x86-64-v3"));
  Status status = loadWith(std::move(source), options);
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_EQ(status.toString(),
            "en-de.dgm: compiled for x86-64-v4, this processor has x86-64-v3; "
            "rebuild with: dragoman compile en-de.dgm --cpu=x86-64-v3");
  std::set<std::string> old(findCpuLevel("x86-64-v3")->features.begin(),
                            findCpuLevel("x86-64-v3")->features.end());
  old.erase("avx2");
  old.erase("fma");
  options.features = CpuFeatures(old);
  EXPECT_EQ(loadWith(toySource(), options).toString(),
            "toy.dgm: compiled for x86-64-v3, this processor has x86-64; at "
            "least x86-64-v3 is needed, without avx2, fma");
}

TEST(Model, otherKernelAbiIsRefused) {
  auto source = toySource();
  source->description.code[0].abiVersion = kernelAbiVersion + 1;
  EXPECT_EQ(loadWith(std::move(source)).toString(),
            "toy.dgm: expected code of kernel ABI 1, found 2");
}

TEST(Model, tablesMustFitTheManifest) {
  auto source = toySource();
  source->description.kernels[0].symbol = "test_gone";
  EXPECT_EQ(loadWith(std::move(source)).toString(),
            "toy.dgm: entry 'sum': command 1 'first': toy.dgm:x86-64-v3: "
            "expected kernel 'test_gone' in the code, found none");
  source = toySource();
  source->tables["rows"].commands[0].dims.pop_back();
  EXPECT_EQ(loadWith(std::move(source)).toString(),
            "toy.dgm: entry 'rows': command 0 'row sum': expected 2 dimensions "
            "of kernel 'test_row_sum', found 1");
  source = toySource();
  source->tables["append"].slots[1].index = 2;
  EXPECT_EQ(loadWith(std::move(source)).toString(),
            "toy.dgm: entry 'append': slot 1: expected the number of a state "
            "below 2, found 2");
  source = toySource();
  source->tables["sum"].slots[2].index = 5;
  EXPECT_EQ(loadWith(std::move(source)).toString(),
            "toy.dgm: entry 'sum': slot 2: expected the number of a weight "
            "below 1, found 5");
  source = toySource();
  source->tables["sum"].commands[1].kernel = 4;
  EXPECT_EQ(loadWith(std::move(source)).toString(),
            "toy.dgm: entry 'sum': command 1 'first': expected the number of a "
            "kernel below 4, found 4");
}

TEST(Model, memoryNeededIsStatesArenaScratchAndBookkeeping) {
  std::shared_ptr<const Model> model = toyModel();
  EXPECT_THAT(model->stateDims(), testing::ElementsAre("Cap", "Rows"));
  DimMap dims{{"N", 1000}, {"M", 1000}, {"B", 2},
              {"S", 10},   {"Rows", 4}, {"Cap", 32}};
  std::vector<std::string> none, sum{"sum"}, both{"sum", "rows"};
  Result<uint64_t> states = model->memoryNeeded(none, dims, 1);
  ASSERT_TRUE(states.isOk());
  EXPECT_EQ(*states, 4u * 32 * 4);
  Result<uint64_t> one = model->memoryNeeded(sum, dims, 1);
  ASSERT_TRUE(one.isOk());
  EXPECT_GE(*one, 4u * 32 * 4 + 64 + 4000);
  EXPECT_LE(*one, 4u * 32 * 4 + 64 + 4000 + 1024);
  Result<uint64_t> three = model->memoryNeeded(both, dims, 3);
  ASSERT_TRUE(three.isOk());
  EXPECT_EQ(*three - *one, 3u * 4032); // scratch of rows, in whole lines
  dims.erase("M");
  EXPECT_EQ(model->memoryNeeded(sum, dims, 1).status().toString(),
            "entry 'sum': expected a value of dimension 'M'");
  dims["Cap"] = 20;
  EXPECT_EQ(model->memoryNeeded(none, dims, 1).status().toString(),
            "state 'cache': expected a capacity that is a multiple of 16, "
            "found 20");
  dims["Cap"] = int64_t(1) << 61;
  EXPECT_EQ(model->memoryNeeded(none, dims, 1).status().code(),
            StatusCode::OutOfMemory);
}

} // namespace
