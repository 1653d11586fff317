//===- Transformer.cpp - The encoder-decoder Transformer -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/dsl/models/Transformer.h"

#include "dialects/xf/Xf.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::dsl;

namespace {

struct EncoderLayer {
  Attention self;
  Residual aroundSelf;
  FeedForward ffn;
  Residual aroundFfn;
};

struct DecoderLayer {
  Attention self;
  Residual aroundSelf;
  Attention cross;
  Residual aroundCross;
  FeedForward ffn;
  Residual aroundFfn;
};

/// What decoder layers read: in training all at once, else from caches.
struct DecoderSources {
  std::function<KeyValues(const DecoderLayer &, size_t, Tensor)> past;
  std::function<KeyValues(const DecoderLayer &, size_t)> source;
  AttentionMask causal, sourceMask;
  /// Gets the weights that the last layer gives to the source, if set.
  Tensor *alignment = nullptr;
};

/// The model: ids [B,S] -> memory [B,S,C]; ids [B,T] -> hidden [B,T,C].
class Transformer {
public:
  Transformer(mlir::MLIRContext &context, const TransformerConfig &config);

  Tensor encode(Tensor ids, const AttentionMask &mask);
  Tensor decode(Tensor ids, Tensor positions, const DecoderSources &sources);

  // Entries, and the states of decoding before them.
  void makeStates();
  void encodeEntry();
  void prepareEntry();
  void decodeEntry();
  void selectEntry();
  void lossEntry();
  void alignEntry();
  // Graphs as they are exchanged.
  void encoderGraph();
  void decoderGraph(bool withPast);

  mlir::OwningOpRef<mlir::ModuleOp> take() { return model.take(); }

private:
  Embedding embedding(const std::string &name, int64_t rows);
  Embedding positionTable(const std::string &side);
  Attention attention(const std::string &name);
  FeedForward feedForward(const std::string &name);
  Residual residual(const std::string &norm);
  KeyValues append(const Attention &layer, Tensor x, const std::string &cache,
                   size_t number, Tensor at, Tensor row, int64_t site);
  KeyValues cached(const std::string &cache, size_t number);
  Tensor ids(const std::string &name, int64_t bound,
             llvm::ArrayRef<llvm::StringRef> dims);
  Tensor decodeSentences(Tensor sourceIds, Tensor length, Tensor targetIds,
                         Tensor *alignment = nullptr);
  std::string labelDomain() const;
  llvm::SmallVector<int64_t> forbiddenIds() const;

  TransformerConfig config;
  Model model;
  Embedding source, target, sourcePositions, targetPositions;
  Linear projection;
  Dropout sourceDropout, targetDropout;
  std::vector<EncoderLayer> encoder;
  std::vector<DecoderLayer> decoder;
  std::optional<Norm> encoderNorm, decoderNorm;
  int64_t selfSite, crossSite, labelSite = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

Transformer::Transformer(mlir::MLIRContext &context,
                         const TransformerConfig &config)
    : config(config), model(context, config.training, config.seed) {
  int64_t c = config.dModel;
  int64_t sourceVocab = config.sourceVocab ? config.sourceVocab : config.vocab;
  source = embedding(config.tie == Tie::All ? "shared.weight"
                                            : "encoder.embed_tokens.weight",
                     sourceVocab);
  target = source;
  if (config.tie != Tie::All)
    target = embedding("decoder.embed_tokens.weight", config.vocab);
  projection = {&model, target.table, {}};
  if (config.tie == Tie::None)
    projection.w = model.linear("lm_head", config.vocab, c, false).w;
  if (config.outputBias)
    projection.b = model.bias("final_logits_bias", config.vocab);
  sourcePositions = positionTable("encoder");
  targetPositions =
      config.learnedPositions ? positionTable("decoder") : sourcePositions;
  sourceDropout = model.dropout(config.dropout);
  targetDropout = model.dropout(config.dropout);
  for (int64_t l = 0; l < config.encoderLayers; ++l) {
    std::string name = "encoder.layers." + std::to_string(l);
    encoder.push_back({attention(name + ".self_attn"),
                       residual(name + ".self_attn_layer_norm"),
                       feedForward(name),
                       residual(name + ".final_layer_norm")});
  }
  for (int64_t l = 0; l < config.decoderLayers; ++l) {
    std::string name = "decoder.layers." + std::to_string(l);
    decoder.push_back({attention(name + ".self_attn"),
                       residual(name + ".self_attn_layer_norm"),
                       attention(name + ".encoder_attn"),
                       residual(name + ".encoder_attn_layer_norm"),
                       feedForward(name),
                       residual(name + ".final_layer_norm")});
  }
  if (config.norm == NormPlace::Pre) {
    encoderNorm = model.norm("encoder.layer_norm", c, config.eps);
    decoderNorm = model.norm("decoder.layer_norm", c, config.eps);
  }
  const char *full = "length {value} exceeds the cache's capacity {bound}";
  selfSite = model.site("self_attn", full);
  crossSite = model.site("encoder_attn", full);
  if (config.training)
    labelSite = model.site(
        "labels", "label {value} is outside the vocabulary of {bound}");
}

Tensor Transformer::encode(Tensor ids, const AttentionMask &mask) {
  Tensor positions = model.current().iota(ids, 1);
  Tensor x = sourceDropout(source(ids) + sourcePositions(positions));
  for (const EncoderLayer &layer : encoder) {
    x = layer.aroundSelf(x, [&](Tensor h) { return layer.self(h, mask); });
    x = layer.aroundFfn(x, layer.ffn);
  }
  return encoderNorm ? (*encoderNorm)(x) : x;
}

Tensor Transformer::decode(Tensor ids, Tensor positions,
                           const DecoderSources &sources) {
  Tensor x = targetDropout(target(ids) + targetPositions(positions));
  for (auto [l, layer] : llvm::enumerate(decoder)) {
    x = layer.aroundSelf(x, [&](Tensor h) {
      auto past = [&] { return sources.past(layer, l, h); };
      return layer.self(h, past, sources.causal);
    });
    x = layer.aroundCross(x, [&](Tensor h) {
      if (sources.alignment && &layer == &decoder.back())
        *sources.alignment = model.current().meanWeights(
            layer.cross.queries(h), sources.source(layer, l).keys,
            sources.sourceMask.keyCount);
      auto source = [&] { return sources.source(layer, l); };
      return layer.cross(h, source, sources.sourceMask);
    });
    x = layer.aroundFfn(x, layer.ffn);
  }
  return decoderNorm ? (*decoderNorm)(x) : x;
}

//===----------------------------------------------------------------------===//
// Its parts
//===----------------------------------------------------------------------===//

/// Rows of N(0, 1/d), the padding's zero; scaled by sqrt(d) when read.
Embedding Transformer::embedding(const std::string &name, int64_t rows) {
  double deviation = 1.0 / std::sqrt(static_cast<double>(config.dModel));
  Init init = Init::normal(deviation);
  if (config.training)
    init.zeroRow = config.pad;
  int64_t site =
      model.site(name, "id {value} is outside the vocabulary of {bound}");
  return {&model,
          model.weight(name, {rows, config.dModel}, init,
                       config.training ? Role::Trained : Role::Frozen),
          1.0 / deviation, site};
}

Embedding Transformer::positionTable(const std::string &side) {
  std::string name =
      config.learnedPositions ? side + ".embed_positions.weight" : "positions";
  Init init = Init::normal(0.5);
  Role role = Role::Frozen;
  if (config.learnedPositions) {
    init = Init::normal(1.0 / std::sqrt(static_cast<double>(config.dModel)));
    role = Role::Trained;
  } else if (config.training) {
    init = Init::sinusoid();
  }
  int64_t site =
      model.site(name, "position {value} is outside the table of {bound}");
  return {&model,
          model.weight(name, {config.maxPositions, config.dModel}, init, role),
          1.0, site};
}

Attention Transformer::attention(const std::string &name) {
  return {model,        name,          config.dModel,
          config.heads, config.biases, config.attentionDropout};
}

FeedForward Transformer::feedForward(const std::string &name) {
  return {model,
          name,
          config.dModel,
          config.ffn,
          config.activation,
          config.biases,
          config.activationDropout};
}

Residual Transformer::residual(const std::string &norm) {
  return {model, norm, config.dModel, config.eps, config.norm, config.dropout};
}

/// Writes the keys and values of `x` behind the cached ones.
KeyValues Transformer::append(const Attention &layer, Tensor x,
                              const std::string &cache, size_t number,
                              Tensor at, Tensor row, int64_t site) {
  Entry &e = model.current();
  std::string l = std::to_string(number);
  KeyValues fresh = layer.keyValues(x);
  Tensor keys =
      e.cacheAppend(e.state(cache + "_k." + l), fresh.keys, at, row, site);
  Tensor values =
      e.cacheAppend(e.state(cache + "_v." + l), fresh.values, at, row, site);
  e.setState(cache + "_k." + l, keys);
  e.setState(cache + "_v." + l, values);
  return {keys, values, /*cached=*/true};
}

KeyValues Transformer::cached(const std::string &cache, size_t number) {
  Entry &e = model.current();
  std::string l = std::to_string(number);
  Tensor keys = e.state(cache + "_k." + l);
  return {keys, e.state(cache + "_v." + l), /*cached=*/true};
}

//===----------------------------------------------------------------------===//
// The entries of translation
//===----------------------------------------------------------------------===//

Tensor Transformer::ids(const std::string &name, int64_t bound,
                        llvm::ArrayRef<llvm::StringRef> dims) {
  Entry &e = model.current();
  return e.input(name, e.i64(), dims, "ids(" + std::to_string(bound) + ")");
}

void Transformer::makeStates() {
  std::string heads = std::to_string(config.heads);
  std::string size = std::to_string(config.dModel / config.heads);
  for (const char *cache : {"self_k.", "self_v."})
    for (int64_t l = 0; l < config.decoderLayers; ++l)
      model.state(cache + std::to_string(l), {"Rows", heads, "Cap", size});
  for (const char *cache : {"cross_k.", "cross_v."})
    for (int64_t l = 0; l < config.decoderLayers; ++l)
      model.state(cache + std::to_string(l),
                  {"SrcRows", heads, "SrcCap", size});
}

void Transformer::encodeEntry() {
  Entry e = model.entry("encode");
  Tensor inputIds =
      ids("input_ids", source.table.type.getDimSize(0), {"B", "S"});
  AttentionMask mask;
  mask.keyCount = e.input("source_length", e.i64(), {"B"}, "length(S)");
  e.output("last_hidden_state", encode(inputIds, mask));
  e.finish();
}

void Transformer::prepareEntry() {
  Entry e = model.entry("prepare");
  Tensor hidden =
      e.input("encoder_hidden_states", e.f32(),
              {"B", "S", std::to_string(config.dModel)}, "normal(1.0)");
  Tensor row = e.input("source_row", e.i32(), {"B"}, "distinct(SrcRows)");
  for (auto [l, layer] : llvm::enumerate(decoder))
    append(layer.cross, hidden, "cross", l, Tensor(), row, crossSite);
  e.finish();
}

void Transformer::decodeEntry() {
  Entry e = model.entry("decode");
  Tensor inputIds = ids("input_ids", config.vocab, {"R", "T"});
  Tensor position = e.input("position", e.i64(), {"R"}, "position(K-T)");
  Tensor cacheRow = e.input("cache_row", e.i32(), {"R"}, "distinct(Rows)");
  Tensor rows = e.input("rows", e.i32(), {"R", "K"}, "ids(Rows)");
  Tensor sourceRow = e.input("source_row", e.i32(), {"R", "1"}, "ids(SrcRows)");
  Tensor length = e.input("source_length", e.i64(), {"R"}, "length(SrcCap)");

  DecoderSources sources;
  sources.causal.keyCount = e.addSize(position, inputIds, 1);
  sources.causal.offset = position;
  sources.causal.rows = rows;
  sources.causal.causal = true;
  sources.sourceMask.keyCount = length;
  sources.sourceMask.rows = sourceRow;
  sources.past = [&](const DecoderLayer &layer, size_t l, Tensor h) {
    return append(layer.self, h, "self", l, position, cacheRow, selfSite);
  };
  sources.source = [&](const DecoderLayer &, size_t l) {
    return cached("cross", l);
  };
  Tensor h = decode(inputIds, e.positions(position, inputIds), sources);
  e.output("logits", projection(h));
  e.finish();
}

void Transformer::selectEntry() {
  static constexpr int64_t best = 128;
  Entry e = model.entry("select");
  std::string vocab = std::to_string(config.vocab);
  Tensor logits = e.input("logits", e.f32(), {"N", vocab}, "normal(3.0)");
  Tensor count = e.input("count", e.i64(), {}, "range(1,128)");
  Tensor normalize = e.input("normalize", e.i64(), {}, "range(0,3)");
  Tensor id = e.input("edit_id", e.i32(), {"N", "E"}, "ids(" + vocab + ")");
  Tensor kind = e.input("edit_kind", e.i32(), {"N", "E"}, "range(0,3)");
  Tensor value = e.input("edit_value", e.f32(), {"N", "E"}, "normal(1.0)");
  auto values =
      mlir::RankedTensorType::get({mlir::ShapedType::kDynamic, best}, e.f32());
  auto lse = mlir::RankedTensorType::get({mlir::ShapedType::kDynamic}, e.f32());
  auto op =
      xf::SelectOp::create(e.builder(), values, values.clone(e.i32()), lse,
                           logits, count, normalize, id, kind, value, best);
  e.output("values", op.getValues());
  e.output("ids", op.getIds());
  e.output("lse", op.getLse());
  e.finish();
}

//===----------------------------------------------------------------------===//
// Training
//===----------------------------------------------------------------------===//

/// Ids that are never an output: padding, and the start unless it is also the
/// end.
llvm::SmallVector<int64_t> Transformer::forbiddenIds() const {
  llvm::SmallVector<int64_t> ids;
  if (config.pad >= 0)
    ids.push_back(config.pad);
  if (config.start >= 0 && config.start != config.end &&
      config.start != config.pad)
    ids.push_back(config.start);
  llvm::sort(ids);
  return ids;
}

/// The longest run of ids that may be labels.
std::string Transformer::labelDomain() const {
  int64_t first = 0, begin = 0, size = 0;
  auto endRun = [&](int64_t end) {
    if (end - first > size) {
      begin = first;
      size = end - first;
    }
    first = end + 1;
  };
  for (int64_t id : forbiddenIds())
    endRun(id);
  endRun(config.vocab);
  return "range(" + std::to_string(begin) + "," +
         std::to_string(begin + size - 1) + ")";
}

/// The decoder over whole target sentences behind the encoder.
Tensor Transformer::decodeSentences(Tensor sourceIds, Tensor length,
                                    Tensor targetIds, Tensor *alignment) {
  DecoderSources sources;
  sources.causal.causal = true;
  sources.sourceMask.keyCount = length;
  sources.alignment = alignment;
  Tensor memory = encode(sourceIds, sources.sourceMask);
  sources.past = [](const DecoderLayer &layer, size_t, Tensor h) {
    return layer.self.keyValues(h);
  };
  sources.source = [&](const DecoderLayer &layer, size_t) {
    return layer.cross.keyValues(memory);
  };
  Tensor positions = model.current().iota(targetIds, 1);
  return decode(targetIds, positions, sources);
}

void Transformer::lossEntry() {
  Entry e = model.entry("loss");
  Tensor sourceIds =
      ids("source_ids", source.table.type.getDimSize(0), {"B", "S"});
  Tensor length = e.input("source_length", e.i64(), {"B"}, "length(S)");
  Tensor targetIds = ids("target_ids", config.vocab, {"B", "T"});
  Tensor labels = e.input("labels", e.i64(), {"B", "T"}, labelDomain());
  Tensor rowKey = e.input("row_key", e.i64(), {"B"}, "range(0,1000000)");
  Tensor seed = e.input("seed", e.i64(), {}, "range(0,1000000)");
  e.enableDropout(seed, rowKey);
  Tensor h = decodeSentences(sourceIds, length, targetIds);
  LossOptions options;
  options.smoothing = config.labelSmoothing;
  options.forbidden = forbiddenIds();
  options.site = labelSite;
  LossSums sums = e.crossEntropy(h, projection, labels, options);
  e.output("loss", sums.loss);
  e.output("nll", sums.nll);
  e.output("correct", sums.correct);
  e.finish();
}

void Transformer::alignEntry() {
  Entry e = model.entry("align");
  Tensor sourceIds =
      ids("source_ids", source.table.type.getDimSize(0), {"B", "S"});
  Tensor length = e.input("source_length", e.i64(), {"B"}, "length(S)");
  Tensor targetIds = ids("target_ids", config.vocab, {"B", "T"});
  Tensor alignment;
  decodeSentences(sourceIds, length, targetIds, &alignment);
  e.output("weights", alignment);
  e.finish();
}

//===----------------------------------------------------------------------===//
// Graphs for exchange
//===----------------------------------------------------------------------===//

void Transformer::encoderGraph() {
  Entry e = model.entry("encoder_model");
  Tensor inputIds =
      ids("input_ids", source.table.type.getDimSize(0), {"B", "S"});
  AttentionMask mask;
  mask.visible = e.visibleKeys(
      e.input("attention_mask", e.i64(), {"B", "S"}, "range(1,1)"));
  e.output("last_hidden_state", encode(inputIds, mask), {"B", "S", "C"});
  e.finish();
}

/// With a past, self attention reads past and new keys, and those of the source
/// are given; without, they follow from the encoder's output.
void Transformer::decoderGraph(bool withPast) {
  Entry e = model.entry(withPast ? "decoder_with_past_model" : "decoder_model");
  DecoderSources sources;
  sources.sourceMask.visible = e.visibleKeys(
      e.input("encoder_attention_mask", e.i64(), {"B", "S"}, "range(1,1)"));
  Tensor inputIds = ids("input_ids", config.vocab, {"B", "T"});
  Tensor memory;
  if (!withPast)
    memory = e.input("encoder_hidden_states", e.f32(),
                     {"B", "S", std::to_string(config.dModel)}, "normal(1.0)");
  std::string heads = std::to_string(config.heads);
  std::string size = std::to_string(config.dModel / config.heads);
  auto past = [&](size_t l, const std::string &kind, const char *length) {
    return e.input("past_key_values." + std::to_string(l) + "." + kind, e.f32(),
                   {"B", heads, length, size}, "normal(1.0)");
  };
  std::vector<KeyValues> pastSelf, source;
  for (size_t l = 0; withPast && l < decoder.size(); ++l) {
    Tensor keys = past(l, "decoder.key", "P");
    pastSelf.push_back({keys, past(l, "decoder.value", "P"), true});
    keys = past(l, "encoder.key", "S");
    source.push_back({keys, past(l, "encoder.value", "S"), true});
  }
  auto present = [&](size_t l, const std::string &kind, const KeyValues &kv,
                     const char *length) {
    std::string name = "present." + std::to_string(l) + "." + kind;
    e.output(name + ".key", kv.keys, {"B", heads, length, size});
    e.output(name + ".value", kv.values, {"B", heads, length, size});
  };
  auto fresh = [&](const Attention &layer, Tensor x) {
    KeyValues kv = layer.keyValues(x);
    return KeyValues{e.headsFirst(kv.keys), e.headsFirst(kv.values), true};
  };
  sources.past = [&](const DecoderLayer &layer, size_t l, Tensor h) {
    KeyValues kv = fresh(layer.self, h);
    if (withPast)
      kv = {e.concatKeys(pastSelf[l].keys, kv.keys),
            e.concatKeys(pastSelf[l].values, kv.values), true};
    present(l, "decoder", kv, withPast ? "P + T" : "T");
    return kv;
  };
  sources.source = [&](const DecoderLayer &layer, size_t l) {
    if (withPast)
      return source[l];
    KeyValues kv = fresh(layer.cross, memory);
    present(l, "encoder", kv, "S");
    return kv;
  };
  Tensor first = withPast ? pastSelf[0].keys : Tensor();
  sources.causal.visible = e.causalMask(inputIds, first);
  Tensor h = decode(inputIds, e.positionsBehind(inputIds, first), sources);
  e.output("logits", projection(h), {"B", "T", std::to_string(config.vocab)});
  e.finish();
}

mlir::OwningOpRef<mlir::ModuleOp>
dsl::makeTransformerGraphs(mlir::MLIRContext &context,
                           const TransformerConfig &config) {
  Transformer model(context, config);
  model.encoderGraph();
  model.decoderGraph(/*withPast=*/false);
  model.decoderGraph(/*withPast=*/true);
  return model.take();
}

mlir::OwningOpRef<mlir::ModuleOp>
dsl::makeTransformer(mlir::MLIRContext &context,
                     const TransformerConfig &config) {
  Transformer model(context, config);
  model.makeStates();
  model.encodeEntry();
  model.prepareEntry();
  model.decodeEntry();
  model.selectEntry();
  if (config.training) {
    model.lossEntry();
    model.alignEntry();
  }
  return model.take();
}
