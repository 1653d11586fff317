//===- RandomGraphTest.cpp - Random graphs, compiled and interpreted ------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Small random graphs of the ops that planning moves about: sums with one and
// several readers, sibling layers, slices, transposes, concatenations, results
// that are returned twice. The machine code must follow the reference
// interpreter on the graph as it was built. A failing graph is printed with its
// seed.
//
//===----------------------------------------------------------------------===//

#include "test/pipeline/CompiledModel.h"

#include "compiler/interpret/Interpreter.h"
#include "dialects/xf/Xf.h"
#include "frontends/dsl/Builder.h"
#include "tools/driver/Registration.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <random>

using namespace dragoman;
using namespace dragoman::test;
using interpret::Element;
using mlir::OpFoldResult;
using mlir::RankedTensorType;

namespace {

/// Builds one graph over values [B,T,C].
class GraphBuilder {
public:
  static constexpr int64_t channels = 24, heads = 2;

  GraphBuilder(mlir::MLIRContext &context, unsigned seed)
      : model(context), random(seed) {}

  mlir::OwningOpRef<mlir::ModuleOp> build() {
    for (const char *name : {"a", "b", "c"})
      layers.push_back(model.linear(name, channels, channels, pick(2)));
    norm = model.norm("norm", channels);
    vector = model.weight("vector", {channels}, 0.5);
    narrow = model.linear("narrow", channels, 2 * channels, true);
    dsl::Entry e = model.entry("main");
    std::string size = std::to_string(channels);
    values.push_back(e.input("x", e.f32(), {"B", "T", size}, "normal(1.0)"));
    values.push_back(e.input("y", e.f32(), {"B", "T", size}, "normal(1.0)"));
    length = e.input("length", e.i64(), {"B"}, "length(T)");
    for (int step = 0; step < 9; ++step)
      values.push_back(addOp(e));
    e.output("last", values.back());
    e.output("some", any());
    e.output("other", any());
    e.finish();
    return model.take();
  }

private:
  unsigned pick(unsigned count) { return random() % count; }
  /// Any value, the latest ones more often.
  dsl::Tensor any() {
    unsigned back = std::min(pick(values.size()), pick(values.size()));
    return values[values.size() - 1 - back];
  }
  dsl::Linear layer() { return layers[pick(layers.size())]; }

  dsl::Tensor addOp(dsl::Entry &e) {
    static constexpr const char *activations[] = {"none", "relu", "gelu",
                                                  "silu"};
    dsl::Tensor x = any();
    switch (pick(11)) {
    case 0:
      return e.add(x, any());
    case 1:
      return e.linear(x, layer(), activations[pick(4)]);
    case 2:
      return e.layerNorm(e.add(x, e.linear(any(), layer())), norm, 1e-5);
    case 3:
      return attention(e, x);
    case 4:
      return e.add(e.linear(x, layer()), e.load(vector));
    case 5:
      return xf::SiluOp::create(e.builder(), x.getType(), x);
    case 6:
      return xf::SoftmaxOp::create(e.builder(), x.getType(), x, dsl::Tensor(),
                                   dsl::Tensor());
    case 7:
      return e.linear(concat(e, x, any()), narrow);
    case 8:
      return transposedAttention(e, x);
    case 9:
      return products(e, x, any());
    default:
      return rotate(e, x);
    }
  }

  dsl::Tensor attention(dsl::Entry &e, dsl::Tensor x) {
    dsl::Tensor q = e.splitHeads(e.linear(x, layers[0]), heads);
    dsl::Tensor k = e.splitHeads(e.linear(x, layers[1]), heads);
    dsl::Tensor v =
        e.splitHeads(e.linear(pick(2) ? x : any(), layers[2]), heads);
    dsl::AttentionMask mask;
    mask.keyCount = pick(2) ? length : dsl::Tensor();
    mask.causal = pick(2);
    return e.mergeHeads(e.attention(q, k, v, mask, /*cached=*/false));
  }

  /// [B,T,H,D] as [B,H,T,D] or back.
  dsl::Tensor exchangeHeads(dsl::Entry &e, dsl::Tensor x) {
    mlir::ImplicitLocOpBuilder &b = e.builder();
    OpFoldResult sizes[4];
    for (auto [from, to] : {std::pair(0, 0), {1, 2}, {2, 1}, {3, 3}})
      sizes[to] = mlir::tensor::getMixedSize(b, b.getLoc(), x, from);
    dsl::Tensor empty = mlir::tensor::EmptyOp::create(b, sizes, e.f32());
    return mlir::linalg::TransposeOp::create(
               b, x, empty, llvm::ArrayRef<int64_t>{0, 2, 1, 3})
        .getResult()[0];
  }

  /// Attention as exporters write it, between transposes.
  dsl::Tensor transposedAttention(dsl::Entry &e, dsl::Tensor x) {
    mlir::ImplicitLocOpBuilder &b = e.builder();
    dsl::Tensor heads3[3];
    for (int i = 0; i < 3; ++i)
      heads3[i] = exchangeHeads(e, e.splitHeads(e.linear(x, layers[i]), heads));
    auto type = llvm::cast<RankedTensorType>(heads3[0].getType());
    auto op = xf::AttentionOp::create(
        b, type, type.clone(type.getShape().drop_back()), heads3[0], heads3[1],
        heads3[2], dsl::Tensor(), dsl::Tensor(), length, dsl::Tensor(),
        dsl::Tensor(), dsl::Tensor(), dsl::Tensor(), dsl::Tensor(),
        mlir::ValueRange(), mlir::FloatAttr(), /*causal=*/pick(2) == 0,
        /*left=*/-1, /*right=*/-1, llvm::APFloat(0.0),
        /*dropout=*/llvm::APFloat(0.0));
    return e.mergeHeads(exchangeHeads(e, op.getOut()));
  }

  /// softmax(x . y^T / 8) . y
  dsl::Tensor products(dsl::Entry &e, dsl::Tensor x, dsl::Tensor y) {
    mlir::ImplicitLocOpBuilder &b = e.builder();
    auto square = RankedTensorType::get(
        llvm::SmallVector<int64_t>(3, mlir::ShapedType::kDynamic), e.f32());
    dsl::Tensor scores =
        xf::MatmulOp::create(b, square, x, y, /*transpose_a=*/false,
                             /*transpose_b=*/true, llvm::APFloat(0.125));
    dsl::Tensor weights =
        xf::SoftmaxOp::create(b, square, scores, dsl::Tensor(), dsl::Tensor());
    return xf::MatmulOp::create(b, x.getType(), weights, y, false, false,
                                llvm::APFloat(1.0));
  }

  dsl::Tensor concat(dsl::Entry &e, dsl::Tensor x, dsl::Tensor y) {
    auto type = RankedTensorType::get(
        {mlir::ShapedType::kDynamic, mlir::ShapedType::kDynamic, 2 * channels},
        e.f32());
    return mlir::tensor::ConcatOp::create(e.builder(), type, 2,
                                          mlir::ValueRange{x, y});
  }

  /// The halves of the channels exchanged.
  dsl::Tensor rotate(dsl::Entry &e, dsl::Tensor x) {
    mlir::ImplicitLocOpBuilder &b = e.builder();
    auto half = RankedTensorType::get(
        {mlir::ShapedType::kDynamic, mlir::ShapedType::kDynamic, channels / 2},
        e.f32());
    llvm::SmallVector<OpFoldResult> offsets(3, b.getIndexAttr(0)),
        strides(3, b.getIndexAttr(1)),
        sizes = {mlir::tensor::getMixedSize(b, b.getLoc(), x, 0),
                 mlir::tensor::getMixedSize(b, b.getLoc(), x, 1),
                 b.getIndexAttr(channels / 2)};
    dsl::Tensor first = mlir::tensor::ExtractSliceOp::create(
        b, half, x, offsets, sizes, strides);
    offsets[2] = b.getIndexAttr(channels / 2);
    dsl::Tensor second = mlir::tensor::ExtractSliceOp::create(
        b, half, x, offsets, sizes, strides);
    return mlir::tensor::ConcatOp::create(b, x.getType(), 2,
                                          mlir::ValueRange{second, first});
  }

  dsl::Model model;
  std::mt19937 random;
  std::vector<dsl::Linear> layers;
  dsl::Linear narrow;
  dsl::Norm norm;
  dsl::Weight vector;
  dsl::Tensor length;
  std::vector<dsl::Tensor> values;
};

class RandomGraphTest : public testing::TestWithParam<unsigned> {};

interpret::Tensor randomFloats(std::vector<int64_t> shape,
                               std::mt19937 &random) {
  interpret::Tensor tensor(Element::F32, std::move(shape));
  std::normal_distribution<float> normal;
  for (int64_t i = 0; i < tensor.elements(); ++i)
    tensor.mutableFloats()[i] = normal(random);
  return tensor;
}

} // namespace

TEST_P(RandomGraphTest, CompiledFollowsTheReference) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  context.disableMultithreading();
  auto module = GraphBuilder(context, GetParam()).build();
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  SCOPED_TRACE("seed " + std::to_string(GetParam()) + ":\n" + text);
  ASSERT_TRUE(succeeded(mlir::verify(*module)));

  const char *level = GetParam() % 2 ? "x86-64-v3" : "x86-64-v4";
  std::shared_ptr<const Model> model = compileAndLoad(*module, "", level);
  ASSERT_TRUE(model);
  interpret::Options options;
  options.mode = interpret::Mode::Wide;
  interpret::Interpreter reference(*module, options);
  Session session(model);
  std::mt19937 random(GetParam());
  for (auto [b, t] :
       {std::pair<int64_t, int64_t>(1, 1), {3, 5}, {2, 19}, {0, 3}, {2, 0}}) {
    interpret::Tensor lengths(Element::I64, {b});
    for (int64_t i = 0; i < b; ++i)
      lengths.mutableIntegers()[i] = t == 0 ? 0 : 1 + random() % t;
    std::vector<interpret::Tensor> inputs = {
        randomFloats({b, t, GraphBuilder::channels}, random),
        randomFloats({b, t, GraphBuilder::channels}, random), lengths};
    auto expected = reference.run("main", inputs, nullptr);
    ASSERT_TRUE(expected) << expected.status().toString();
    std::vector<interpret::Tensor> found = runEntry(session, "main", inputs);
    ASSERT_EQ(found.size(), expected->size());
    for (size_t i = 0; i < found.size(); ++i)
      EXPECT_LE(largestDifference(found[i], (*expected)[i]), 2e-4)
          << "output " << i << ", B " << b << ", T " << t;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphTest, testing::Range(0u, 12u));
