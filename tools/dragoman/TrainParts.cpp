//===- TrainParts.cpp - What a training run is made of --------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/dragoman/TrainParts.h"

#include "runtime/base/Hash.h"
#include "runtime/base/Quantities.h"
#include "runtime/train/CorpusReader.h"
#include "runtime/train/Initialize.h"
#include "runtime/train/ModelDescription.h"
#include "tools/dragoman/CompilerProcess.h"
#include "tools/dragoman/Console.h"
#include "tools/dragoman/SubCommand.h"

#include <algorithm>
#include <filesystem>

using namespace dragoman;

std::string dragoman::trainedArtifact(const std::string &out) {
  return out + "/model/model-" DRAGOMAN_VERSION ".dgm";
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

Status TrainRun::loadData() {
  const TrainConfig::DataSection &data = config.data;
  Result<std::unique_ptr<IdCoder>> coder =
      loadIdCoder(data.vocabularyType, data.sourceVocabulary);
  if (!coder)
    return coder.status();
  source = std::move(*coder);
  if (data.targetVocabulary != data.sourceVocabulary) {
    coder = loadIdCoder(data.vocabularyType, data.targetVocabulary);
    if (!coder)
      return coder.status();
    ownTarget = std::move(*coder);
  }
  PairFilter filter;
  filter.maxLength = data.maxLength;
  filter.maxRatio = data.maxRatio;
  filter.dropCopies = data.dropCopies;
  filter.dropDuplicates = data.dropDuplicates;
  std::string cache =
      data.cache.empty() ? config.run.out + "/cache" : data.cache;
  auto warnRepaired = [&](const Corpus &corpus) {
    if (corpus.counts().repairedLines > 0)
      console.warning(corpus.files().name() + ": " +
                      formatCount(corpus.counts().repairedLines) +
                      " lines with invalid UTF-8, the first is line " +
                      formatCount(corpus.counts().firstRepaired));
  };
  for (const TrainConfig::CorpusEntry &entry : data.train) {
    Result<Corpus> corpus = Corpus::load({entry.source, entry.target}, *source,
                                         target(), filter, cache, pool);
    if (!corpus)
      return corpus.status();
    warnRepaired(*corpus);
    train.add(std::move(*corpus), entry.weight);
  }
  EpochPlan plan(train, trainBatchSettings(config), 0);
  console.info("data train " + describe(train.counts()) + "; " +
               formatCount(plan.batches()) + " batches/epoch");
  if (data.valid.source.empty())
    return Status::ok();
  PairFilter all;
  all.maxLength = data.maxLength;
  Result<Corpus> corpus = Corpus::load({data.valid.source, data.valid.target},
                                       *source, target(), all, cache, pool);
  if (!corpus)
    return corpus.status();
  warnRepaired(*corpus);
  valid.add(std::move(*corpus), 1);
  console.info("data valid " + describe(valid.counts()));
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Model
//===----------------------------------------------------------------------===//

Status TrainRun::loadModel() {
  if (config.run.precision != "f32")
    return Status(StatusCode::Unsupported,
                  "run.precision: expected f32, found " + config.run.precision);
  Result<ModelDescription> description =
      dragoman::describeModel(config, *source, target());
  if (!description)
    return description.status();
  std::string folder = config.run.out + "/model";
  std::string artifact = trainedArtifact(config.run.out);
  Result<bool> isNew = writeModelDescription(*description, folder);
  if (!isNew)
    return isNew.status();
  std::error_code failure;
  if (*isNew)
    std::filesystem::remove(artifact, failure);
  if (!std::filesystem::exists(artifact, failure)) {
    console.note("compiling " + folder + "/model.json into " + artifact);
    CompileRequest request;
    request.input = folder + "/model.json";
    request.output = artifact;
    if (int code = compile(request, console); code != exitOk)
      return Status(code == exitUsage ? StatusCode::InvalidArgument
                                      : StatusCode::InvalidData,
                    "cannot be compiled", request.input);
  }
  Result<std::shared_ptr<const Model>> loaded = Model::load(artifact);
  if (!loaded)
    return loaded.status();
  compiled = std::move(*loaded);
  SessionOptions session;
  session.pool = &pool;
  Result<std::unique_ptr<CompiledTrainModel>> model =
      CompiledTrainModel::create(compiled, session);
  if (!model)
    return model.status();
  trainModel = std::move(*model);
  return Status::ok();
}

Status TrainRun::initialize() {
  if (config.model.initFrom.empty())
    return Status::ok();
  return initializeParameters(*trainModel, config.model.initFrom);
}

Status TrainRun::describeModel() {
  int64_t embeddings = 0, encoder = 0, decoderPart = 0, total = 0;
  for (const ParameterDesc &desc : trainModel->parameters()) {
    bool isTable = desc.name.find("embed") != std::string::npos ||
                   desc.name.starts_with("shared.") ||
                   desc.name.starts_with("lm_head.");
    int64_t count = desc.elements();
    total += count;
    if (isTable)
      embeddings += count;
    else if (desc.name.starts_with("encoder."))
      encoder += count;
    else
      decoderPart += count;
  }
  // The batch of the first epoch that needs most.
  EpochPlan plan(train, trainBatchSettings(config), 0);
  BatchLayout layout = {source->special(), target().special()};
  uint64_t peak = 0;
  std::vector<std::pair<int64_t, int64_t>> sizes;
  for (int64_t b = 0; b < plan.batches(); ++b) {
    int64_t widest = 0;
    for (uint32_t item : plan.batch(b))
      widest = std::max({widest, int64_t(train.source(item).size()),
                         int64_t(train.target(item).size())});
    sizes.push_back({-widest * int64_t(plan.batch(b).size()), b});
  }
  std::sort(sizes.begin(), sizes.end());
  constexpr size_t mostTried = 8;
  for (size_t i = 0; i < std::min(sizes.size(), mostTried); ++i) {
    TrainBatch batch = makeBatch(train, plan.batch(sizes[i].second), 0, layout);
    Result<uint64_t> bytes = trainModel->peakBytes(
        batch.pairs, batch.sourceLength, batch.targetLength);
    if (!bytes)
      return bytes.status();
    peak = std::max(peak, *bytes);
  }
  console.info("params " + formatCount(total) + " (embeddings " +
               formatCount(embeddings) + ", encoder " + formatCount(encoder) +
               ", decoder " + formatCount(decoderPart) + "); peak memory " +
               formatBytes(peak) + " at " +
               formatCount(config.data.batchTokens) + " tokens");
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Validation
//===----------------------------------------------------------------------===//

bool TrainRun::decodes() const {
  return std::ranges::any_of(config.run.metrics, [](const std::string &name) {
    return name == "bleu" || name == "chrf";
  });
}

Status TrainRun::loadDecoder() {
  if (!decodes() || config.data.valid.source.empty())
    return Status::ok();
  Result<PairReader> reader =
      PairReader::open({config.data.valid.source, config.data.valid.target});
  if (!reader)
    return reader.status();
  for (;;) {
    PairReader::Pair pair;
    Result<bool> more = reader->next(pair);
    if (!more)
      return more.status();
    if (!*more)
      break;
    validSources.push_back(std::move(pair.source));
    validReferences.push_back(std::move(pair.target));
  }
  MetricOptions options;
  options.tokens = *parseMetricTokens(config.run.bleuTokens);
  options.lowercase = config.run.bleuLowercase;
  bleu = std::move(*makeMetric("bleu", options));
  chrf = std::move(*makeMetric("chrf", {}));
  SessionOptions session;
  session.pool = &pool;
  TrainedDecoderOptions decoderOptions;
  decoderOptions.beam = config.run.beam;
  decoderOptions.lengthRatio = config.run.decodeMaxRatio;
  decoderOptions.lengthExtra = config.run.decodeMaxAdd;
  Result<std::unique_ptr<TrainedDecoder>> made =
      TrainedDecoder::create(compiled, session, decoderOptions);
  if (!made)
    return made.status();
  decoder = std::move(*made);
  return Status::ok();
}

Status TrainRun::decode(ValidationResult &result) {
  Result<std::vector<std::string>> texts = decoder->translate(
      trainModel->state(parametersState), validSources, stop);
  if (!texts)
    return texts.status();
  std::vector<std::vector<std::string>> references = {validReferences};
  Result<CorpusScore> score = scoreCorpus(*bleu, *texts, references);
  if (!score)
    return score.status();
  result.bleu = score->score;
  score = scoreCorpus(*chrf, *texts, references);
  if (!score)
    return score.status();
  result.chrf = score->score;
  result.bleuSignature = "BLEU|" + bleu->signature(1, "");
  result.chrfSignature = "chrF2|" + chrf->signature(1, "");
  result.decoded = true;
  size_t shown = std::min<size_t>(texts->size(), size_t(config.run.samples));
  for (size_t i = 0; i < shown; ++i)
    result.samples.push_back(
        {validSources[i], validReferences[i], (*texts)[i]});
  return Status::ok();
}

Result<std::vector<AlignmentPicture>> TrainRun::alignments() {
  if (!decoder)
    return std::vector<AlignmentPicture>();
  std::span<const float> values = trainModel->state(averageState);
  if (config.optim.ema == 0 || values.empty())
    values = trainModel->state(parametersState);
  size_t shown =
      std::min<size_t>(validSources.size(), size_t(config.run.samples));
  return decoder->align(values, std::span(validSources).first(shown), nullptr);
}

TrainParts TrainRun::parts() {
  TrainConsole lines;
  lines.info = [this](const std::string &text) { console.info(text); };
  lines.warning = [this](const std::string &text) { console.warning(text); };
  lines.progress = [this](const std::string &text) { console.progress(text); };
  TrainParts result{*trainModel,
                    config,
                    train,
                    valid.items() > 0 ? &valid : nullptr,
                    {source->special(), target().special()},
                    {},
                    lines,
                    stop,
                    checksumOf(source->hash() + target().hash())};
  if (decoder)
    result.decode = [this](ValidationResult &found) { return decode(found); };
  return result;
}
