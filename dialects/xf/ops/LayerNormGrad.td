//===- LayerNormGrad.td - xf.layer_norm_grad -*- tablegen -*- -------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_LAYERNORMGRAD
#define DRAGOMAN_XF_OPS_LAYERNORMGRAD

include "dialects/xf/XfBase.td"

def Xf_LayerNormGradOp : Xf_Op<"layer_norm_grad", [Pure,
    DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "the gradient of layer_norm by x, and the rows' statistics";
  let description = [{
    The mean and 1 / sqrt(var + eps) of each row are computed from x. The
    gradients of gain and bias are sums over rows of what this op returns.
  }];
  let arguments = (ins Xf_Float:$dy, Xf_Float:$x, Optional<Xf_Float>:$g,
    F64Attr:$eps, DefaultValuedAttr<Xf_IntAttr, "1">:$axes);
  let results = (outs Xf_Float:$dx, Xf_Acc:$mean, Xf_Acc:$rstd);
  let assemblyFormat = [{
    $dy `,` $x (`gain` $g^)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif // DRAGOMAN_XF_OPS_LAYERNORMGRAD
