//===- CompiledModel.cpp - A module, compiled and loaded, for tests -------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/pipeline/CompiledModel.h"

#include "compiler/pipeline/Pipeline.h"
#include "tools/driver/EmitArtifact.h"

#include "mlir/IR/OwningOpRef.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

using namespace dragoman;
using interpret::Element;
using interpret::Tensor;

std::shared_ptr<const Model>
test::compileAndLoad(mlir::ModuleOp module, const std::string &modelFolder,
                     const std::string &level) {
  mlir::OwningOpRef<mlir::ModuleOp> copy(module.clone());
  if (failed(runPipeline(*copy, {})))
    return nullptr;
  mlir::FailureOr<LevelCode> code = emitLevel(*copy, level);
  if (failed(code))
    return nullptr;
  ArtifactExtras extras;
  extras.modelFolder = modelFolder;
  std::string path = testing::TempDir() + "/model-" + level + ".dgm";
  Status status = writeArtifact(*copy, {std::move(*code)}, extras, path);
  EXPECT_TRUE(status) << status.toString();
  Result<std::shared_ptr<const Model>> model = Model::load(path, {});
  EXPECT_TRUE(model) << model.status().toString();
  return model ? *model : nullptr;
}

/// The bytes of a tensor in the artifact's form.
static std::vector<char> bytesOf(const Tensor &tensor, ElementType type) {
  std::vector<char> bytes(tensor.elements() * elementSize(type));
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    char *out = bytes.data() + i * elementSize(type);
    if (type == ElementType::F32) {
      float value = static_cast<float>(tensor.at(i));
      std::memcpy(out, &value, sizeof value);
    } else {
      int64_t value = tensor.integers()[i];
      std::memcpy(out, &value, elementSize(type));
    }
  }
  return bytes;
}

static Tensor tensorOf(const std::vector<char> &bytes, ElementType type,
                       const std::vector<int64_t> &shape) {
  Tensor tensor(type == ElementType::F32 ? Element::F32 : Element::I32, shape);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    const char *in = bytes.data() + i * elementSize(type);
    if (type == ElementType::F32) {
      float value;
      std::memcpy(&value, in, sizeof value);
      tensor.mutableFloats()[i] = value;
    } else {
      int32_t value;
      std::memcpy(&value, in, sizeof value);
      tensor.mutableIntegers()[i] = value;
    }
  }
  return tensor;
}

std::vector<Tensor>
test::runEntry(Session &session, const std::string &entry,
               std::vector<Tensor> inputs,
               const std::map<std::string, int64_t> &outputDims) {
  const EntryTable *table = session.model().entry(entry);
  EXPECT_NE(table, nullptr) << entry;
  std::vector<std::vector<char>> storage;
  std::vector<TensorView> views, results;
  for (size_t i = 0; i < inputs.size(); ++i) {
    storage.push_back(bytesOf(inputs[i], table->inputs[i].type));
    views.push_back(
        {storage.back().data(), table->inputs[i].type, inputs[i].shape()});
  }
  Result<std::vector<std::vector<int64_t>>> shapes =
      session.outputShapes(entry, views);
  EXPECT_TRUE(shapes) << shapes.status().toString();
  std::vector<std::vector<char>> outputs;
  for (size_t i = 0; i < table->outputs.size(); ++i) {
    int64_t count = 1;
    for (int64_t size : (*shapes)[i])
      count *= size;
    outputs.emplace_back(count * elementSize(table->outputs[i].type));
    results.push_back(
        {outputs.back().data(), table->outputs[i].type, (*shapes)[i]});
  }
  Status status = session.run(entry, views, results);
  EXPECT_TRUE(status) << entry << ": " << status.toString();
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < results.size(); ++i)
    tensors.push_back(
        tensorOf(outputs[i], table->outputs[i].type, results[i].shape));
  return tensors;
}

double test::largestDifference(const Tensor &a, const Tensor &b) {
  if (a.shape() != b.shape())
    return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (int64_t i = 0; i < a.elements(); ++i) {
    double difference = std::fabs(a.at(i) - b.at(i));
    if (a.at(i) == b.at(i))
      difference = 0; // equal infinities
    if (!(difference <= largest))
      largest = std::isnan(difference) ? std::numeric_limits<double>::infinity()
                                       : difference;
  }
  return largest;
}
