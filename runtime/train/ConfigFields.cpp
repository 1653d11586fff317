//===- ConfigFields.cpp - Keys of the configuration file ------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/ConfigFields.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

using namespace dragoman;

namespace {

/// Whole text of a scalar as a number.
template <typename T> bool parseNumber(const YAML::Node &node, T &value) {
  if (!node.IsScalar())
    return false;
  const std::string &text = node.Scalar();
  auto [end, failure] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc() && end == text.data() + text.size();
}

bool parsePeriod(const YAML::Node &node, const std::string &units,
                 Period &period) {
  if (!node.IsScalar() || node.Scalar().empty())
    return false;
  std::string text = node.Scalar();
  char unit = units[0];
  if (units.find(text.back()) != std::string::npos) {
    unit = text.back();
    text.pop_back();
  }
  int64_t count = 0;
  auto [end, failure] =
      std::from_chars(text.data(), text.data() + text.size(), count);
  if (failure != std::errc() || end != text.data() + text.size() || count < 0)
    return false;
  period = {count, unit};
  return true;
}

std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

/// A number as short as it can be read back.
std::string numberText(double value) {
  char buffer[32];
  auto [end, failure] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, end);
}

/// Builds the table.
class FieldList {
public:
  std::vector<ConfigField> fields;

  void integer(const char *path, int64_t &value, int64_t least,
               int64_t most = std::numeric_limits<int64_t>::max()) {
    std::string expected = "an integer";
    if (most == std::numeric_limits<int64_t>::max())
      expected += " of at least " + std::to_string(least);
    else
      expected +=
          " in [" + std::to_string(least) + ", " + std::to_string(most) + "]";
    fields.push_back({path, expected,
                      [&value, least, most](const YAML::Node &node) {
                        int64_t number = 0;
                        if (!parseNumber(node, number) || number < least ||
                            number > most)
                          return false;
                        value = number;
                        return true;
                      },
                      [&value](YAML::Emitter &out) { out << value; }});
  }

  /// A number in [least, most], or with `open` in (least, most).
  void number(const char *path, double &value, double least, double most,
              bool open = false) {
    std::string expected = "a number ";
    if (std::isinf(most))
      expected += (open ? "above " : "of at least ") + numberText(least);
    else
      expected += (open ? "between " : "in [") + numberText(least) +
                  (open ? " and " : ", ") + numberText(most) +
                  (open ? "" : "]");
    fields.push_back(
        {path, expected,
         [&value, least, most, open](const YAML::Node &node) {
           double number = 0;
           if (!parseNumber(node, number) || !std::isfinite(number))
             return false;
           if (open ? number <= least || number >= most
                    : number < least || number > most)
             return false;
           value = number;
           return true;
         },
         [&value](YAML::Emitter &out) { out << numberText(value); }});
  }

  void boolean(const char *path, bool &value) {
    fields.push_back({path, "true or false",
                      [&value](const YAML::Node &node) {
                        if (!node.IsScalar() || (node.Scalar() != "true" &&
                                                 node.Scalar() != "false"))
                          return false;
                        value = node.Scalar() == "true";
                        return true;
                      },
                      [&value](YAML::Emitter &out) { out << value; }});
  }

  /// null = empty.
  void text(const char *path, std::string &value, const char *expected) {
    fields.push_back({path, expected,
                      [&value](const YAML::Node &node) {
                        if (node.IsNull())
                          return value.clear(), true;
                        if (!node.IsScalar())
                          return false;
                        value = node.Scalar();
                        return true;
                      },
                      [&value](YAML::Emitter &out) { out << value; }});
  }

  void choice(const char *path, std::string &value,
              std::vector<std::string> choices) {
    fields.push_back({path, joined(choices),
                      [&value, choices](const YAML::Node &node) {
                        if (!node.IsScalar() ||
                            std::find(choices.begin(), choices.end(),
                                      node.Scalar()) == choices.end())
                          return false;
                        value = node.Scalar();
                        return true;
                      },
                      [&value](YAML::Emitter &out) { out << value; }});
  }

  void period(const char *path, Period &value, const std::string &units) {
    std::string expected = "a number of updates (100u)";
    if (units == "uet")
      expected = "a number of updates (100u), epochs (2e) or labels (5000t)";
    else if (units == "e")
      expected = "a number of epochs (2e)";
    else if (units == "t")
      expected = "a number of labels (5000t)";
    fields.push_back({path, expected,
                      [&value, units](const YAML::Node &node) {
                        return parsePeriod(node, units, value);
                      },
                      [&value](YAML::Emitter &out) { out << value.text(); }});
  }

  void betas(const char *path, double &first, double &second) {
    fields.push_back({path, "two numbers in [0, 1)",
                      [&first, &second](const YAML::Node &node) {
                        double values[2];
                        if (!node.IsSequence() || node.size() != 2)
                          return false;
                        for (size_t i = 0; i < 2; ++i)
                          if (!parseNumber(node[i], values[i]) ||
                              !(values[i] >= 0) || !(values[i] < 1))
                            return false;
                        first = values[0];
                        second = values[1];
                        return true;
                      },
                      [&first, &second](YAML::Emitter &out) {
                        out << YAML::Flow << YAML::BeginSeq << numberText(first)
                            << numberText(second) << YAML::EndSeq;
                      }});
  }

  void names(const char *path, std::vector<std::string> &value,
             std::vector<std::string> choices) {
    fields.push_back({path, "a list of " + joined(choices),
                      [&value, choices](const YAML::Node &node) {
                        if (!node.IsSequence())
                          return false;
                        std::vector<std::string> list;
                        for (const YAML::Node &item : node) {
                          if (!item.IsScalar() ||
                              std::find(choices.begin(), choices.end(),
                                        item.Scalar()) == choices.end() ||
                              std::find(list.begin(), list.end(),
                                        item.Scalar()) != list.end())
                            return false;
                          list.push_back(item.Scalar());
                        }
                        value = list;
                        return true;
                      },
                      [&value](YAML::Emitter &out) {
                        out << YAML::Flow << YAML::BeginSeq;
                        for (const std::string &name : value)
                          out << name;
                        out << YAML::EndSeq;
                      }});
  }

  void corpora(const char *path, std::vector<TrainConfig::CorpusEntry> &value);
  void corpus(const char *path, TrainConfig::CorpusEntry &value);
};

/// {src, tgt, weight} or {tsv, weight}.
bool readCorpus(const YAML::Node &node, TrainConfig::CorpusEntry &value) {
  if (!node.IsMap())
    return false;
  TrainConfig::CorpusEntry entry;
  bool table = false;
  for (const auto &item : node) {
    const std::string &key = item.first.Scalar();
    if (key == "weight") {
      if (!parseNumber(item.second, entry.weight) || !(entry.weight > 0) ||
          !(entry.weight <= 1000))
        return false;
      continue;
    }
    if (!item.second.IsScalar() || item.second.Scalar().empty())
      return false;
    if (key == "src" || key == "tsv")
      entry.source = item.second.Scalar();
    else if (key == "tgt")
      entry.target = item.second.Scalar();
    else
      return false;
    table |= key == "tsv";
  }
  if (entry.source.empty() || table != entry.target.empty())
    return false;
  value = entry;
  return true;
}

void writeCorpus(YAML::Emitter &out, const TrainConfig::CorpusEntry &entry,
                 bool weight) {
  out << YAML::Flow << YAML::BeginMap;
  if (entry.target.empty())
    out << YAML::Key << "tsv" << YAML::Value << entry.source;
  else
    out << YAML::Key << "src" << YAML::Value << entry.source << YAML::Key
        << "tgt" << YAML::Value << entry.target;
  if (weight)
    out << YAML::Key << "weight" << YAML::Value << numberText(entry.weight);
  out << YAML::EndMap;
}

void FieldList::corpora(const char *path,
                        std::vector<TrainConfig::CorpusEntry> &value) {
  fields.push_back({path,
                    "a list of {src: FILE, tgt: FILE, weight: NUMBER} or "
                    "{tsv: FILE, weight: NUMBER}",
                    [&value](const YAML::Node &node) {
                      if (!node.IsSequence())
                        return false;
                      std::vector<TrainConfig::CorpusEntry> list;
                      for (const YAML::Node &item : node)
                        if (!readCorpus(item, list.emplace_back()))
                          return false;
                      value = list;
                      return true;
                    },
                    [&value](YAML::Emitter &out) {
                      out << YAML::Flow << YAML::BeginSeq;
                      for (const auto &entry : value)
                        writeCorpus(out, entry, true);
                      out << YAML::EndSeq;
                    }});
}

void FieldList::corpus(const char *path, TrainConfig::CorpusEntry &value) {
  fields.push_back({path, "{src: FILE, tgt: FILE}, {tsv: FILE} or null",
                    [&value](const YAML::Node &node) {
                      if (node.IsNull())
                        return value = {}, true;
                      return readCorpus(node, value);
                    },
                    [&value](YAML::Emitter &out) {
                      if (value.source.empty())
                        out << YAML::Null;
                      else
                        writeCorpus(out, value, false);
                    }});
}

constexpr double infinity = std::numeric_limits<double>::infinity();

void addModel(FieldList &list, TrainConfig::ModelSection &model) {
  list.choice("model.type", model.type, {"transformer"});
  list.integer("model.d_model", model.dModel, 1, 65536);
  list.integer("model.encoder_layers", model.encoderLayers, 1, 1000);
  list.integer("model.decoder_layers", model.decoderLayers, 1, 1000);
  list.integer("model.heads", model.heads, 1, 1024);
  list.integer("model.ffn", model.ffn, 1, 1 << 20);
  list.choice("model.activation", model.activation, {"relu", "gelu", "swish"});
  list.choice("model.norm", model.norm, {"post", "pre"});
  list.choice("model.position", model.position,
              {"sinusoid", "learned", "rotary", "alibi"});
  list.number("model.dropout", model.dropout, 0, 0.99);
  list.number("model.attention_dropout", model.attentionDropout, 0, 0.99);
  list.number("model.activation_dropout", model.activationDropout, 0, 0.99);
  list.choice("model.tie_embeddings", model.tieEmbeddings,
              {"all", "target", "none"});
  list.text("model.init_from", model.initFrom, "a file or null");
}

void addData(FieldList &list, TrainConfig::DataSection &data) {
  list.corpora("data.train", data.train);
  list.corpus("data.valid", data.valid);
  list.choice("data.vocab.type", data.vocabularyType,
              {"sentencepiece", "words"});
  list.text("data.vocab.src", data.sourceVocabulary, "a file");
  list.text("data.vocab.tgt", data.targetVocabulary, "a file");
  list.choice("data.vocab.sample_alpha", data.sampleAlpha, {"0"});
  list.integer("data.max_length", data.maxLength, 2, 1 << 20);
  list.number("data.max_ratio", data.maxRatio, 0, infinity);
  list.boolean("data.drop_copies", data.dropCopies);
  list.boolean("data.drop_duplicates", data.dropDuplicates);
  list.integer("data.batch_tokens", data.batchTokens, 1, 1 << 30);
  list.choice("data.count", data.count, {"padded", "labels"});
  list.integer("data.accumulate", data.accumulate, 1, 1 << 20);
  list.integer("data.pool_batches", data.poolBatches, 0, 1 << 30);
  list.text("data.cache", data.cache, "a folder or null");
}

void addOptim(FieldList &list, TrainConfig::OptimSection &optim) {
  list.choice("optim.name", optim.name,
              {"adam", "adamw", "sgd", "adagrad", "adadelta"});
  list.number("optim.lr", optim.lr, 0, infinity, /*open=*/true);
  list.betas("optim.betas", optim.beta1, optim.beta2);
  list.number("optim.eps", optim.eps, 0, infinity);
  list.number("optim.weight_decay", optim.weightDecay, 0, 1);
  list.number("optim.momentum", optim.momentum, 0, 1);
  list.boolean("optim.nesterov", optim.nesterov);
  list.number("optim.rho", optim.rho, 0, 1);
  list.choice(
      "optim.schedule", optim.schedule,
      {"noam", "inverse_sqrt", "linear", "cosine", "constant", "plateau"});
  list.period("optim.warmup", optim.warmup, "u");
  list.number("optim.initial_lr", optim.initialLr, 0, infinity);
  list.number("optim.final_lr", optim.finalLr, 0, infinity);
  list.number("optim.plateau_factor", optim.plateauFactor, 0, 1, /*open=*/true);
  list.integer("optim.plateau_patience", optim.plateauPatience, 1, 1 << 20);
  list.number("optim.clip_norm", optim.clipNorm, 0, infinity);
  list.number("optim.label_smoothing", optim.labelSmoothing, 0, 0.99);
  list.number("optim.ema", optim.ema, 0, 1);
}

void addRun(FieldList &list, TrainConfig::RunSection &run) {
  list.text("run.out", run.out, "a folder");
  list.integer("run.seed", run.seed, 0);
  list.choice("run.precision", run.precision, {"f32", "bf16"});
  list.choice("run.device", run.device, {"cpu"});
  list.integer("run.threads", run.threads, 0, 1024);
  list.period("run.stop.updates", run.stopUpdates, "u");
  list.period("run.stop.epochs", run.stopEpochs, "e");
  list.period("run.stop.tokens", run.stopTokens, "t");
  list.period("run.log_every", run.logEvery, "uet");
  list.period("run.save_every", run.saveEvery, "uet");
  list.period("run.valid_every", run.validEvery, "uet");
  list.integer("run.keep", run.keep, 2, 1 << 20);
  list.names("run.metrics", run.metrics,
             {"nll", "ppl", "accuracy", "bleu", "chrf"});
  list.integer("run.patience", run.patience, 0, 1 << 20);
  list.number("run.min_delta", run.minDelta, 0, infinity);
  list.choice("run.bleu.tok", run.bleuTokens, {"13a", "none", "zh", "char"});
  list.boolean("run.bleu.lc", run.bleuLowercase);
  list.integer("run.samples", run.samples, 0, 1000);
  list.integer("run.decode.beam", run.beam, 1, 128);
  list.number("run.decode.max_ratio", run.decodeMaxRatio, 0, 1000);
  list.integer("run.decode.max_add", run.decodeMaxAdd, 0, 1 << 20);
}

size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

} // namespace

std::vector<ConfigField> dragoman::configFields(TrainConfig &config) {
  FieldList list;
  addModel(list, config.model);
  addData(list, config.data);
  addOptim(list, config.optim);
  addRun(list, config.run);
  return std::move(list.fields);
}

std::string dragoman::nearestName(std::string_view name,
                                  const std::vector<std::string> &names) {
  auto lastPart = [](std::string_view path) {
    return path.substr(path.rfind('.') + 1);
  };
  std::string best;
  size_t most = std::max<size_t>(name.size() / 2, 2);
  // Fewest edits; among equals the one that begins alike.
  std::pair<size_t, size_t> least(most + 1, 0);
  for (const std::string &candidate : names) {
    std::string_view ours = lastPart(name), theirs = lastPart(candidate);
    // A right name in a wrong section is one edit away.
    size_t distance =
        std::min(editDistance(name, candidate), editDistance(ours, theirs) + 1);
    size_t shared = 0;
    while (shared < std::min(ours.size(), theirs.size()) &&
           ours[shared] == theirs[shared])
      ++shared;
    std::pair<size_t, size_t> rank(distance, ours.size() - shared);
    if (distance <= most && rank < least) {
      least = rank;
      best = candidate;
    }
  }
  return best;
}
