//===- AttentionWeights.td - xf.attention_weights -*- tablegen -*- --------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_ATTENTION_WEIGHTS
#define DRAGOMAN_XF_OPS_ATTENTION_WEIGHTS

include "dialects/xf/XfBase.td"

def Xf_AttentionWeightsOp : Xf_Op<"attention_weights", [
    AttrSizedOperandSegments, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "the weights of xf.attention for some heads, or their mean";
  let description = [{
    exp(s - lse) of the scores of an attention with the same operands, regions
    and attributes, before its probability region and dropout: what a person
    looks at as an alignment. Invisible keys and rows that see nothing are 0.
  }];
  let arguments = (ins
    Xf_Float:$q, Xf_Float:$k, Xf_Acc:$lse,
    Optional<Xf_Float>:$bias, Optional<Xf_Bool>:$mask,
    Optional<Xf_Index>:$key_count, Optional<Xf_Index>:$offset,
    Variadic<AnyType>:$captures,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$heads,
    DefaultValuedStrAttr<Xf_HeadReduction, "none">:$reduce,
    OptionalAttr<F64Attr>:$scale,
    UnitAttr:$causal,
    DefaultValuedAttr<Xf_IntAttr, "-1">:$left,
    DefaultValuedAttr<Xf_IntAttr, "-1">:$right,
    DefaultValuedAttr<F64Attr, "0.0">:$softcap,
    DefaultValuedStrAttr<Xf_Layout, "bhtd">:$q_layout,
    DefaultValuedStrAttr<Xf_Layout, "bhtd">:$k_layout);
  let regions = (region MaxSizedRegion<1>:$score);
  let results = (outs Xf_Acc:$weights);
  let assemblyFormat = [{
    $q `,` $k `lse` $lse (`bias` $bias^)? (`mask` $mask^)?
    (`key_count` $key_count^)? (`offset` $offset^)?
    (`captures` `(` $captures^ `)`)? attr-dict (`score` $score^)? `:`
    functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// The heads named, all if none are.
    ::llvm::SmallVector<int64_t> shownHeads();
  }];
}

#endif // DRAGOMAN_XF_OPS_ATTENTION_WEIGHTS
