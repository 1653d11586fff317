//===- ApiTest.cpp - The C interface ----------------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/Artifact.h"
#include "test/runtime/api/ApiStatus.h"
#include "test/runtime/execute/MemorySource.h"

#include <fstream>
#include <thread>

using namespace dragoman;
using namespace dragoman::testing_support;

extern "C" int capiHeaderIsC(const char *path, char *message, size_t room);

namespace {

/// The toy model as a file.
std::string toyFile() {
  std::string path = testing::TempDir() + "api-toy.dgm";
  auto source = toySource();
  Manifest manifest = source->description;
  manifest.producer = "test";
  for (const auto &[name, table] : source->tables)
    manifest.peak[name] = table.arenaBytes;
  ArtifactWriter writer(manifest);
  for (const auto &[name, table] : source->tables)
    EXPECT_TRUE(
        writer.addMember(commandsMember(name), serializeEntry(table)).isOk());
  EXPECT_TRUE(writer.addMember(manifest.code[0].path, source->code).isOk());
  writer.setWeightSource([&](size_t i, const ArtifactWriter::Sink &sink) {
    return sink(source->weights[i].data(), source->weights[i].size() * 4);
  });
  Status status = writer.finish(path);
  EXPECT_TRUE(status.isOk()) << status.toString();
  return path;
}

class Api : public testing::Test {
protected:
  void SetUp() override { ok(dg_model_open(path.c_str(), nullptr, &model)); }
  void TearDown() override { dg_model_free(model); }

  const std::string path = toyFile();
  dg_model *model = nullptr;
};

TEST_F(Api, versionAndStatusOfSuccess) {
  EXPECT_EQ(dg_abi_version(), static_cast<uint32_t>(DG_ABI_VERSION));
  EXPECT_STREQ(dg_version(), "0.1.0");
  EXPECT_EQ(dg_status_code(nullptr), DG_OK);
  EXPECT_STREQ(dg_status_message(nullptr), "");
  dg_status_free(nullptr);
}

TEST_F(Api, describesTheModel) {
  EXPECT_STREQ(dg_model_level(model), "x86-64-v3");
  EXPECT_EQ(dg_model_entry_count(model), 7u);
  EXPECT_STREQ(dg_model_entry_name(model, 0), "sum");
  EXPECT_EQ(dg_model_entry_name(model, 7), nullptr);
  ASSERT_EQ(dg_model_state_dim_count(model), 2u);
  EXPECT_STREQ(dg_model_state_dim_name(model, 0), "Cap");
  EXPECT_EQ(dg_model_tensor_count(model, "rows", DG_INPUT), 1u);
  EXPECT_EQ(dg_model_tensor_count(model, "gone", DG_INPUT), 0u);
  const char *name = nullptr;
  dg_type type = DG_I1;
  size_t rank = 0;
  const char *const *extents = nullptr;
  ok(dg_model_tensor(model, "rows", DG_INPUT, 0, &name, &type, &rank,
                     &extents));
  EXPECT_STREQ(name, "x");
  EXPECT_EQ(type, DG_F32);
  ASSERT_EQ(rank, 2u);
  EXPECT_STREQ(extents[0], "B");
  EXPECT_STREQ(extents[1], "S");
  EXPECT_EQ(failure(dg_model_tensor(model, "rows", DG_OUTPUT, 1, nullptr,
                                    nullptr, nullptr, nullptr),
                    DG_INVALID_ARGUMENT),
            "expected a tensor's number below 1, found 1");
}

TEST_F(Api, runsWithNamedTensorsInAnyOrder) {
  dg_pool *pool = nullptr;
  ok(dg_pool_new(2, &pool));
  EXPECT_EQ(dg_pool_workers(pool), 2);
  dg_session_options options{sizeof(options), pool, 0};
  dg_session *session = nullptr;
  ok(dg_session_new(model, &options, &session));
  dg_pool_free(pool); // the session keeps it
  dg_model_free(model);
  model = nullptr; // and the model
  std::vector<float> a(20, 1), b(20, 2), total(20);
  int64_t shape[] = {20};
  dg_tensor inputs[] = {{"b", DG_F32, 1, shape, b.data()},
                        {"a", DG_F32, 1, shape, a.data()}};
  dg_tensor output = {"total", DG_F32, 1, shape, total.data()};
  int64_t expected[1];
  size_t rank = 1;
  ok(dg_session_output_shape(session, "sum", inputs, 2, "total", expected,
                             &rank));
  EXPECT_EQ(rank, 1u);
  EXPECT_EQ(expected[0], 20);
  ok(dg_run(session, "sum", inputs, 2, &output, 1, nullptr));
  EXPECT_EQ(total, std::vector<float>(20, 103));
  dg_session_free(session);
}

TEST_F(Api, refusalsNameWhatIsWrong) {
  dg_session *session = nullptr;
  ok(dg_session_new(model, nullptr, &session));
  std::vector<float> a(4), total(4);
  int64_t shape[] = {4};
  dg_tensor inputs[] = {{"a", DG_F32, 1, shape, a.data()},
                        {"b", DG_F32, 1, shape, a.data()},
                        {"c", DG_F32, 1, shape, a.data()}};
  dg_tensor output = {"total", DG_F32, 1, shape, total.data()};
  auto run = [&](const dg_tensor *in, size_t count) {
    return failure(dg_run(session, "sum", in, count, &output, 1, nullptr),
                   DG_INVALID_ARGUMENT);
  };
  EXPECT_EQ(run(inputs, 1), "entry 'sum': expected input 'b', found none");
  EXPECT_EQ(run(inputs, 3), "entry 'sum': the entry has no input 'c'");
  inputs[1].name = "a";
  EXPECT_EQ(run(inputs, 2), "entry 'sum': input 'a' is given twice");
  inputs[1].name = "b";
  inputs[1].type = 77;
  EXPECT_EQ(run(inputs, 2),
            "entry 'sum': input 'b': expected an element type, found 77");
  inputs[1].type = DG_F32;
  inputs[1].shape = nullptr;
  EXPECT_EQ(run(inputs, 2),
            "entry 'sum': input 'b': expected 'shape', found NULL");
  EXPECT_EQ(run(nullptr, 2), "entry 'sum': expected 'tensors', found NULL");
  EXPECT_EQ(failure(dg_run(session, "sun", nullptr, 0, nullptr, 0, nullptr),
                    DG_NOT_FOUND),
            "api-toy.dgm: the model has no entry 'sun'");
  EXPECT_EQ(failure(dg_run(nullptr, "sum", nullptr, 0, nullptr, 0, nullptr),
                    DG_INVALID_ARGUMENT),
            "expected 'session', found NULL");
  dg_dim twice[] = {{"Rows", 1}, {"Rows", 2}};
  EXPECT_EQ(failure(dg_session_reserve(session, twice, 2), DG_INVALID_ARGUMENT),
            "expected every dimension once, found 'Rows' twice");
  dg_model *none = model;
  EXPECT_EQ(failure(dg_model_open("/no/such.dgm", nullptr, &none), DG_NOT_FOUND)
                .substr(0, 12),
            "/no/such.dgm");
  EXPECT_EQ(none, nullptr);
  dg_model_options options{sizeof(options), "x86-64-v4-vnni", 0, 0};
  EXPECT_EQ(failure(dg_model_open(path.c_str(), &options, &none),
                    DG_INVALID_ARGUMENT),
            "api-toy.dgm: expected code for x86-64-v4-vnni, found x86-64-v3");
  options.size = sizeof(size_t); // an older caller's struct has no level
  ok(dg_model_open(path.c_str(), &options, &none));
  dg_model_free(none);
  dg_session_free(session);
}

TEST_F(Api, memoryLimitStatesAndCancel) {
  dg_dim dims[] = {{"Rows", 2}, {"Cap", 16}, {"N", 1000}, {"M", 1000}};
  uint64_t needed = 0;
  ok(dg_model_memory_needed(model, "sum", dims, 4, 1, &needed));
  EXPECT_GT(needed, 4000u + 128);
  dg_session_options options{sizeof(options), nullptr, needed - 1};
  dg_session *session = nullptr;
  ok(dg_session_new(model, &options, &session));
  ok(dg_session_reserve(session, dims, 2));
  std::vector<float> a(1000), total(1000);
  int64_t shape[] = {1000};
  dg_tensor inputs[] = {{"a", DG_F32, 1, shape, a.data()},
                        {"b", DG_F32, 1, shape, a.data()}};
  dg_tensor output = {"total", DG_F32, 1, shape, total.data()};
  EXPECT_NE(failure(dg_run(session, "sum", inputs, 2, &output, 1, nullptr),
                    DG_OUT_OF_MEMORY)
                .find("limit is"),
            std::string::npos);
  dg_cancel *cancel = nullptr;
  ok(dg_cancel_new(&cancel));
  dg_cancel_request(cancel);
  shape[0] = 10;
  failure(dg_run(session, "sum", inputs, 2, &output, 1, cancel), DG_CANCELLED);
  dg_cancel_reset(cancel);
  ok(dg_run(session, "sum", inputs, 2, &output, 1, cancel));
  dg_cancel_free(cancel);
  dg_session_free(session);
}

TEST_F(Api, modelsAreSharedByThreads) {
  std::vector<std::thread> threads;
  std::vector<int> right(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      dg_session *session = nullptr;
      ok(dg_session_new(model, nullptr, &session));
      for (int round = 0; round < 20; ++round) {
        std::vector<float> a(33, t), total(33);
        int64_t shape[] = {33};
        dg_tensor inputs[] = {{"a", DG_F32, 1, shape, a.data()},
                              {"b", DG_F32, 1, shape, a.data()}};
        dg_tensor output = {"total", DG_F32, 1, shape, total.data()};
        ok(dg_run(session, "sum", inputs, 2, &output, 1, nullptr));
        right[t] += total == std::vector<float>(33, 2 * t + 100);
      }
      dg_session_free(session);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, std::vector<int>(4, 20));
}

TEST_F(Api, aCProgramUsesIt) {
  char message[200] = "";
  EXPECT_EQ(capiHeaderIsC(path.c_str(), message, sizeof(message)), 0)
      << message;
  EXPECT_EQ(capiHeaderIsC("/no/such.dgm", message, sizeof(message)),
            DG_NOT_FOUND);
  EXPECT_EQ(std::string(message).substr(0, 12), "/no/such.dgm");
}

} // namespace
