//===- CompiledStepModel.cpp - A compiled translator as StepModel ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/decode/CompiledStepModel.h"

#include "runtime/decode/ManifestSettings.h"

#include <algorithm>
#include <limits>

using namespace dragoman;

namespace {

/// The border of the four entries, in the order in which this file fills it.
struct TensorSpec {
  const char *name;
  ElementType type;
  size_t rank;
};

struct EntrySpec {
  const char *name;
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
};

const std::vector<EntrySpec> &entrySpecs() {
  using enum ElementType;
  static const std::vector<EntrySpec> specs = {
      {"encode",
       {{"input_ids", I64, 2}, {"source_length", I64, 1}},
       {{"last_hidden_state", F32, 3}}},
      {"prepare",
       {{"encoder_hidden_states", F32, 3}, {"source_row", I32, 1}},
       {}},
      {"decode",
       {{"input_ids", I64, 2},
        {"position", I64, 1},
        {"cache_row", I32, 1},
        {"rows", I32, 2},
        {"source_row", I32, 2},
        {"source_length", I64, 1}},
       {{"logits", F32, 3}}},
      {"select",
       {{"logits", F32, 2},
        {"count", I64, 0},
        {"normalize", I64, 0},
        {"edit_id", I32, 2},
        {"edit_kind", I32, 2},
        {"edit_value", F32, 2}},
       {{"values", F32, 2}, {"ids", I32, 2}, {"lse", F32, 1}}},
  };
  return specs;
}

Status checkTensors(const std::vector<TensorDesc> &found,
                    const std::vector<TensorSpec> &expected,
                    const std::string &place) {
  if (found.size() != expected.size())
    return Status(StatusCode::Unsupported,
                  "expected " + std::to_string(expected.size()) +
                      " tensors, found " + std::to_string(found.size()),
                  place);
  for (size_t i = 0; i < found.size(); ++i) {
    const TensorDesc &tensor = found[i];
    const TensorSpec &spec = expected[i];
    auto describe = [](const std::string &name, ElementType type, size_t rank) {
      return name + " of type " + elementTypeName(type) + " and rank " +
             std::to_string(rank);
    };
    if (tensor.name != spec.name || tensor.type != spec.type ||
        tensor.shape.size() != spec.rank)
      return Status(StatusCode::Unsupported,
                    "expected " + describe(spec.name, spec.type, spec.rank) +
                        ", found " +
                        describe(tensor.name, tensor.type, tensor.shape.size()),
                    place);
  }
  return Status::ok();
}

/// A view of data that a run only reads.
template <typename T>
TensorView readOnly(const std::vector<T> &data, ElementType type,
                    std::vector<int64_t> shape) {
  return {const_cast<T *>(data.data()), type, std::move(shape)};
}

/// Gives the names of dynamic axes their values.
void bind(const TensorDesc &tensor, const std::vector<int64_t> &shape,
          DimMap &dims) {
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (std::string name = tensor.shape[axis].dimName(); !name.empty())
      dims[name] = shape[axis];
}

DimMap stateDims(const CacheShape &shape) {
  return {{"Rows", shape.rows},
          {"Cap", shape.capacity},
          {"SrcRows", shape.sourceRows},
          {"SrcCap", shape.sourceCapacity}};
}

/// Edits that a row is planned for. A search with more of them (a repetition
/// penalty) uses a little more memory than planned: 12 bytes an edit and row.
constexpr int64_t plannedEdits = 16;

} // namespace

CompiledStepModel::CompiledStepModel(std::shared_ptr<const Model> model,
                                     const SessionOptions &options)
    : model(std::move(model)), runner(this->model, options) {}

Result<std::unique_ptr<CompiledStepModel>>
CompiledStepModel::create(std::shared_ptr<const Model> model,
                          const SessionOptions &options) {
  std::unique_ptr<CompiledStepModel> made(
      new CompiledStepModel(std::move(model), options));
  DRAGOMAN_RETURN_IF_ERROR(made->check());
  return made;
}

Status CompiledStepModel::check() {
  for (const EntrySpec &spec : entrySpecs()) {
    const EntryTable *entry = model->entry(spec.name);
    if (!entry)
      return Status(StatusCode::Unsupported,
                    std::string("expected a translator with the entries "
                                "encode, prepare, decode and select; no ") +
                        spec.name + " found",
                    model->name());
    std::string place = model->name() + ": entry " + spec.name;
    DRAGOMAN_RETURN_IF_ERROR(
        checkTensors(entry->inputs, spec.inputs, place + ", inputs"));
    DRAGOMAN_RETURN_IF_ERROR(
        checkTensors(entry->outputs, spec.outputs, place + ", outputs"));
  }
  std::optional<int64_t> width =
      model->entry("encode")->outputs[0].shape[2].constant();
  if (!width)
    return Status(StatusCode::Unsupported,
                  "expected fixed channels of last_hidden_state, found "
                  "dynamic ones",
                  model->name());
  channels = *width;
  Result<ModelLimits> limits =
      dragoman::modelLimits(model->manifest(), *model->entry("decode"));
  if (!limits)
    return limits.status().at(model->name());
  modelLimits = *limits;
  return Status::ok();
}

Result<int64_t> CompiledStepModel::peakBytes(const WorkShape &shape) const {
  const CacheShape &cache = shape.cache;
  int64_t b = shape.encodeSentences, s = shape.encodeLength;
  int64_t r = cache.rows, k = cache.capacity, v = modelLimits.vocabulary;
  DimMap dims = stateDims(cache);
  bind(model->entry("encode")->inputs[0], {b, s}, dims);
  bind(model->entry("prepare")->inputs[0], {b, s, channels}, dims);
  bind(model->entry("decode")->inputs[0], {r, 1}, dims);
  bind(model->entry("decode")->inputs[3], {r, k}, dims);
  bind(model->entry("select")->inputs[0], {r, v}, dims);
  bind(model->entry("select")->inputs[3], {r, plannedEdits}, dims);
  const std::string entries[] = {"encode", "prepare", "decode", "select"};
  Result<uint64_t> needed =
      model->memoryNeeded(entries, dims, runner.pool().workers());
  if (!needed)
    return needed.status();
  // The buffers between the entries, and the host's tables.
  uint64_t ours = uint64_t(b * s) * uint64_t(channels * 4 + 8) +
                  uint64_t(r) * uint64_t(v * 4 + k * 4 + selectWidth * 8 +
                                         plannedEdits * 12 + 64);
  uint64_t total = *needed + ours;
  if (total > uint64_t(std::numeric_limits<int64_t>::max()))
    return Status(StatusCode::OutOfMemory, "the peak formula overflows",
                  model->name());
  return int64_t(total);
}

Status CompiledStepModel::reserve(const CacheShape &shape) {
  return runner.reserve(stateDims(shape));
}

Status CompiledStepModel::encode(const EncodeBatch &batch) {
  int64_t b = batch.sentences, s = batch.length;
  hidden.resize(size_t(b * s * channels));
  TensorView encoded = readOnly(hidden, ElementType::F32, {b, s, channels});
  const TensorView inputs[] = {
      readOnly(batch.ids, ElementType::I64, {b, s}),
      readOnly(batch.lengths, ElementType::I64, {b}),
  };
  DRAGOMAN_RETURN_IF_ERROR(
      runner.run("encode", inputs, std::span(&encoded, 1), cancel));
  const TensorView prepareInputs[] = {
      encoded,
      readOnly(batch.sourceRows, ElementType::I32, {b}),
  };
  return runner.run("prepare", prepareInputs, {}, cancel);
}

Status CompiledStepModel::decode(const DecodeBatch &batch) {
  int64_t r = batch.rows, k = batch.keys, v = modelLimits.vocabulary;
  logits.resize(size_t(r * v));
  logitRows = r;
  const TensorView inputs[] = {
      readOnly(batch.ids, ElementType::I64, {r, 1}),
      readOnly(batch.positions, ElementType::I64, {r}),
      readOnly(batch.writeRows, ElementType::I32, {r}),
      readOnly(batch.cellRows, ElementType::I32, {r, k}),
      readOnly(batch.sourceRows, ElementType::I32, {r, 1}),
      readOnly(batch.sourceLength, ElementType::I64, {r}),
  };
  TensorView output = readOnly(logits, ElementType::F32, {r, 1, v});
  return runner.run("decode", inputs, std::span(&output, 1), cancel);
}

Status CompiledStepModel::select(const SelectBatch &batch,
                                 SelectOutput &output) {
  int64_t n = logitRows, e = batch.edits;
  output.values.resize(size_t(n * selectWidth));
  output.ids.resize(size_t(n * selectWidth));
  output.logSumExp.resize(size_t(n));
  int64_t count = batch.count, normalize = batch.normalize;
  const TensorView inputs[] = {
      readOnly(logits, ElementType::F32, {n, modelLimits.vocabulary}),
      {&count, ElementType::I64, {}},
      {&normalize, ElementType::I64, {}},
      readOnly(batch.editIds, ElementType::I32, {n, e}),
      readOnly(batch.editKinds, ElementType::I32, {n, e}),
      readOnly(batch.editValues, ElementType::F32, {n, e}),
  };
  const TensorView outputs[] = {
      readOnly(output.values, ElementType::F32, {n, selectWidth}),
      readOnly(output.ids, ElementType::I32, {n, selectWidth}),
      readOnly(output.logSumExp, ElementType::F32, {n}),
  };
  return runner.run("select", inputs, outputs, cancel);
}
