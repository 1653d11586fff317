//===- Blocks.h - The blocks of Transformers --------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention with its projections, the feed-forward layer, and the residual
// around either. Shapes: hidden [B,T,C], heads [B,T,H,D].
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_DSL_BLOCKS_H
#define DRAGOMAN_FRONTENDS_DSL_BLOCKS_H

#include "frontends/dsl/Builder.h"

namespace dragoman::dsl {

/// Where layers normalise: behind the residual sum, or before each sub-layer
/// (then also once behind the last layer).
enum class NormPlace { Post, Pre };

/// Projected keys and values: heads [B,S,H,D], or caches [R,H,Cap,D].
struct KeyValues {
  Tensor keys, values;
  bool cached = false;
};

/// Attention between projections to heads and back.
struct Attention {
  Linear q, k, v, out;
  int64_t heads;
  AttentionChange change;

  /// Weights name.q_proj and so on; `dropout` is of the probabilities.
  Attention(Model &model, const std::string &name, int64_t channels,
            int64_t heads, bool bias, double dropout);

  Tensor queries(Tensor x) const;
  KeyValues keyValues(Tensor x) const;
  /// What the rows of x [B,T,C] read, [B,T,C]. `source` is called behind the
  /// projection of the queries.
  Tensor operator()(Tensor x, llvm::function_ref<KeyValues()> source,
                    const AttentionMask &mask) const;
  /// Attention to itself.
  Tensor operator()(Tensor x, const AttentionMask &mask) const {
    return (*this)(x, [&] { return keyValues(x); }, mask);
  }
};

/// down(dropout(activation(up(x))))
struct FeedForward {
  Linear up, down;
  std::string activation;
  Dropout dropout;

  /// Weights name.fc1 and name.fc2.
  FeedForward(Model &model, const std::string &name, int64_t channels,
              int64_t inner, const std::string &activation, bool bias,
              double dropout);

  Tensor operator()(Tensor x) const;
};

/// norm(x + dropout(f(x))), or x + dropout(f(norm(x))).
struct Residual {
  Norm norm;
  Dropout dropout;
  NormPlace place;

  Residual(Model &model, const std::string &normName, int64_t channels,
           double eps, NormPlace place, double dropout);

  Tensor operator()(Tensor x, llvm::function_ref<Tensor(Tensor)> f) const;
};

} // namespace dragoman::dsl

#endif // DRAGOMAN_FRONTENDS_DSL_BLOCKS_H
