//===- TrainedDecoder.cpp - Translates with parameters in training --------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/TrainedDecoder.h"

#include "runtime/artifact/TrainingWeights.h"
#include "runtime/base/HugeBuffer.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

using namespace dragoman;

/// A source whose weights are rebuilt in place.
class TrainedDecoder::Weights final : public ModelSource {
public:
  explicit Weights(std::shared_ptr<const Model> base)
      : base(std::move(base)), description(this->base->manifest()) {
    static constexpr const char *training[] = {"loss", "backward", "update",
                                               "step", "average"};
    std::erase_if(description.entries, [](const std::string &name) {
      return std::ranges::find(training, name) != std::end(training);
    });
  }

  /// Makes room for the weights that follow from parameters.
  Status allocate() {
    uint64_t total = 0;
    for (const WeightDesc &weight : description.weights) {
      bool isRebuilt = description.training->recipe(weight.name) != nullptr;
      offsets.push_back(isRebuilt ? static_cast<int64_t>(total) : -1);
      if (isRebuilt)
        total += (weight.bytes + weightAlignment - 1) / weightAlignment *
                 weightAlignment;
    }
    Result<HugeBuffer> memory = HugeBuffer::allocate(total + weightTailBytes);
    if (!memory)
      return memory.status();
    buffer = std::move(*memory);
    return Status::ok();
  }

  Status rebuild(std::span<const float> parameters) {
    std::string bytes;
    for (size_t i = 0; i < offsets.size(); ++i) {
      if (offsets[i] < 0)
        continue;
      DRAGOMAN_RETURN_IF_ERROR(
          rebuildWeight(description, i, parameters, bytes));
      std::memcpy(buffer.data() + offsets[i], bytes.data(), bytes.size());
    }
    return Status::ok();
  }

  std::string name() const override { return base->name(); }
  const Manifest &manifest() const override { return description; }
  Result<EntryTable> entry(std::string_view name) const override {
    return base->source().entry(name);
  }
  Result<std::string_view> member(std::string_view path) const override {
    return base->source().member(path);
  }
  const void *weightData(size_t index) const override {
    return offsets[index] < 0 ? base->source().weightData(index)
                              : buffer.data() + offsets[index];
  }

private:
  std::shared_ptr<const Model> base;
  Manifest description;
  std::vector<int64_t> offsets; ///< in the buffer; -1 = the base's weight
  HugeBuffer buffer;
};

TrainedDecoder::~TrainedDecoder() = default;

Result<std::unique_ptr<TrainedDecoder>>
TrainedDecoder::create(std::shared_ptr<const Model> model,
                       const SessionOptions &session,
                       const TrainedDecoderOptions &options) {
  std::unique_ptr<TrainedDecoder> result(new TrainedDecoder());
  LoadOptions load;
  load.level = model->level();
  auto weights = std::make_unique<Weights>(std::move(model));
  DRAGOMAN_RETURN_IF_ERROR(weights->allocate());
  result->weights = weights.get();
  Result<std::shared_ptr<const Model>> inference =
      Model::create(std::move(weights), load);
  if (!inference)
    return inference.status();
  if ((*inference)->entry("align"))
    result->session = std::make_unique<Session>(*inference, session);
  Result<std::unique_ptr<LoadedTranslator>> translator =
      LoadedTranslator::create(std::move(*inference), session);
  if (!translator)
    return translator.status();
  result->translator = std::move(*translator);
  std::vector<std::string> notices;
  Result<GenerationSettings> settings = result->translator->settings(
      nlohmann::json{{"num_beams", options.beam}}, notices);
  if (!settings)
    return settings.status();
  result->settings = std::move(*settings);
  result->settings.lengthRatio = options.lengthRatio;
  result->settings.lengthExtra = options.lengthExtra;
  return result;
}

namespace {

/// Lines that are in memory.
class LineList final : public LineSource {
public:
  explicit LineList(std::span<const std::string> lines) : lines(lines) {}
  Result<bool> next(LineReader::Line &line) override {
    if (at == lines.size())
      return false;
    line.text = lines[at++];
    line.number = static_cast<int64_t>(at);
    line.repaired = 0;
    return true;
  }
  bool wouldBlock() override { return false; }

private:
  std::span<const std::string> lines;
  size_t at = 0;
};

} // namespace

Status TrainedDecoder::run(std::span<const float> parameters,
                           std::span<const std::string> lines, const Take &take,
                           const std::atomic<bool> *cancel) {
  DRAGOMAN_RETURN_IF_ERROR(weights->rebuild(parameters));
  EditRules rules(settings, translator->model().limits());
  Translator job(translator->model(), translator->codec(), rules,
                 TranslatorOptions());
  translator->model().setCancelFlag(cancel);
  LineList source(lines);
  return job.run(source, take, cancel);
}

Result<std::vector<std::string>>
TrainedDecoder::translate(std::span<const float> parameters,
                          std::span<const std::string> lines,
                          const std::atomic<bool> *cancel) {
  std::vector<std::string> texts;
  Status status = run(
      parameters, lines,
      [&](LineResult line) {
        texts.push_back(line.texts.empty() ? "" : line.texts[0]);
        return Status::ok();
      },
      cancel);
  if (!status.isOk())
    return status;
  return texts;
}

/// One run of the entry on one translated line.
Result<AlignmentPicture> TrainedDecoder::picture(const LineResult &line) {
  AlignmentPicture result;
  std::vector<int64_t> target(line.hypotheses[0].ids.begin(),
                              line.hypotheses[0].ids.end());
  std::vector<int64_t> inputs = target;
  inputs.insert(inputs.begin(), settings.start.value);
  inputs.pop_back();
  std::vector<int64_t> source = line.sourceIds;
  int64_t s = static_cast<int64_t>(source.size());
  int64_t t = static_cast<int64_t>(target.size());
  result.source = translator->tokenizer().sourcePieces(source);
  result.target = translator->tokenizer().pieces(target);
  result.weights.resize(static_cast<size_t>(t * s));
  TensorView views[] = {{source.data(), ElementType::I64, {1, s}},
                        {&s, ElementType::I64, {1}},
                        {inputs.data(), ElementType::I64, {1, t}}};
  TensorView output[] = {{result.weights.data(), ElementType::F32, {1, t, s}}};
  DRAGOMAN_RETURN_IF_ERROR(session->run("align", views, output));
  return result;
}

Result<std::vector<AlignmentPicture>>
TrainedDecoder::align(std::span<const float> parameters,
                      std::span<const std::string> lines,
                      const std::atomic<bool> *cancel) {
  std::vector<AlignmentPicture> pictures;
  if (!session)
    return pictures;
  Status status = run(
      parameters, lines,
      [&](LineResult line) -> Status {
        if (line.hypotheses.empty() || line.hypotheses[0].ids.empty())
          return Status::ok();
        Result<AlignmentPicture> made = picture(line);
        if (!made)
          return made.status();
        pictures.push_back(std::move(*made));
        return Status::ok();
      },
      cancel);
  if (!status.isOk())
    return status;
  return pictures;
}
