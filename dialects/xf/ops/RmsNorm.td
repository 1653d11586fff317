//===- RmsNorm.td - xf.rms_norm -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_RMSNORM
#define DRAGOMAN_XF_OPS_RMSNORM

include "dialects/xf/XfBase.td"

def Xf_RmsNormOp : Xf_Op<"rms_norm", [Pure,
    DeclareOpInterfaceMethods<DecomposableOpInterface>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface>]> {
  let summary = "x / sqrt(mean(x^2) + eps) * g over the last axes";
  let arguments = (ins Xf_Float:$x, Optional<Xf_Float>:$g, F64Attr:$eps,
    DefaultValuedAttr<Xf_IntAttr, "1">:$axes);
  let results = (outs Xf_Float:$y);
  let assemblyFormat = "$x (`gain` $g^)? attr-dict `:` functional-type(operands, results)";
}

#endif // DRAGOMAN_XF_OPS_RMSNORM
