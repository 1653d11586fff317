//===- Passes.td - Models of the DSL as passes -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_DSL_PASSES
#define DRAGOMAN_FRONTENDS_DSL_PASSES

include "mlir/Pass/PassBase.td"

def MakeTransformerPass : Pass<"dsl-make-transformer", "::mlir::ModuleOp"> {
  let summary = "fills an empty module with an encoder-decoder Transformer";
  let description = [{
    Precondition: the module is empty. Writes the entries encode, prepare,
    decode and select over random weights, as import would, and with `training`
    also the entry loss over weights that start as training does. For tests and
    benchmarks:

    ```
    dragoman-opt --dsl-make-transformer="vocab=1000 d-model=64 heads=4" empty.mlir
    ```
  }];
  let options = [
    Option<"vocab", "vocab", "int64_t", "32000", "entries of the vocabulary">,
    Option<"dModel", "d-model", "int64_t", "512", "channels">,
    Option<"heads", "heads", "int64_t", "8", "attention heads; divide d-model">,
    Option<"ffn", "ffn", "int64_t", "2048", "channels inside the feed-forward layer">,
    Option<"encoderLayers", "encoder-layers", "int64_t", "6", "layers of the encoder">,
    Option<"decoderLayers", "decoder-layers", "int64_t", "6", "layers of the decoder">,
    Option<"maxPositions", "max-positions", "int64_t", "512", "rows of the position table">,
    Option<"activation", "activation", "std::string", "\"relu\"", "relu, silu or gelu">,
    Option<"preNorm", "pre-norm", "bool", "false", "normalise before each sub-layer instead of behind it">,
    Option<"tied", "tied", "bool", "true", "one table for source, target and projection">,
    Option<"biases", "biases", "bool", "true", "linear layers have a bias">,
    Option<"training", "training", "bool", "false", "add the entry loss, and start the weights as training does">,
    Option<"seed", "seed", "uint64_t", "0", "of the weights">,
    Option<"learnedPositions", "learned-positions", "bool", "false", "a trained table of positions instead of sinusoids">,
    Option<"dropout", "dropout", "double", "0", "of embeddings and sub-layers">,
    Option<"attentionDropout", "attention-dropout", "double", "0", "of the attention weights">,
    Option<"activationDropout", "activation-dropout", "double", "0", "inside the feed-forward layer">,
    Option<"labelSmoothing", "label-smoothing", "double", "0", "mass given to all allowed ids">,
    Option<"pad", "pad", "int64_t", "-1", "id of padding: never an output">,
    Option<"start", "start", "int64_t", "-1", "id before the first target word: never an output unless it is also the end">,
    Option<"end", "end", "int64_t", "-1", "id that ends sentences">,
  ];
}

#endif // DRAGOMAN_FRONTENDS_DSL_PASSES
