//===- Transformer.h - The encoder-decoder Transformer -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_DSL_MODELS_TRANSFORMER_H
#define DRAGOMAN_FRONTENDS_DSL_MODELS_TRANSFORMER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <string>

namespace dragoman::dsl {

/// Where layers normalise: behind the residual sum, or before each sub-layer
/// (then also once behind the last layer).
enum class NormPlace { Post, Pre };

/// The default is the base model of "Attention is all you need".
struct TransformerConfig {
  int64_t vocab = 32000;
  int64_t dModel = 512;
  int64_t heads = 8;
  int64_t ffn = 2048;
  int64_t encoderLayers = 6;
  int64_t decoderLayers = 6;
  int64_t maxPositions = 512;
  std::string activation = "relu"; ///< relu, silu, gelu
  NormPlace norm = NormPlace::Post;
  bool tiedEmbeddings = true; ///< one table for source, target and projection
  bool biases = true;
  double eps = 1e-5;
};

/// The translator's entries encode, prepare, decode and select over random
/// weights, in the form that import produces. The config must be consistent
/// (heads divide dModel).
mlir::OwningOpRef<mlir::ModuleOp>
makeTransformer(mlir::MLIRContext &context, const TransformerConfig &config);

} // namespace dragoman::dsl

#endif // DRAGOMAN_FRONTENDS_DSL_MODELS_TRANSFORMER_H
