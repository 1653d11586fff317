//===- LayerNorm.td - xf.layer_norm -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_LAYERNORM
#define DRAGOMAN_XF_OPS_LAYERNORM

include "dialects/xf/XfBase.td"

def Xf_LayerNormOp : Xf_Op<"layer_norm", [AttrSizedOperandSegments, Pure,
    DeclareOpInterfaceMethods<DecomposableOpInterface>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface>]> {
  let summary = "(x - mean) / sqrt(var + eps) * g + b over the last axes";
  let description = [{
    The last `axes` axes are normalised together; the variance is computed in
    two passes in the accumulation type. g and b have the shape of those axes.
  }];
  let arguments = (ins Xf_Float:$x, Optional<Xf_Float>:$g, Optional<Xf_Float>:$b,
    F64Attr:$eps, DefaultValuedAttr<Xf_IntAttr, "1">:$axes);
  let results = (outs Xf_Float:$y);
  let assemblyFormat = [{
    $x (`gain` $g^)? (`bias` $b^)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif // DRAGOMAN_XF_OPS_LAYERNORM
