//===- Select.td - xf.select -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_SELECT
#define DRAGOMAN_XF_OPS_SELECT

include "dialects/xf/XfBase.td"

def Xf_SelectOp : Xf_Op<"select", [Pure]> {
  let summary = "edits and log-softmax of logits, then the best candidates";
  let description = [{
    logits F[N,V], count i64[], normalize i64[], edit_id i32[N,E],
    edit_kind i32[N,E], edit_value f32[N,E] -> values acc[N,K], ids i32[N,K],
    lse acc[N]; K = `k`. See SPEC.md.
  }];
  let arguments = (ins Xf_Float:$logits, Xf_Index:$count, Xf_Index:$normalize,
    Xf_Index:$edit_id, Xf_Index:$edit_kind, Xf_Float:$edit_value,
    DefaultValuedAttr<Xf_IntAttr, "128">:$k);
  let results = (outs Xf_Acc:$values, Xf_Index:$ids, Xf_Acc:$lse);
  let assemblyFormat = [{
    $logits `count` $count `normalize` $normalize
    `edits` `(` $edit_id `,` $edit_kind `,` $edit_value `)` attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // DRAGOMAN_XF_OPS_SELECT
