//===- Rotary.td - xf.rotary -*- tablegen -*- -----------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_ROTARY
#define DRAGOMAN_XF_OPS_ROTARY

include "dialects/xf/XfBase.td"

def Xf_RotaryOp : Xf_Op<"rotary", [Pure,
    DeclareOpInterfaceMethods<DecomposableOpInterface>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface>]> {
  let summary = "turns pairs of channels by the angle of their position";
  let description = [{
    x [B,H,T,D] in meaning, cos and sin [P,R/2], positions [B,T]. The pair i of
    the first R channels is (i, i + R/2), or (2i, 2i + 1) if `interleaved`.
    `inverse` turns back.
  }];
  let arguments = (ins Xf_Float:$x, Xf_Float:$cos, Xf_Float:$sin,
    Optional<Xf_Index>:$positions, UnitAttr:$interleaved, UnitAttr:$inverse,
    DefaultValuedStrAttr<Xf_Layout, "bhtd">:$layout,
    DefaultValuedAttr<Xf_IntAttr, "0">:$site);
  let results = (outs Xf_Float:$y);
  let assemblyFormat = [{
    $x `,` $cos `,` $sin (`positions` $positions^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // DRAGOMAN_XF_OPS_ROTARY
