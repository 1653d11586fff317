//===- TopK.td - xf.top_k -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_TOPK
#define DRAGOMAN_XF_OPS_TOPK

include "dialects/xf/XfBase.td"

def Xf_TopKOp : Xf_Op<"top_k", [Pure]> {
  let summary = "the k largest (or smallest) entries of the last axis, in order";
  let description = [{
    Ties: lower index first; NaN ranks last. k may not exceed the axis.
  }];
  let arguments = (ins Xf_Float:$x, Xf_IntAttr:$k,
    DefaultValuedAttr<BoolAttr, "true">:$largest);
  let results = (outs Xf_Float:$values, Xf_Index:$indices);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

#endif // DRAGOMAN_XF_OPS_TOPK
