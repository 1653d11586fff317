//===- Glu.td - xf.glu -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_GLU
#define DRAGOMAN_XF_OPS_GLU

include "dialects/xf/XfBase.td"

def Xf_GluOp : Xf_Op<"glu", [Pure,
    DeclareOpInterfaceMethods<DecomposableOpInterface>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface>]> {
  let summary = "value * gate(x), the two halves of an axis";
  let description = [{
    x [...,2C] along `axis`: value is the first half and gate the second
    (gate_first: the other way round) -> y [...,C].
  }];
  let arguments = (ins Xf_Float:$x, DefaultValuedAttr<Xf_IntAttr, "-1">:$axis,
    DefaultValuedStrAttr<Xf_Gate, "sigmoid">:$gate, UnitAttr:$gate_first);
  let results = (outs Xf_Float:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

#endif // DRAGOMAN_XF_OPS_GLU
