//===- Silu.td - xf.silu -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_SILU
#define DRAGOMAN_XF_OPS_SILU

include "dialects/xf/XfBase.td"

def Xf_SiluOp : Xf_Op<"silu", [Pure,
    DeclareOpInterfaceMethods<DecomposableOpInterface>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface>]> {
  let summary = "x * sigmoid(x)";
  let arguments = (ins Xf_Float:$x);
  let results = (outs Xf_Float:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

#endif // DRAGOMAN_XF_OPS_SILU
