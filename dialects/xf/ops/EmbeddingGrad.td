//===- EmbeddingGrad.td - xf.embedding_grad -*- tablegen -*- --------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_EMBEDDINGGRAD
#define DRAGOMAN_XF_OPS_EMBEDDINGGRAD

include "dialects/xf/XfBase.td"

def Xf_EmbeddingGradOp : Xf_Op<"embedding_grad", [Pure]> {
  let summary = "the gradient of embedding by its table";
  let description = [{
    dy [...,C], ids [...] -> dtable [V,C]: the rows of dy are added to the rows
    that ids name, in the order of the ids. Nothing is added to the row
    `padding_id`, nor for ids outside 0..V-1.
  }];
  let arguments = (ins Xf_Float:$dy, Xf_Index:$ids,
    DefaultValuedAttr<F64Attr, "1.0">:$scale,
    DefaultValuedAttr<Xf_IntAttr, "-1">:$padding_id);
  let results = (outs Xf_Acc:$dtable);
  let assemblyFormat = "$dy `,` $ids attr-dict `:` functional-type(operands, results)";
}

#endif // DRAGOMAN_XF_OPS_EMBEDDINGGRAD
