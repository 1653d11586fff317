//===- Attention.td - xf.attention -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_ATTENTION
#define DRAGOMAN_XF_OPS_ATTENTION

include "dialects/xf/XfBase.td"

def Xf_AttentionOp : Xf_Op<"attention", [
    AttrSizedOperandSegments, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<DecomposableOpInterface>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface>]> {
  let summary = "softmax(scale q.k, masked) . v over heads";
  let description = [{
    q [B,H,T,D], k [B,Hk,S,D], v [B,Hk,S,Dv] in meaning; the layouts say how the
    bytes lie. Query head h reads key head h / (H/Hk). In float32 (float64 for
    f64): s = scale * q.k, then softcap, + bias, the score region, visibility,
    softmax, the probability region, dropout, times v. Visibility is the conjunction of
    causal, window, key count and mask; a masked key has no influence even if it
    is NaN, and a row that sees nothing is exactly zero with lse = -inf. See
    SPEC.md.
  }];
  let arguments = (ins
    Xf_Float:$q, Xf_Float:$k, Xf_Float:$v,
    Optional<Xf_Float>:$bias, Optional<Xf_Bool>:$mask,
    Optional<Xf_Index>:$key_count, Optional<Xf_Index>:$starts,
    Optional<Xf_Index>:$offset, Optional<Xf_Index>:$rows,
    Optional<Xf_Key>:$seed, Optional<Xf_Key>:$row_key,
    Variadic<AnyType>:$captures,
    OptionalAttr<F64Attr>:$scale,
    UnitAttr:$causal,
    DefaultValuedAttr<Xf_IntAttr, "-1">:$left,
    DefaultValuedAttr<Xf_IntAttr, "-1">:$right,
    DefaultValuedAttr<F64Attr, "0.0">:$softcap,
    DefaultValuedAttr<F64Attr, "0.0">:$dropout,
    DefaultValuedAttr<Xf_IntAttr, "0">:$site,
    DefaultValuedStrAttr<Xf_Layout, "bhtd">:$q_layout,
    DefaultValuedStrAttr<Xf_KeyLayout, "bhtd">:$k_layout,
    DefaultValuedStrAttr<Xf_Layout, "bhtd">:$v_layout,
    DefaultValuedStrAttr<Xf_Layout, "bhtd">:$out_layout);
  let regions = (region MaxSizedRegion<1>:$score, MaxSizedRegion<1>:$prob);
  let results = (outs Xf_Float:$out, Xf_Acc:$lse);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`bias` $bias^)? (`mask` $mask^)?
    (`key_count` $key_count^)? (`starts` $starts^)? (`offset` $offset^)?
    (`rows` $rows^)? (`seed` $seed^)? (`row_key` $row_key^)? (`captures` `(` $captures^ `)`)? attr-dict
    (`score` $score^)? (`prob` $prob^)?
    `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// Named sizes of the operands in meaning order, whatever the layouts.
    int64_t queryHeads();
    int64_t keyHeads();
    int64_t headSize();
    int64_t valueSize();
    /// The scale attribute, or 1/sqrt(D).
    double scaleOrDefault();
    /// Axis numbers in the operand's type of (batch, head, length, size).
    static std::array<unsigned, 4> axes(::llvm::StringRef layout);
  }];
}

#endif // DRAGOMAN_XF_OPS_ATTENTION
