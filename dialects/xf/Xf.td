//===- Xf.td - Root of the xf dialect -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only file that includes ops/*.td. Declarations of all ops come from here
// in one header; the definitions of one op are generated with
// --op-include-regex into its own ops/<Op>.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_XF
#define DRAGOMAN_DIALECTS_XF_XF

include "dialects/xf/XfBase.td"
include "dialects/xf/ops/Adadelta.td"
include "dialects/xf/ops/Adagrad.td"
include "dialects/xf/ops/Adam.td"
include "dialects/xf/ops/Attention.td"
include "dialects/xf/ops/AttentionGrad.td"
include "dialects/xf/ops/AttentionWeights.td"
include "dialects/xf/ops/CacheAppend.td"
include "dialects/xf/ops/CacheReorder.td"
include "dialects/xf/ops/Check.td"
include "dialects/xf/ops/Dropout.td"
include "dialects/xf/ops/CrossEntropy.td"
include "dialects/xf/ops/CrossEntropyGrad.td"
include "dialects/xf/ops/Embedding.td"
include "dialects/xf/ops/EmbeddingGrad.td"
include "dialects/xf/ops/Gelu.td"
include "dialects/xf/ops/GlobalNorm.td"
include "dialects/xf/ops/Glu.td"
include "dialects/xf/ops/LayerNorm.td"
include "dialects/xf/ops/LayerNormGrad.td"
include "dialects/xf/ops/Linear.td"
include "dialects/xf/ops/LinearCrossEntropy.td"
include "dialects/xf/ops/LinearCrossEntropyGrad.td"
include "dialects/xf/ops/LogSoftmax.td"
include "dialects/xf/ops/Matmul.td"
include "dialects/xf/ops/RmsNorm.td"
include "dialects/xf/ops/RmsNormGrad.td"
include "dialects/xf/ops/Rotary.td"
include "dialects/xf/ops/Select.td"
include "dialects/xf/ops/Sgd.td"
include "dialects/xf/ops/Silu.td"
include "dialects/xf/ops/Softmax.td"
include "dialects/xf/ops/TopK.td"
include "dialects/xf/ops/Yield.td"

#endif // DRAGOMAN_DIALECTS_XF_XF
