//===- Transformer.cpp - The encoder-decoder Transformer -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/dsl/models/Transformer.h"

#include "frontends/dsl/Builder.h"

#include "dialects/xf/Xf.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::dsl;

namespace {

struct AttentionWeights {
  Linear q, k, v, out;
  Norm norm;
};

struct FeedForwardWeights {
  Linear up, down;
  Norm norm;
};

struct EncoderLayer {
  AttentionWeights self;
  FeedForwardWeights ffn;
};

struct DecoderLayer {
  AttentionWeights self, cross;
  FeedForwardWeights ffn;
};

/// Builds one model. Shapes: ids [B,S], hidden [B,S,C], heads [B,S,H,D].
class TransformerBuilder {
public:
  TransformerBuilder(mlir::MLIRContext &context,
                     const TransformerConfig &config)
      : config(config), model(context),
        headDim(std::to_string(config.dModel / config.heads)),
        heads(std::to_string(config.heads)) {}

  mlir::OwningOpRef<mlir::ModuleOp> build() {
    makeWeights();
    makeStates();
    encode();
    prepare();
    decode();
    select();
    return model.take();
  }

private:
  void makeWeights();
  void makeStates();
  AttentionWeights attentionWeights(const std::string &name);
  FeedForwardWeights feedForwardWeights(const std::string &name);

  void encode();
  void prepare();
  void decode();
  void select();

  /// x + f(norm(x)) or norm(x + f(x)).
  Tensor sublayer(Entry &e, Tensor x, const Norm &norm,
                  llvm::function_ref<Tensor(Tensor)> f);
  Tensor feedForward(Entry &e, Tensor x, const FeedForwardWeights &w);
  /// Writes the keys and values of `x` behind the cached ones and returns both
  /// caches.
  std::pair<Tensor, Tensor> append(Entry &e, Tensor x,
                                   const AttentionWeights &w,
                                   const std::string &cache,
                                   const std::string &layer, Tensor at,
                                   Tensor row, int64_t site);
  Tensor project(Entry &e, Tensor x, const Linear &layer) {
    return e.splitHeads(e.linear(x, layer), config.heads);
  }
  bool pre() const { return config.norm == NormPlace::Pre; }

  TransformerConfig config;
  Model model;
  std::string headDim, heads;
  Weight sourceTable, targetTable, positions;
  Linear projection;
  std::vector<EncoderLayer> encoder;
  std::vector<DecoderLayer> decoder;
  Norm encoderNorm, decoderNorm;
  int64_t sourceSite = 0, targetSite = 0, positionSite = 0, selfSite = 0,
          crossSite = 0;
};

} // namespace

AttentionWeights TransformerBuilder::attentionWeights(const std::string &name) {
  int64_t c = config.dModel;
  return {model.linear(name + ".q_proj", c, c, config.biases),
          model.linear(name + ".k_proj", c, c, config.biases),
          model.linear(name + ".v_proj", c, c, config.biases),
          model.linear(name + ".out_proj", c, c, config.biases),
          model.norm(name + "_layer_norm", c)};
}

FeedForwardWeights
TransformerBuilder::feedForwardWeights(const std::string &name) {
  return {model.linear(name + ".fc1", config.ffn, config.dModel, config.biases),
          model.linear(name + ".fc2", config.dModel, config.ffn, config.biases),
          model.norm(name + ".final_layer_norm", config.dModel)};
}

void TransformerBuilder::makeWeights() {
  double stddev = 1.0 / std::sqrt(static_cast<double>(config.dModel));
  sourceTable =
      model.weight("shared.weight", {config.vocab, config.dModel}, stddev);
  targetTable = sourceTable;
  projection.w = sourceTable;
  if (!config.tiedEmbeddings) {
    targetTable = model.weight("decoder.embed_tokens.weight",
                               {config.vocab, config.dModel}, stddev);
    projection.w =
        model.weight("lm_head.weight", {config.vocab, config.dModel}, stddev);
  }
  if (config.biases)
    projection.b = model.weight("final_logits_bias", {config.vocab}, 0.02);
  positions =
      model.weight("positions", {config.maxPositions, config.dModel}, 0.5);
  for (int64_t l = 0; l < config.encoderLayers; ++l) {
    std::string name = "encoder.layers." + std::to_string(l);
    encoder.push_back(
        {attentionWeights(name + ".self_attn"), feedForwardWeights(name)});
  }
  for (int64_t l = 0; l < config.decoderLayers; ++l) {
    std::string name = "decoder.layers." + std::to_string(l);
    decoder.push_back({attentionWeights(name + ".self_attn"),
                       attentionWeights(name + ".encoder_attn"),
                       feedForwardWeights(name)});
  }
  if (pre()) {
    encoderNorm = model.norm("encoder.layer_norm", config.dModel);
    decoderNorm = model.norm("decoder.layer_norm", config.dModel);
  }
  const char *range = "id {value} is outside the vocabulary of {bound}";
  sourceSite = model.site("encoder.embed_tokens", range);
  targetSite = model.site("decoder.embed_tokens", range);
  positionSite = model.site("embed_positions",
                            "position {value} is outside the table of {bound}");
  const char *full = "length {value} exceeds the cache's capacity {bound}";
  selfSite = model.site("self_attn", full);
  crossSite = model.site("encoder_attn", full);
}

void TransformerBuilder::makeStates() {
  for (const char *cache : {"self_k.", "self_v."})
    for (int64_t l = 0; l < config.decoderLayers; ++l)
      model.state(cache + std::to_string(l), {"Rows", heads, "Cap", headDim});
  for (const char *cache : {"cross_k.", "cross_v."})
    for (int64_t l = 0; l < config.decoderLayers; ++l)
      model.state(cache + std::to_string(l),
                  {"SrcRows", heads, "SrcCap", headDim});
}

Tensor TransformerBuilder::sublayer(Entry &e, Tensor x, const Norm &norm,
                                    llvm::function_ref<Tensor(Tensor)> f) {
  if (pre())
    return e.add(x, f(e.layerNorm(x, norm, config.eps)));
  return e.layerNorm(e.add(x, f(x)), norm, config.eps);
}

Tensor TransformerBuilder::feedForward(Entry &e, Tensor x,
                                       const FeedForwardWeights &w) {
  return sublayer(e, x, w.norm, [&](Tensor h) {
    return e.linear(e.linear(h, w.up, config.activation), w.down);
  });
}

std::pair<Tensor, Tensor>
TransformerBuilder::append(Entry &e, Tensor x, const AttentionWeights &w,
                           const std::string &cache, const std::string &layer,
                           Tensor at, Tensor row, int64_t site) {
  Tensor k = project(e, x, w.k), v = project(e, x, w.v);
  Tensor keys = e.cacheAppend(e.state(cache + "_k." + layer), k, at, row, site);
  Tensor values =
      e.cacheAppend(e.state(cache + "_v." + layer), v, at, row, site);
  e.setState(cache + "_k." + layer, keys);
  e.setState(cache + "_v." + layer, values);
  return {keys, values};
}

void TransformerBuilder::encode() {
  Entry e = model.entry("encode");
  std::string ids = "ids(" + std::to_string(config.vocab) + ")";
  Tensor inputIds = e.input("input_ids", e.i64(), {"B", "S"}, ids);
  Tensor length = e.input("source_length", e.i64(), {"B"}, "length(S)");

  double scale = std::sqrt(static_cast<double>(config.dModel));
  Tensor x = e.embedding(sourceTable, inputIds, scale, sourceSite);
  x = e.add(x, e.embedding(positions, e.iota(inputIds, 1), 1.0, positionSite));
  for (const EncoderLayer &layer : encoder) {
    x = sublayer(e, x, layer.self.norm, [&](Tensor h) {
      Tensor q = project(e, h, layer.self.q), k = project(e, h, layer.self.k),
             v = project(e, h, layer.self.v);
      AttentionMask mask;
      mask.keyCount = length;
      Tensor out = e.attention(q, k, v, mask, /*cached=*/false);
      return e.linear(e.mergeHeads(out), layer.self.out);
    });
    x = feedForward(e, x, layer.ffn);
  }
  if (pre())
    x = e.layerNorm(x, encoderNorm, config.eps);
  e.output("last_hidden_state", x);
  e.finish();
}

void TransformerBuilder::prepare() {
  Entry e = model.entry("prepare");
  std::string channels = std::to_string(config.dModel);
  Tensor hidden = e.input("encoder_hidden_states", e.f32(),
                          {"B", "S", channels}, "normal(1.0)");
  Tensor row = e.input("source_row", e.i32(), {"B"}, "distinct(SrcRows)");
  for (auto [l, layer] : llvm::enumerate(decoder))
    append(e, hidden, layer.cross, "cross", std::to_string(l), Tensor(), row,
           crossSite);
  e.finish();
}

void TransformerBuilder::decode() {
  Entry e = model.entry("decode");
  std::string ids = "ids(" + std::to_string(config.vocab) + ")";
  Tensor inputIds = e.input("input_ids", e.i64(), {"R", "T"}, ids);
  Tensor position = e.input("position", e.i64(), {"R"}, "position(K-T)");
  Tensor cacheRow = e.input("cache_row", e.i32(), {"R"}, "distinct(Rows)");
  Tensor rows = e.input("rows", e.i32(), {"R", "K"}, "ids(Rows)");
  Tensor sourceRow = e.input("source_row", e.i32(), {"R", "1"}, "ids(SrcRows)");
  Tensor length = e.input("source_length", e.i64(), {"R"}, "length(SrcCap)");

  double scale = std::sqrt(static_cast<double>(config.dModel));
  Tensor x = e.embedding(targetTable, inputIds, scale, targetSite);
  x = e.add(x, e.embedding(positions, e.positions(position, inputIds), 1.0,
                           positionSite));
  AttentionMask causal;
  causal.keyCount = e.addSize(position, inputIds, 1);
  causal.offset = position;
  causal.rows = rows;
  causal.causal = true;
  AttentionMask source;
  source.keyCount = length;
  source.rows = sourceRow;

  for (auto [l, layer] : llvm::enumerate(decoder)) {
    std::string number = std::to_string(l);
    x = sublayer(e, x, layer.self.norm, [&](Tensor h) {
      Tensor q = project(e, h, layer.self.q);
      auto [k, v] = append(e, h, layer.self, "self", number, position, cacheRow,
                           selfSite);
      Tensor out = e.attention(q, k, v, causal, /*cached=*/true);
      return e.linear(e.mergeHeads(out), layer.self.out);
    });
    x = sublayer(e, x, layer.cross.norm, [&](Tensor h) {
      Tensor q = project(e, h, layer.cross.q);
      Tensor out = e.attention(q, e.state("cross_k." + number),
                               e.state("cross_v." + number), source,
                               /*cached=*/true);
      return e.linear(e.mergeHeads(out), layer.cross.out);
    });
    x = feedForward(e, x, layer.ffn);
  }
  if (pre())
    x = e.layerNorm(x, decoderNorm, config.eps);
  e.output("logits", e.linear(x, projection));
  e.finish();
}

void TransformerBuilder::select() {
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

mlir::OwningOpRef<mlir::ModuleOp>
dsl::makeTransformer(mlir::MLIRContext &context,
                     const TransformerConfig &config) {
  return TransformerBuilder(context, config).build();
}
