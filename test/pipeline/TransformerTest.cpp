//===- TransformerTest.cpp - Compiled entries against the reference -------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small random Transformer through all six stages: every entry of the machine
// code against the reference interpreter on the module as it was built, and
// against itself in other batches.
//
//===----------------------------------------------------------------------===//

#include "test/pipeline/CompiledModel.h"

#include "compiler/interpret/Interpreter.h"
#include "frontends/dsl/models/Transformer.h"
#include "tools/driver/Registration.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>
#include <limits>

using namespace dragoman;
using namespace dragoman::test;
using interpret::Element;
using interpret::StateMap;
using interpret::Tensor;

namespace {

Tensor integers(Element element, std::vector<int64_t> shape,
                std::vector<int64_t> values) {
  Tensor tensor(element, std::move(shape));
  std::copy(values.begin(), values.end(), tensor.mutableIntegers());
  return tensor;
}

class TransformerTest : public testing::TestWithParam<std::string> {
protected:
  static constexpr int64_t vocabulary = 203;

  TransformerTest() : context(registry()) {
    context.loadAllAvailableDialects();
    context.disableMultithreading();
    dsl::TransformerConfig config;
    config.vocab = vocabulary;
    config.dModel = 64;
    config.heads = 4;
    config.ffn = 96;
    config.encoderLayers = 2;
    config.decoderLayers = 2;
    config.maxPositions = 96;
    config.activation = "silu";
    module = dsl::makeTransformer(context, config);
    model = compileAndLoad(*module, "", GetParam());
    interpret::Options options;
    options.mode = interpret::Mode::Wide;
    reference = std::make_unique<interpret::Interpreter>(*module, options);
  }

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  Tensor randomIds(std::vector<int64_t> shape) {
    Tensor ids(Element::I64, shape);
    for (int64_t i = 0; i < ids.elements(); ++i)
      ids.mutableIntegers()[i] = random() % vocabulary;
    return ids;
  }

  /// The entry on both sides; outputs may differ by rounding only.
  std::vector<Tensor> runBoth(Session &session, const std::string &entry,
                              const std::vector<Tensor> &inputs,
                              double tolerance) {
    Result<std::vector<Tensor>> expected =
        reference->run(entry, inputs, &states);
    EXPECT_TRUE(expected) << expected.status().toString();
    std::vector<Tensor> found = runEntry(session, entry, inputs);
    for (size_t i = 0; expected && i < found.size(); ++i)
      EXPECT_LE(largestDifference(found[i], (*expected)[i]), tolerance)
          << entry << " output " << i;
    return found;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::shared_ptr<const Model> model;
  std::unique_ptr<interpret::Interpreter> reference;
  StateMap states;
  std::mt19937 random{7};
};

TEST_P(TransformerTest, EntriesFollowTheReference) {
  ASSERT_TRUE(model);
  std::map<std::string, int64_t> dims = {
      {"Rows", 5}, {"Cap", 32}, {"SrcRows", 3}, {"SrcCap", 48}};
  Session session(model);
  ASSERT_TRUE(session.reserve(dims));
  Result<StateMap> zero = reference->makeStates(dims);
  ASSERT_TRUE(zero) << zero.status().toString();
  states = *zero;

  Tensor lengths = integers(Element::I64, {3}, {33, 1, 17});
  Tensor hidden =
      runBoth(session, "encode", {randomIds({3, 33}), lengths}, 2e-5)[0];
  Tensor sourceRow = integers(Element::I32, {3}, {2, 0, 1});
  runBoth(session, "prepare", {hidden, sourceRow}, 0);

  // Five rows over three sentences; row 4 took over the past of row 3.
  Tensor source = integers(Element::I32, {5, 1}, {2, 2, 0, 1, 1});
  Tensor sourceLength = integers(Element::I64, {5}, {33, 33, 1, 17, 17});
  Tensor cacheRow = integers(Element::I32, {5}, {4, 2, 0, 1, 3});
  Tensor rows(Element::I32, {5, 24});
  for (int64_t row = 0; row < 5; ++row)
    for (int64_t key = 0; key < 24; ++key)
      rows.mutableIntegers()[row * 24 + key] = cacheRow.integers()[row];
  int64_t position = 0;
  for (int64_t tokens : {3, 1, 1, 1}) {
    if (position == 4)
      for (int64_t key = 0; key < position; ++key)
        rows.mutableIntegers()[4 * 24 + key] = cacheRow.integers()[3];
    Tensor positions =
        integers(Element::I64, {5}, std::vector<int64_t>(5, position));
    runBoth(session, "decode",
            {randomIds({5, tokens}), positions, cacheRow, rows, source,
             sourceLength},
            5e-5);
    position += tokens;
  }
}

TEST_P(TransformerTest, SelectFollowsTheReference) {
  ASSERT_TRUE(model);
  Session session(model);
  Tensor logits(Element::F32, {4, vocabulary});
  std::normal_distribution<float> normal(0, 3);
  for (int64_t i = 0; i < logits.elements(); ++i)
    logits.mutableFloats()[i] = normal(random);
  // Ties: the lower id comes first.
  logits.mutableFloats()[2 * vocabulary + 50] = 20;
  logits.mutableFloats()[2 * vocabulary + 20] = 20;
  Tensor ids = integers(Element::I32, {4, 2}, {7, 9, 0, 0, 50, 3, 1, 1});
  Tensor kinds = integers(Element::I32, {4, 2}, {1, 2, 0, 0, 2, 3, 3, 3});
  Tensor values(Element::F32, {4, 2});
  double edits[] = {-1e30, 1.5, 0, 0, 0, 1.25, 2, 2};
  std::copy(std::begin(edits), std::end(edits), values.mutableFloats());
  for (int64_t normalize : {0, 1, 2, 3}) {
    std::vector<Tensor> found =
        runBoth(session, "select",
                {logits, Tensor::scalar(Element::I64, int64_t(8)),
                 Tensor::scalar(Element::I64, normalize), ids, kinds, values},
                2e-5);
    EXPECT_EQ(found[1].integers()[2 * 128], 20);
  }
}

TEST_P(TransformerTest, SentenceHasTheSameBitsInAnyBatch) {
  ASSERT_TRUE(model);
  Session session(model);
  ASSERT_TRUE(session.reserve(
      {{"Rows", 16}, {"Cap", 16}, {"SrcRows", 16}, {"SrcCap", 16}}));
  Tensor ids = randomIds({4, 29});
  Tensor lengths = integers(Element::I64, {4}, {29, 11, 28, 3});
  Tensor together = runEntry(session, "encode", {ids, lengths})[0];
  for (int64_t sentence = 0; sentence < 4; ++sentence) {
    int64_t length = lengths.integers()[sentence];
    // Alone, with another amount of padding.
    int64_t padded = length + sentence;
    Tensor own(Element::I64, {1, padded});
    for (int64_t i = 0; i < padded; ++i)
      own.mutableIntegers()[i] =
          i < length ? ids.integers()[sentence * 29 + i] : 5;
    Tensor alone = runEntry(session, "encode",
                            {own, integers(Element::I64, {1}, {length})})[0];
    for (int64_t i = 0; i < length * 64; ++i)
      ASSERT_EQ(alone.at(i), together.at(sentence * 29 * 64 + i))
          << "sentence " << sentence << " element " << i;
  }
}

/// Encodes one sentence padded to `padded` tokens, fills the padding of the
/// hidden states with `filler`, and decodes two tokens; returns the logits.
static Tensor decodeOnce(Session &session, const std::vector<int64_t> &sentence,
                         int64_t padded, double filler) {
  int64_t length = static_cast<int64_t>(sentence.size());
  std::vector<int64_t> ids(sentence);
  ids.resize(padded, 5);
  Tensor hidden = runEntry(session, "encode",
                           {integers(Element::I64, {1, padded}, ids),
                            integers(Element::I64, {1}, {length})})[0];
  int64_t channels = hidden.dim(2);
  for (int64_t i = length * channels; i < padded * channels; ++i)
    hidden.mutableFloats()[i] = filler;
  runEntry(session, "prepare", {hidden, integers(Element::I32, {1}, {0})});
  return runEntry(
      session, "decode",
      {integers(Element::I64, {1, 2}, {3, 8}), integers(Element::I64, {1}, {0}),
       integers(Element::I32, {1}, {0}), integers(Element::I32, {1, 2}, {0, 0}),
       integers(Element::I32, {1, 1}, {0}),
       integers(Element::I64, {1}, {length})})[0];
}

static const std::map<std::string, int64_t> oneSentence = {
    {"Rows", 1}, {"Cap", 16}, {"SrcRows", 1}, {"SrcCap", 32}};

TEST_P(TransformerTest, Fault22NanInThePaddingHasNoInfluence) {
  ASSERT_TRUE(model);
  Session session(model);
  ASSERT_TRUE(session.reserve(oneSentence));
  std::vector<int64_t> sentence = {9, 4, 120, 33, 2};
  Tensor zeros = decodeOnce(session, sentence, 20, 0.0);
  for (double filler : {std::numeric_limits<double>::quiet_NaN(),
                        std::numeric_limits<double>::infinity()})
    EXPECT_EQ(
        largestDifference(decodeOnce(session, sentence, 20, filler), zeros), 0);
}

TEST_P(TransformerTest, Case09CrossCachesBelongToOneSentence) {
  ASSERT_TRUE(model);
  std::vector<int64_t> first = {7, 70, 17, 2}, second = {90, 2};
  Session session(model), fresh(model);
  ASSERT_TRUE(session.reserve(oneSentence));
  ASSERT_TRUE(fresh.reserve(oneSentence));
  Tensor narrow = decodeOnce(session, first, 4, 0.0);
  EXPECT_EQ(largestDifference(decodeOnce(session, first, 9, 0.0), narrow), 0);
  // The second sentence after the first, and alone.
  EXPECT_EQ(largestDifference(decodeOnce(session, second, 9, 0.0),
                              decodeOnce(fresh, second, 4, 0.0)),
            0);
}

TEST_P(TransformerTest, Fault20EmptyBatchAndLength) {
  ASSERT_TRUE(model);
  Session session(model);
  ASSERT_TRUE(session.reserve(oneSentence));
  using Shape = std::vector<int64_t>;
  Tensor none =
      runEntry(session, "encode",
               {Tensor(Element::I64, {0, 5}), Tensor(Element::I64, {0})})[0];
  EXPECT_EQ(none.shape(), (Shape{0, 5, 64}));
  Tensor empty =
      runEntry(session, "encode",
               {Tensor(Element::I64, {2, 0}), Tensor(Element::I64, {2})})[0];
  EXPECT_EQ(empty.shape(), (Shape{2, 0, 64}));
}

INSTANTIATE_TEST_SUITE_P(Levels, TransformerTest,
                         testing::Values("x86-64-v3", "x86-64-v4"),
                         [](const auto &info) {
                           return info.param == "x86-64-v3" ? "v3" : "v4";
                         });
} // namespace
