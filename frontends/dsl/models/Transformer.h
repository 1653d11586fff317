//===- Transformer.h - The encoder-decoder Transformer -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_DSL_MODELS_TRANSFORMER_H
#define DRAGOMAN_FRONTENDS_DSL_MODELS_TRANSFORMER_H

#include "frontends/dsl/Blocks.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <string>

namespace dragoman::dsl {

/// Which embeddings are one table: source, target and projection; target and
/// projection; none.
enum class Tie { All, Target, None };

/// The default is the base model of "Attention is all you need".
struct TransformerConfig {
  int64_t vocab = 32000;   ///< of the target
  int64_t sourceVocab = 0; ///< 0 = that of the target; must be, if tied
  int64_t dModel = 512;
  int64_t heads = 8;
  int64_t ffn = 2048;
  int64_t encoderLayers = 6;
  int64_t decoderLayers = 6;
  int64_t maxPositions = 512;
  std::string activation = "relu"; ///< relu, silu, gelu
  NormPlace norm = NormPlace::Post;
  Tie tie = Tie::All;
  bool biases = true;     ///< of linear layers
  bool outputBias = true; ///< of the projection to the vocabulary
  double eps = 1e-5;

  /// Adds the entries `loss` and `align` and starts the weights as training
  /// does; else they are random in every element.
  bool training = false;
  uint64_t seed = 0;             ///< of the weights
  bool learnedPositions = false; ///< else sinusoids
  double dropout = 0;            ///< of embeddings and sub-layers
  double attentionDropout = 0;   ///< of the attention weights
  double activationDropout = 0;  ///< inside the feed-forward layer
  double labelSmoothing = 0;
  int64_t pad = -1;   ///< forbidden as an output, its embedding is 0
  int64_t start = -1; ///< forbidden as an output unless it ends sentences
  int64_t end = -1;
};

/// The translator's entries encode, prepare, decode and select, and with
/// `training` loss, in the form that import produces. The config must be
/// consistent (heads divide dModel, ids are below vocab).
mlir::OwningOpRef<mlir::ModuleOp>
makeTransformer(mlir::MLIRContext &context, const TransformerConfig &config);

/// The same model as the functions encoder_model, decoder_model and
/// decoder_with_past_model, with padding masks and caches as tensors: the form
/// in which translators are exchanged.
mlir::OwningOpRef<mlir::ModuleOp>
makeTransformerGraphs(mlir::MLIRContext &context,
                      const TransformerConfig &config);

} // namespace dragoman::dsl

#endif // DRAGOMAN_FRONTENDS_DSL_MODELS_TRANSFORMER_H
