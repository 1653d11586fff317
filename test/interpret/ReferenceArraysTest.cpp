//===- ReferenceArraysTest.cpp - The imported translator, interpreted -----===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bundled translator's graphs, as imported and evaluated by the judge, give
// the arrays that the exporting framework gave
// (models/multi30k-en-de/README.md).
//
//===----------------------------------------------------------------------===//

#include "compiler/interpret/Interpreter.h"

#include "frontends/onnx/OnnxImport.h"
#include "runtime/artifact/Npy.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::interpret;

namespace {

const std::string folder = DRAGOMAN_SOURCE_DIR "/models/multi30k-en-de";

/// The first `rows` rows of a reference array.
Tensor readReference(const std::string &name, int64_t rows) {
  Result<NpyArray> array =
      readNpy(folder + "/reference/first16." + name + ".npy");
  EXPECT_TRUE(array) << array.status().toString();
  std::vector<int64_t> shape = array->shape;
  shape[0] = rows;
  bool isFloat = array->type == ElementType::F32;
  Tensor tensor(isFloat ? Element::F32 : Element::I64, shape);
  for (int64_t i = 0; i < tensor.elements(); ++i)
    if (isFloat)
      tensor.mutableFloats()[i] = array->data<float>()[i];
    else
      tensor.mutableIntegers()[i] = array->data<int64_t>()[i];
  return tensor;
}

class ReferenceArrays : public testing::TestWithParam<Mode> {
protected:
  std::vector<Tensor> run(const std::string &graph,
                          std::vector<Tensor> inputs) {
    mlir::MLIRContext context;
    onnx::loadDialects(context);
    auto module = onnx::importOnnxFile(folder + "/" + graph, context);
    EXPECT_TRUE(mlir::succeeded(module));
    Interpreter interpreter(**module, {GetParam(), folder, {}, {}});
    Result<std::vector<Tensor>> results =
        interpreter.run("main", std::move(inputs));
    EXPECT_TRUE(results) << results.status().toString();
    return results ? *results : std::vector<Tensor>();
  }
};

constexpr int64_t sentences = 4;

TEST_P(ReferenceArrays, EncoderAndFirstLogits) {
  Tensor ids = readReference("input_ids", sentences),
         mask = readReference("attention_mask", sentences);
  std::vector<Tensor> encoded = run("encoder_model.onnx", {ids, mask});
  ASSERT_EQ(encoded.size(), 1u);
  Tensor hidden = readReference("encoder_last_hidden_state", sentences);
  ASSERT_EQ(encoded[0].shape(), hidden.shape());
  int64_t channels = hidden.dim(2);
  for (int64_t token = 0; token < ids.elements(); ++token) {
    if (!mask.integers()[token])
      continue;
    for (int64_t i = token * channels; i < (token + 1) * channels; ++i)
      ASSERT_NEAR(encoded[0].floats()[i], hidden.floats()[i], 1e-5)
          << "token " << token;
  }

  Tensor start(Element::I64, {sentences, 1});
  std::fill_n(start.mutableIntegers(), sentences, 3999);
  std::vector<Tensor> decoded =
      run("decoder_model.onnx", {mask, start, encoded[0]});
  ASSERT_FALSE(decoded.empty());
  Tensor logits = readReference("first_step_logits", sentences);
  ASSERT_EQ(decoded[0].elements(), logits.elements());
  for (int64_t i = 0; i < logits.elements(); ++i)
    ASSERT_NEAR(decoded[0].floats()[i], logits.floats()[i], 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Modes, ReferenceArrays,
                         testing::Values(Mode::Wide, Mode::Typed),
                         [](const auto &info) {
                           return info.param == Mode::Wide ? "Wide" : "Typed";
                         });

} // namespace
