//===- Gelu.td - xf.gelu -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_GELU
#define DRAGOMAN_XF_OPS_GELU

include "dialects/xf/XfBase.td"

def Xf_GeluOp : Xf_Op<"gelu", [Pure,
    DeclareOpInterfaceMethods<DecomposableOpInterface>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface>]> {
  let summary = "x * Phi(x), by erf or by the tanh form";
  let arguments = (ins Xf_Float:$x, DefaultValuedStrAttr<Xf_GeluKind, "erf">:$kind);
  let results = (outs Xf_Float:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

#endif // DRAGOMAN_XF_OPS_GELU
