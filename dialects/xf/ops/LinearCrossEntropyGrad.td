//===- LinearCrossEntropyGrad.td - xf.linear_cross_entropy_grad -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_LINEARCROSSENTROPYGRAD
#define DRAGOMAN_XF_OPS_LINEARCROSSENTROPYGRAD

include "dialects/xf/XfBase.td"

def Xf_LinearCrossEntropyGradOp : Xf_Op<"linear_cross_entropy_grad", [Pure,
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "linear_cross_entropy and its gradient in one go";
  let description = [{
    dloss acc[N] and the operands of linear_cross_entropy -> loss, nll, correct
    acc[N], dh, dw and, with b, db of the types of h, w and b. See SPEC.md.
  }];
  let arguments = (ins Xf_Acc:$dloss, Xf_Float:$h, Xf_Float:$w,
    Optional<Xf_Float>:$b, Xf_Index:$target, Optional<Xf_Float>:$class_weight,
    DefaultValuedAttr<F64Attr, "0.0">:$smoothing,
    DefaultValuedAttr<Xf_IntAttr, "-100">:$ignore,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$forbidden,
    DefaultValuedAttr<Xf_IntAttr, "0">:$site);
  let results = (outs Xf_Acc:$loss, Xf_Acc:$nll, Xf_Acc:$correct, Xf_Float:$dh,
    Xf_Float:$dw, Optional<Xf_Float>:$db);
  let assemblyFormat = [{
    $dloss `,` $h `,` $w (`bias` $b^)? `target` $target
    (`class_weight` $class_weight^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // DRAGOMAN_XF_OPS_LINEARCROSSENTROPYGRAD
