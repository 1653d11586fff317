//===- SessionTest.cpp - Running entries ------------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/execute/Trace.h"
#include "test/runtime/execute/MemorySource.h"

#include "gmock/gmock.h"

#include <thread>

using namespace dragoman;
using namespace dragoman::testing_support;

namespace {

struct SumCase {
  std::vector<float> a, b, total, expected;
  explicit SumCase(int64_t n) : a(n), b(n), total(n), expected(n) {
    for (int64_t i = 0; i < n; ++i) {
      a[i] = i;
      b[i] = 2 * i + 1;
      expected[i] = a[i] + b[i] + 100;
    }
  }
  Status run(Session &session, const std::atomic<bool> *cancel = nullptr) {
    int64_t n = a.size();
    TensorView inputs[] = {view(a, {n}), view(b, {n})};
    TensorView outputs[] = {view(total, {n})};
    return session.run("sum", inputs, outputs, cancel);
  }
};

TEST(Session, runsDispatchCopyAndFillOnAnyPool) {
  std::shared_ptr<const Model> model = toyModel();
  ThreadPool three(3);
  for (Pool *pool :
       {static_cast<Pool *>(nullptr), static_cast<Pool *>(&three)}) {
    SessionOptions options;
    options.pool = pool;
    Session session(model, options);
    for (int64_t n : {1, 16, 17, 64, 5, 0}) {
      SumCase sum(n);
      Status status = sum.run(session);
      ASSERT_TRUE(status.isOk()) << status.toString();
      EXPECT_EQ(sum.total, sum.expected);
    }
  }
}

TEST(Session, scratchIsThereForEveryWorker) {
  ThreadPool pool(3);
  SessionOptions options;
  options.pool = &pool;
  Session session(toyModel(), options);
  std::vector<float> x(50 * 1000), sums(50);
  std::vector<float> expected(50);
  for (int64_t r = 0; r < 50; ++r)
    for (int64_t i = 0; i < 1000; ++i)
      expected[r] += x[r * 1000 + i] = (r + i) % 5;
  TensorView inputs[] = {view(x, {50, 1000})}, outputs[] = {view(sums, {50})};
  Status status = session.run("rows", inputs, outputs);
  ASSERT_TRUE(status.isOk()) << status.toString();
  EXPECT_EQ(sums, expected);
  EXPECT_EQ(session.memory().scratchBytes, 3u * 4032);
}

TEST(Session, mismatchesNameExpectedAndFound) {
  Session session(toyModel());
  std::vector<float> a(64), total(64);
  std::vector<int64_t> ids(64);
  auto refused = [&](std::string_view entry, std::vector<TensorView> inputs,
                     std::vector<TensorView> outputs) {
    Status status = session.run(entry, inputs, outputs);
    EXPECT_NE(status.code(), StatusCode::Ok);
    return status.toString();
  };
  EXPECT_EQ(
      refused("sun", {}, {}),
      "toy.dgm: expected one of the entries append, check, chunks, count, "
      "rows, slow, sum, found 'sun'");
  EXPECT_EQ(refused("sum", {view(a, {4})}, {view(total, {4})}),
            "entry 'sum': expected 2 inputs, found 1");
  EXPECT_EQ(refused("sum", {view(a, {4}), view(ids, {4})}, {view(total, {4})}),
            "entry 'sum': input 'b': expected element type f32, found i64");
  EXPECT_EQ(refused("rows", {view(a, {4})}, {view(total, {4})}),
            "entry 'rows': input 'x': expected 2 axes [B,S], found 1 [4]");
  EXPECT_EQ(refused("sum", {view(a, {4}), view(a, {4})}, {view(total, {5})}),
            "entry 'sum': output 'total': expected shape [N=4], found [5]");
  EXPECT_EQ(refused("sum", {view(a, {-1}), view(a, {4})}, {view(total, {4})}),
            "entry 'sum': input 'a': expected extents of at least 0, found "
            "[-1]");
  TensorView null{nullptr, ElementType::F32, {4}};
  EXPECT_EQ(refused("sum", {null, view(a, {4})}, {view(total, {4})}),
            "entry 'sum': input 'a': expected data, found a null pointer");
  EXPECT_EQ(refused("append", {view(a, {4}), view(ids, {})}, {view(total, {})}),
            "entry 'append': expected reserve before the first run");
  EXPECT_EQ(
      refused("rows", {view(a, {INT64_MAX, 4})}, {view(total, {4})}),
      "entry 'rows': input 'x': expected a tensor below 2^63 bytes, found "
      "shape [9223372036854775807,4]");
  // CheckEqual: the same extent, proved only at run time.
  EXPECT_EQ(refused("sum", {view(a, {4}), view(a, {3})}, {view(total, {4})}),
            "Add_0: expected equal extents, found 4 and 3");
}

TEST(Session, failingChecksBecomeTheSitesText) {
  std::shared_ptr<const Model> model = toyModel();
  ThreadPool pool(3);
  SessionOptions options;
  options.pool = &pool;
  Session session(model, options);
  std::vector<int64_t> ids(100, 3), clamped(100);
  ids[40] = 12;
  ids[90] = 11;
  TensorView inputs[] = {view(ids, {100})}, outputs[] = {view(clamped, {100})};
  Status status = session.run("check", inputs, outputs);
  EXPECT_EQ(status.code(), StatusCode::RuntimeError);
  EXPECT_EQ(status.toString(),
            "embed: expected an id below 10 at 40, found 12");
  ids[40] = ids[90] = 9;
  EXPECT_TRUE(session.run("check", inputs, outputs).isOk())
      << "an error of one run does not stay";
}

TEST(Session, cancelIsSeenBetweenCommands) {
  Session session(toyModel());
  std::atomic<bool> cancel{true};
  SumCase sum(8);
  Status status = sum.run(session, &cancel);
  EXPECT_EQ(status.code(), StatusCode::Cancelled);
  EXPECT_EQ(status.toString(), "entry 'sum': cancelled before command 0 of 5");
  cancel = false;
  EXPECT_TRUE(sum.run(session, &cancel).isOk());

  // While it runs: whatever point it is seen at, the session stays usable.
  std::vector<float> x(1 << 18), y(1 << 18);
  TensorView inputs[] = {view(x, {1 << 18})}, outputs[] = {view(y, {1 << 18})};
  std::thread canceller([&] { cancel = true; });
  status = session.run("slow", inputs, outputs, &cancel);
  canceller.join();
  EXPECT_TRUE(status.isOk() || status.code() == StatusCode::Cancelled);
  EXPECT_TRUE(sum.run(session).isOk());
  EXPECT_EQ(sum.total, sum.expected);
}

struct AppendCase {
  std::vector<float> x;
  std::vector<int64_t> position;
  std::vector<float> copy;
  Status run(Session &session, int64_t rows, int64_t cap) {
    copy.assign(rows * cap, 0);
    TensorView inputs[] = {view(x, {static_cast<int64_t>(x.size())}),
                           view(position, {})};
    TensorView outputs[] = {view(copy, {rows, cap})};
    return session.run("append", inputs, outputs);
  }
};

TEST(Session, statesLiveBetweenRunsAndSurviveRefusedOnes) {
  SessionOptions options;
  options.memoryLimitBytes = 20000;
  Session session(toyModel(), options);
  ASSERT_TRUE(session.reserve({{"Rows", 2}, {"Cap", 16}}).isOk());
  AppendCase append{{1, 2, 3}, {0}, {}};
  ASSERT_TRUE(append.run(session, 2, 16).isOk());
  append = {{4, 5}, {3}, {}};
  ASSERT_TRUE(append.run(session, 2, 16).isOk());
  auto holdsFive = [&] {
    AppendCase look{{}, {0}, {}};
    EXPECT_TRUE(look.run(session, 2, 16).isOk());
    return std::vector<float>(look.copy.begin(), look.copy.begin() + 5) ==
           std::vector<float>{1, 2, 3, 4, 5};
  };
  EXPECT_TRUE(holdsFive());
  // Refused: a contradiction, a run beyond the limit, a reserve beyond it.
  EXPECT_EQ(append.run(session, 2, 32).toString(),
            "entry 'append': output 'copy': expected shape [Rows=2,Cap=16], "
            "found [2,32]");
  EXPECT_TRUE(holdsFive());
  SumCase big(30000);
  Status status = big.run(session);
  EXPECT_EQ(status.code(), StatusCode::OutOfMemory);
  EXPECT_THAT(
      status.message(),
      testing::MatchesRegex(
          "needs 117\\.[0-9] KiB \\(120[0-9]* bytes\\), limit is 19\\.5 "
          "KiB \\(20000 bytes\\)"));
  EXPECT_TRUE(holdsFive());
  status = session.reserve({{"Rows", 2000}, {"Cap", 16}});
  EXPECT_EQ(status.code(), StatusCode::OutOfMemory);
  EXPECT_TRUE(holdsFive());
  EXPECT_EQ(session.reserve({{"Rows", 2}, {"Cap", 17}}).toString(),
            "reserve: state 'cache': expected a capacity that is a multiple of "
            "16, found 17");
  EXPECT_EQ(session.reserve({{"Rows", -2}, {"Cap", 16}}).toString(),
            "reserve: expected dimension 'Rows' of at least 0, found -2");
  EXPECT_EQ(session.reserve({{"Rows", 2}}).toString(),
            "reserve: expected a value of dimension 'Cap'");
  EXPECT_TRUE(holdsFive());
  // The same dims again keep the contents.
  EXPECT_TRUE(session.reserve({{"Rows", 2}, {"Cap", 16}}).isOk());
  EXPECT_TRUE(holdsFive());
}

TEST(Session, loopsRunTheirCommandsForEveryIteration) {
  Trace trace;
  SessionOptions options;
  options.trace = &trace;
  Session session(toyModel(), options);
  for (int64_t n : {1, 15, 16, 17, 100, 0}) {
    std::vector<float> x(n), y(n), expected(n);
    for (int64_t i = 0; i < n; ++i)
      expected[i] = 2 * (x[i] = i + 1);
    TensorView inputs[] = {view(x, {n})}, outputs[] = {view(y, {n})};
    size_t before = trace.events().size();
    Status status = session.run("chunks", inputs, outputs);
    ASSERT_TRUE(status.isOk()) << status.toString();
    EXPECT_EQ(y, expected);
    EXPECT_EQ(trace.events().size() - before, (n + 15) / 16);
  }
}

TEST(Session, cancelIsSeenInLoops) {
  Session session(toyModel());
  std::vector<float> x(64), y(64);
  TensorView inputs[] = {view(x, {64})}, outputs[] = {view(y, {64})};
  std::atomic<bool> cancel{true};
  EXPECT_EQ(session.run("chunks", inputs, outputs, &cancel).code(),
            StatusCode::Cancelled);
}

TEST(Session, loopsAreCheckedWhenTheyRun) {
  auto refused = [](auto &&change) {
    std::unique_ptr<MemorySource> source = toySource();
    change(source->tables["chunks"]);
    Result<std::shared_ptr<const Model>> model =
        Model::create(std::move(source));
    EXPECT_TRUE(model.isOk()) << model.status().toString();
    Session session(*model);
    std::vector<float> x(20), y(20);
    TensorView inputs[] = {view(x, {20})}, outputs[] = {view(y, {20})};
    return session.run("chunks", inputs, outputs).toString();
  };
  EXPECT_EQ(refused([](EntryTable &table) {
              table.commands[0].dims[0] = DimExpr::dim("N") - 30;
            }),
            "entry 'chunks': loop 'i' runs -10 times");
  EXPECT_EQ(refused([](EntryTable &table) { table.slots[1].bytes = 64; }),
            "entry 'chunks': slot 1 covers bytes 64 + 64 of 80");
}

TEST(Session, statesOfFixedShapeNeedNoReserve) {
  Session session(toyModel());
  EXPECT_EQ(session.memory().stateBytes, 0u);
  Result<TensorView> totals = session.state("totals");
  ASSERT_TRUE(totals) << totals.status().toString();
  EXPECT_EQ(totals->shape, std::vector<int64_t>{40});
  EXPECT_EQ(session.memory().stateBytes, 160u);
  float *data = static_cast<float *>(totals->data);
  EXPECT_EQ(std::vector<float>(data, data + 40), std::vector<float>(40));
  data[7] = 100;
  std::vector<float> x(40, 2);
  TensorView inputs[] = {view(x, {40})};
  for (int run = 0; run < 3; ++run)
    ASSERT_TRUE(session.run("count", inputs, {}).isOk());
  EXPECT_EQ(data[6], 6);
  EXPECT_EQ(data[7], 106);
  // A reserve of the other states leaves it alone.
  ASSERT_TRUE(session.reserve({{"Rows", 2}, {"Cap", 16}}).isOk());
  EXPECT_EQ(data[7], 106);
  EXPECT_EQ(session.state("totals")->data, data);
  EXPECT_EQ(session.state("cache")->shape, (std::vector<int64_t>{2, 16}));
  EXPECT_EQ(session.memory().stateBytes, 160u + 128u);
}

TEST(Session, statesAreRefusedByName) {
  Session session(toyModel());
  EXPECT_EQ(session.state("total").status().toString(),
            "expected the name of a state, found 'total'");
  EXPECT_EQ(session.state("cache").status().toString(),
            "state 'cache': expected reserve before the state is asked for");
  SessionOptions options;
  options.memoryLimitBytes = 100;
  Session small(toyModel(), options);
  EXPECT_EQ(small.state("totals").status().toString(),
            "state 'totals': needs 160 bytes, limit is 100 bytes");
  std::vector<float> x(40);
  TensorView inputs[] = {view(x, {40})};
  EXPECT_EQ(small.run("count", inputs, {}).toString(),
            "entry 'count': needs 160 bytes, limit is 100 bytes");
  EXPECT_EQ(small.memory().allocatedBytes, 0u);
}

TEST(Session, neededMemoryHoldsTheFixedStatesInUse) {
  std::shared_ptr<const Model> model = toyModel();
  DimMap dims = {{"Rows", 2}, {"Cap", 16}, {"N", 16}};
  auto needed = [&](std::vector<std::string> entries) {
    Result<uint64_t> bytes = model->memoryNeeded(entries, dims, 1);
    EXPECT_TRUE(bytes) << bytes.status().toString();
    return *bytes;
  };
  EXPECT_EQ(needed({"slow", "count"}), needed({"slow"}) + 160);
}

TEST(Session, theLimitHoldsForWhatIsAllocated) {
  std::shared_ptr<const Model> model = toyModel();
  std::vector<std::string> entries{"sum"};
  DimMap dims{{"N", 64}, {"M", 64}, {"Rows", 8}, {"Cap", 16}};
  Result<uint64_t> needed = model->memoryNeeded(entries, dims, 1);
  ASSERT_TRUE(needed.isOk());
  for (int slack : {0, -1}) {
    SessionOptions options;
    options.memoryLimitBytes = *needed + slack;
    Session session(model, options);
    ASSERT_TRUE(session.reserve({{"Rows", 8}, {"Cap", 16}}).isOk());
    SumCase sum(64);
    EXPECT_EQ(sum.run(session).code(),
              slack ? StatusCode::OutOfMemory : StatusCode::Ok);
    EXPECT_LE(session.memory().allocatedBytes, options.memoryLimitBytes);
  }
  // Larger states take the place of an arena that is not in use, and a larger
  // arena that of an earlier one.
  SessionOptions options;
  options.memoryLimitBytes = *needed;
  Session session(model, options);
  SumCase sum(64);
  ASSERT_TRUE(session.reserve({{"Rows", 1}, {"Cap", 16}}).isOk());
  ASSERT_TRUE(sum.run(session).isOk());
  int64_t rows = (*needed - 250) / 64; // with the bookkeeping of a run
  ASSERT_TRUE(session.reserve({{"Rows", rows}, {"Cap", 16}}).isOk());
  EXPECT_LE(session.memory().allocatedBytes, *needed);
  EXPECT_EQ(sum.run(session).code(), StatusCode::OutOfMemory);
  ASSERT_TRUE(session.reserve({{"Rows", 8}, {"Cap", 16}}).isOk());
  EXPECT_TRUE(sum.run(session).isOk()) << "what was too much was given back";
  EXPECT_LE(session.memory().allocatedBytes, *needed);
}

TEST(Session, inputsMustAgreeWithReservedDims) {
  auto source = toySource();
  EntryTable &table = source->tables["rows"];
  table.dims = {"Rows", "S"};
  DimExpr rows = DimExpr::dim("Rows"), s = DimExpr::dim("S");
  table.inputs[0].shape = {rows, s};
  table.outputs[0].shape = {rows};
  table.slots[0].bytes = rows * s * 4;
  table.slots[1].bytes = rows * 4;
  table.commands[0].dims = {rows, s};
  table.commands[0].tiles = rows;
  Result<std::shared_ptr<const Model>> model = Model::create(std::move(source));
  ASSERT_TRUE(model.isOk()) << model.status().toString();
  Session session(*model);
  std::vector<float> x(6, 1), sums(3);
  TensorView inputs[] = {view(x, {3, 2})}, outputs[] = {view(sums, {3})};
  ASSERT_TRUE(session.run("rows", inputs, outputs).isOk());
  ASSERT_TRUE(session.reserve({{"Rows", 2}, {"Cap", 16}}).isOk());
  EXPECT_EQ(
      session.run("rows", inputs, outputs).toString(),
      "entry 'rows': expected Rows=2 as reserved, found 3 in the tensors' "
      "shapes");
}

TEST(Session, highWaterShowsWhatWasWritten) {
  SessionOptions options;
  options.measureMemory = true;
  Session session(toyModel(), options);
  ASSERT_TRUE(session.reserve({{"Rows", 2}, {"Cap", 16}}).isOk());
  EXPECT_EQ(session.memory().stateHighWater, 0u);
  SumCase sum(37);
  ASSERT_TRUE(sum.run(session).isOk());
  EXPECT_EQ(sum.total, sum.expected);
  MemoryReport report = session.memory();
  EXPECT_EQ(report.arenaBytes, 64u + 37 * 4);
  EXPECT_GT(report.arenaHighWater, report.arenaBytes - 4);
  EXPECT_LE(report.arenaHighWater, report.arenaBytes);
  AppendCase append{{1.5, 2.5, 3.5}, {4}, {}};
  ASSERT_TRUE(append.run(session, 2, 16).isOk());
  EXPECT_GT(session.memory().stateHighWater, 6u * 4);
  EXPECT_LE(session.memory().stateHighWater, 7u * 4);
  EXPECT_EQ(session.memory().stateBytes, 128u);
}

TEST(Session, highWaterShowsAWriteBehindTheArena) {
  auto source = toySource();
  EntryTable &sum = source->tables["sum"];
  sum.slots[3].bytes = 0; // hides the overrun from the slot check
  sum.commands.erase(sum.commands.begin() + 3);
  sum.arenaBytes = 64;
  Result<std::shared_ptr<const Model>> model = Model::create(std::move(source));
  ASSERT_TRUE(model.isOk());
  SessionOptions options;
  options.measureMemory = true;
  Session session(*model, options);
  SumCase sums(20);
  ASSERT_TRUE(sums.run(session).isOk());
  EXPECT_GT(session.memory().arenaHighWater, session.memory().arenaBytes);
}

TEST(Session, slotsOutsideTheirBufferAreNotRun) {
  auto source = toySource();
  source->tables["sum"].slots[3].bytes = DimExpr::dim("N") * 8;
  Result<std::shared_ptr<const Model>> model = Model::create(std::move(source));
  ASSERT_TRUE(model.isOk());
  Session session(*model);
  SumCase sum(10);
  Status status = sum.run(session);
  EXPECT_EQ(status.code(), StatusCode::Internal);
  EXPECT_EQ(status.toString(),
            "entry 'sum': slot 3 covers bytes 64 + 80 of 104");
}

TEST(Session, sessionsOfOneModelRunAtTheSameTime) {
  std::shared_ptr<const Model> model = toyModel();
  ThreadPool pool(2);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      SessionOptions options;
      options.pool = &pool;
      Session session(model, options);
      for (int round = 0; round < 50; ++round) {
        SumCase sum(1 + (t * 17 + round) % 64);
        wrong += !sum.run(session).isOk() || sum.total != sum.expected;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Session, outputShapesFollowFromInputsAndReserve) {
  Session session(toyModel());
  std::vector<float> x(6);
  std::vector<int64_t> position(1);
  TensorView rows[] = {view(x, {2, 3})};
  auto shapes = session.outputShapes("rows", rows);
  ASSERT_TRUE(shapes.isOk());
  EXPECT_THAT(*shapes, testing::ElementsAre(testing::ElementsAre(2)));
  TensorView append[] = {view(x, {6}), view(position, {})};
  shapes = session.outputShapes("append", append);
  ASSERT_TRUE(shapes.isOk());
  EXPECT_THAT(*shapes, testing::ElementsAre(testing::ElementsAre(-1, -1)));
  ASSERT_TRUE(session.reserve({{"Rows", 2}, {"Cap", 16}}).isOk());
  shapes = session.outputShapes("append", append);
  EXPECT_THAT(*shapes, testing::ElementsAre(testing::ElementsAre(2, 16)));
}

TEST(Session, traceHasOneEventPerCommand) {
  Trace trace;
  SessionOptions options;
  options.trace = &trace;
  Session session(toyModel(), options);
  SumCase sum(20);
  ASSERT_TRUE(sum.run(session).isOk());
  std::vector<Trace::Event> events = trace.events();
  ASSERT_EQ(events.size(), 5u);
  EXPECT_EQ(events[1].name, "first");
  EXPECT_EQ(events[1].kernel, "test_add");
  EXPECT_EQ(events[1].tiles, 2);
  EXPECT_EQ(events[3].kernel, "copy");
  for (size_t i = 1; i < events.size(); ++i)
    EXPECT_GE(events[i].startNs,
              events[i - 1].startNs + events[i - 1].durationNs);
  trace.add("quote \" and \\", "e", "k", 1, Trace::Clock::now());
  EXPECT_THAT(trace.toJson(), testing::StartsWith("{\"traceEvents\": ["));
  EXPECT_THAT(trace.toJson(), testing::HasSubstr(R"("quote \" and \\")"));
}

TEST(LargestFitting, findsTheBorder) {
  auto bytes = [](int64_t n) -> Result<uint64_t> { return 100 + 10 * n; };
  EXPECT_EQ(*largestFitting(64, 0, bytes), 64);
  EXPECT_EQ(*largestFitting(64, 10000, bytes), 64);
  EXPECT_EQ(*largestFitting(64, 739, bytes), 63);
  EXPECT_EQ(*largestFitting(64, 119, bytes), 1);
  EXPECT_EQ(*largestFitting(64, 405, bytes), 30);
  EXPECT_EQ(largestFitting(64, 109, bytes).status().message(),
            "needs 110 bytes, limit is 109 bytes");
  EXPECT_EQ(largestFitting(0, 109, bytes).status().code(),
            StatusCode::InvalidArgument);
}

} // namespace
