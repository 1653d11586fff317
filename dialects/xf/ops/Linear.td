//===- Linear.td - xf.linear -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_LINEAR
#define DRAGOMAN_XF_OPS_LINEAR

include "dialects/xf/XfBase.td"

def Xf_LinearOp : Xf_Op<"linear", [Pure,
    DeclareOpInterfaceMethods<DecomposableOpInterface>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface>]> {
  let summary = "activation(x . w^T + b)";
  let description = [{
    x [...,K], w [N,K], b [N] -> y [...,N]; accumulates in float32 (float64 for
    f64), one chain per output, adds the bias, applies the activation and rounds
    once.
  }];
  let arguments = (ins Xf_Float:$x, Xf_Float:$w, Optional<Xf_Float>:$b,
    DefaultValuedStrAttr<Xf_Activation, "none">:$activation);
  let results = (outs Xf_Float:$y);
  let assemblyFormat = [{
    $x `,` $w (`bias` $b^)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif // DRAGOMAN_XF_OPS_LINEAR
