//===- AttentionGrad.td - xf.attention_grad -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_ATTENTION_GRAD
#define DRAGOMAN_XF_OPS_ATTENTION_GRAD

include "dialects/xf/XfBase.td"

def Xf_AttentionGradOp : Xf_Op<"attention_grad", [
    AttrSizedOperandSegments, AttrSizedResultSegments, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "the gradient of xf.attention from its results";
  let description = [{
    Takes the cotangents of out and, if present, of lse, the operands of the
    attention and its results, and gives the gradients of q, k and v, of the
    bias if asked for, and by batch row and key head those of the captured
    tensors that `score_reads` and `prob_reads` name. Weights are recomputed from lse; no tensor of all
    scores is kept. `score_reverse` and `prob_reverse` are the regions by
    reverse mode. What is masked takes no part: a row that sees nothing and a
    key that nobody sees get exactly zero. See SPEC.md.
  }];
  let arguments = (ins
    Xf_Float:$dout, Xf_Float:$q, Xf_Float:$k, Xf_Float:$v,
    Xf_Float:$out, Xf_Acc:$lse, Optional<Xf_Acc>:$dlse,
    Optional<Xf_Float>:$bias, Optional<Xf_Bool>:$mask,
    Optional<Xf_Index>:$key_count, Optional<Xf_Index>:$offset,
    Optional<Xf_Key>:$seed, Optional<Xf_Key>:$row_key,
    Variadic<AnyType>:$captures,
    OptionalAttr<F64Attr>:$scale,
    UnitAttr:$causal,
    DefaultValuedAttr<Xf_IntAttr, "-1">:$left,
    DefaultValuedAttr<Xf_IntAttr, "-1">:$right,
    DefaultValuedAttr<F64Attr, "0.0">:$softcap,
    DefaultValuedAttr<F64Attr, "0.0">:$dropout,
    DefaultValuedAttr<Xf_IntAttr, "0">:$site,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$score_reads,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$prob_reads,
    DefaultValuedStrAttr<Xf_Layout, "bhtd">:$q_layout,
    DefaultValuedStrAttr<Xf_Layout, "bhtd">:$k_layout,
    DefaultValuedStrAttr<Xf_Layout, "bhtd">:$v_layout,
    DefaultValuedStrAttr<Xf_Layout, "bhtd">:$out_layout);
  let regions = (region MaxSizedRegion<1>:$score,
    MaxSizedRegion<1>:$score_reverse, MaxSizedRegion<1>:$prob,
    MaxSizedRegion<1>:$prob_reverse);
  let results = (outs Xf_Float:$dq, Xf_Float:$dk, Xf_Float:$dv,
    Optional<Xf_Float>:$dbias, Variadic<Xf_Float>:$dcaptures);
  let assemblyFormat = [{
    $dout `,` $q `,` $k `,` $v `out` $out $lse (`dlse` $dlse^)?
    (`bias` $bias^)? (`mask` $mask^)? (`key_count` $key_count^)?
    (`offset` $offset^)? (`seed` $seed^)? (`row_key` $row_key^)? (`captures` `(` $captures^ `)`)? attr-dict
    (`score` $score^)? (`score_reverse` $score_reverse^)?
    (`prob` $prob^)? (`prob_reverse` $prob_reverse^)?
    `:` `(` type(operands) `)` `->` type($dq) `,` type($dk) `,` type($dv)
    (`bias` type($dbias)^)? (`captures` type($dcaptures)^)?
  }];
  let extraClassDeclaration = [{
    /// The captures that have a gradient, in the order of `dcaptures`.
    ::llvm::SmallVector<int64_t> differentiatedCaptures();
    /// dout, q, k, v and out may be views of what a kernel is given.
    unsigned viewedOperands() { return 5; }
  }];
}

#endif // DRAGOMAN_XF_OPS_ATTENTION_GRAD
