//===- RmsNormGrad.td - xf.rms_norm_grad -*- tablegen -*- -----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_RMSNORMGRAD
#define DRAGOMAN_XF_OPS_RMSNORMGRAD

include "dialects/xf/XfBase.td"

def Xf_RmsNormGradOp : Xf_Op<"rms_norm_grad", [Pure,
    DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "the gradient of rms_norm by x, and the rows' scale";
  let description = [{
    1 / sqrt(mean(x^2) + eps) of each row is computed from x. The gradient of the
    gain is a sum over rows of what this op returns.
  }];
  let arguments = (ins Xf_Float:$dy, Xf_Float:$x, Optional<Xf_Float>:$g,
    F64Attr:$eps, DefaultValuedAttr<Xf_IntAttr, "1">:$axes);
  let results = (outs Xf_Float:$dx, Xf_Acc:$rstd);
  let assemblyFormat = [{
    $dy `,` $x (`gain` $g^)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif // DRAGOMAN_XF_OPS_RMSNORMGRAD
