//===- Blocks.cpp - The blocks of Transformers ----------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/dsl/Blocks.h"

using namespace dragoman::dsl;

Attention::Attention(Model &model, const std::string &name, int64_t channels,
                     int64_t heads, bool bias, double dropout)
    : q(model.linear(name + ".q_proj", channels, channels, bias)),
      k(model.linear(name + ".k_proj", channels, channels, bias)),
      v(model.linear(name + ".v_proj", channels, channels, bias)),
      out(model.linear(name + ".out_proj", channels, channels, bias)),
      heads(heads) {
  change.dropout = model.dropout(dropout);
}

Tensor Attention::queries(Tensor x) const {
  return q.model->current().splitHeads(q(x), heads);
}

KeyValues Attention::keyValues(Tensor x) const {
  Entry &e = k.model->current();
  Tensor keys = e.splitHeads(k(x), heads);
  return {keys, e.splitHeads(v(x), heads)};
}

Tensor Attention::operator()(Tensor x, llvm::function_ref<KeyValues()> source,
                             const AttentionMask &mask) const {
  Entry &e = out.model->current();
  Tensor heads = queries(x);
  KeyValues read = source();
  return out(e.mergeHeads(
      e.attention(heads, read.keys, read.values, mask, read.cached, change)));
}

FeedForward::FeedForward(Model &model, const std::string &name,
                         int64_t channels, int64_t inner,
                         const std::string &activation, bool bias,
                         double dropout)
    : up(model.linear(name + ".fc1", inner, channels, bias)),
      down(model.linear(name + ".fc2", channels, inner, bias)),
      activation(activation), dropout(model.dropout(dropout)) {}

Tensor FeedForward::operator()(Tensor x) const {
  return down(dropout(up(x, activation)));
}

Residual::Residual(Model &model, const std::string &normName, int64_t channels,
                   double eps, NormPlace place, double dropout)
    : norm(model.norm(normName, channels, eps)),
      dropout(model.dropout(dropout)), place(place) {}

Tensor Residual::operator()(Tensor x,
                            llvm::function_ref<Tensor(Tensor)> f) const {
  if (place == NormPlace::Pre)
    return x + dropout(f(norm(x)));
  return norm(x + dropout(f(x)));
}
