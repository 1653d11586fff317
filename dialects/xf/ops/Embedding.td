//===- Embedding.td - xf.embedding -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_EMBEDDING
#define DRAGOMAN_XF_OPS_EMBEDDING

include "dialects/xf/XfBase.td"

def Xf_EmbeddingOp : Xf_Op<"embedding", [Pure,
    DeclareOpInterfaceMethods<DifferentiableOpInterface>]> {
  let summary = "rows of a table, times scale";
  let description = [{
    table [V,C], ids [...] -> y [...,C]. An id outside 0..V-1 records the check
    `site` (the id is clamped and the run ends with an error). The row
    `padding_id` is read as any other; its gradient is 0.
  }];
  let arguments = (ins Xf_Float:$table, Xf_Index:$ids,
    DefaultValuedAttr<F64Attr, "1.0">:$scale,
    DefaultValuedAttr<Xf_IntAttr, "0">:$site,
    DefaultValuedAttr<Xf_IntAttr, "-1">:$padding_id);
  let results = (outs Xf_Float:$y);
  let assemblyFormat = "$table `,` $ids attr-dict `:` functional-type(operands, results)";
}

#endif // DRAGOMAN_XF_OPS_EMBEDDING
